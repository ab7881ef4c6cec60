NO_WORD: int
