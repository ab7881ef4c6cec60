"""What stands for a missing head or label in Python; the kernel's `NO_WORD` has the same value."""

NO_HEAD = -1
NO_LABEL = -1
