"""Small models gain nothing from several threads, and lose much where the cores are busy."""

import os

# Before torch is imported, and for the programs that tests start.
os.environ.setdefault("OMP_NUM_THREADS", "1")
