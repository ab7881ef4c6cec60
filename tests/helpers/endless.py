"""A program that never ends by itself.

    python -m endless FILE

The program writes its process ID and its parent's to the file, and then holds Python's global
interpreter lock, as UDPipe's trainer does.
"""

import ctypes
import os
import sys
from pathlib import Path

if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.with_suffix(".new").write_text(f"{os.getpid()} {os.getppid()}")
    path.with_suffix(".new").rename(path)
    while True:
        if sys.platform == "linux":
            ctypes.PyDLL(None).sleep(1000)
