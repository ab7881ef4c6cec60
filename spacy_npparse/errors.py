"""Errors that users can correct."""


class UserError(Exception):
    """An error in a file, a setting or a library that the user can correct. The message names the
    problem, the place and the remedy. Commands show it without a traceback."""


class DocError(UserError, ValueError):
    """A Doc that CoNLL-U cannot represent. The message names the sentence, the word if there is
    one, and the remedy. In `write_conllu`, it also names the Doc."""
