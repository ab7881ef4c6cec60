"""The errors that whoever runs a command can mend."""


class UserError(Exception):
    """A file, a setting or a library is not as it has to be. The message says what is wrong, where,
    and what to do about it: commands show it without a traceback."""
