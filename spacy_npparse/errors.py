"""The errors that whoever runs a command can mend."""


class UserError(Exception):
    """A file, a setting or a library is not as it has to be. The message says what is wrong, where,
    and what to do about it: commands show it without a traceback."""


class DocError(UserError, ValueError):
    """A Doc that CoNLL-U cannot represent. The message names the sentence, the word if it is one,
    and the remedy; that of `write_conllu` names the Doc, too."""
