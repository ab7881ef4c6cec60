"""Atomic writing: a file appears complete, with the mode of any new file, or not at all."""

import os
import stat

import pytest

from spacy_npparse.files import replacing


@pytest.fixture(params=[0o022, 0o077, 0o002], ids=oct)
def umask(request):
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


@pytest.mark.skipif(os.name == "nt", reason="POSIX file modes")
def test_mode_is_that_of_any_new_file(tmp_path, umask):
    with replacing(tmp_path / "ours") as file:
        file.write(b"x")
    (tmp_path / "other").write_bytes(b"x")
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("ours", "other")]
    assert modes == [0o666 & ~umask] * 2
    assert os.umask(umask) == umask


def test_appears_only_when_complete(tmp_path):
    path = tmp_path / "new" / "folder" / "a.txt"
    with replacing(path) as file:
        file.write(b"complete")
        file.flush()
        assert not path.exists()
    assert path.read_bytes() == b"complete" and list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_old_content_survives_an_exception(tmp_path, error):
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    with pytest.raises(error), replacing(str(path)) as file:
        file.write(b"new")
        raise error
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]
