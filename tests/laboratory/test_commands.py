"""Subprocesses that train, and the messages if they fail."""

import pytest

from spacy_npparse.laboratory.commands import LOG, FailedCommandError, run_module


@pytest.mark.parametrize(
    ("code", "end"),
    [
        ("sys.exit('no data')", "ended with exit code 1. The end of"),
        ("os.kill(os.getpid(), 9)", "was ended by SIGKILL, possibly out of memory. The end of"),
        ("os.kill(os.getpid(), 15)", "was ended by SIGTERM. The end of"),
    ],
)
def test_the_message_names_the_end(tmp_path, code, end):
    (tmp_path / "failing.py").write_text(f"import os, sys\nprint('begun', flush=True)\n{code}")
    with pytest.raises(FailedCommandError) as failure:
        run_module(["failing"], tmp_path / LOG, cwd=tmp_path)
    assert str(failure.value).startswith(f"failing {end}")
    assert "\n    begun" in str(failure.value)
