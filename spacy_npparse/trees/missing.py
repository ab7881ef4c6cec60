"""The value of a missing head or label in Python, which equals the kernel's `NO_WORD`."""

NO_HEAD = -1
NO_LABEL = -1
