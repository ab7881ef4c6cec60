"""Atomic writing: a file appears complete or not at all, and keeps its mode or gets the default
mode. Links are followed, and pipes and devices are written directly."""

import errno
import os
import stat
import threading

import pytest

from spacy_npparse.files import WriteError, are_same, check_writable, is_stream, replacing

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX files")
full_device = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")


def write(path, content=b"new"):
    check_writable(path)
    with replacing(path) as file:
        file.write(content)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(params=[0o022, 0o077, 0o002], ids=oct)
def umask(request):
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


@posix
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


@posix
@pytest.mark.parametrize("known", [0o600, 0o644, 0o640, 0o444])
def test_mode_of_an_existing_file_is_kept(tmp_path, umask, known):
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    path.chmod(known)
    if os.access(path, os.W_OK):
        write(path)
        assert path.read_bytes() == b"new" and mode(path) == known
    else:
        with pytest.raises(WriteError, match="Permission denied"):
            write(path)
        assert path.read_bytes() == b"old"


@posix
def test_nobody_else_can_read_a_private_file_while_it_is_written(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    path.chmod(0o600)
    with replacing(path):
        [temporary] = set(tmp_path.iterdir()) - {path}
        assert mode(temporary) == 0o600


@posix
@pytest.mark.parametrize("exists", [True, False], ids=["existing", "new"])
def test_links_stay(tmp_path, exists):
    target = tmp_path / "data" / "a.txt"
    links = [tmp_path / "absolute", tmp_path / "relative", tmp_path / "chain"]
    for link, to in zip(links, [target, "data/a.txt", "relative"], strict=True):
        link.symlink_to(to)
    if exists:
        target.parent.mkdir()
        target.write_bytes(b"old")
        target.chmod(0o640)
    for number, link in enumerate(links):
        to = os.readlink(link)
        write(link, str(number).encode())
        assert os.readlink(link) == to and target.read_bytes() == str(number).encode()
    assert list(target.parent.iterdir()) == [target]
    assert not exists or mode(target) == 0o640


@posix
def test_links_that_lead_nowhere(tmp_path):
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    for attempt in (check_writable, write):
        with pytest.raises(WriteError, match=f"{loop}: cannot be written: Too many levels"):
            attempt(loop)
    assert loop.is_symlink()


@posix
def test_named_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write(pipe, b"x" * 100_000)
    reader.join(10)
    assert read == [b"x" * 100_000] and stat.S_ISFIFO(pipe.stat().st_mode)
    assert list(tmp_path.iterdir()) == [pipe]


@posix
def test_descriptor_of_a_pipe():
    # The shell passes such a path for >(program).
    reading, writing = os.pipe()
    write(f"/dev/fd/{writing}", b"new")
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        assert file.read() == b"new"


@posix
def test_null_device_stays():
    before = os.stat("/dev/null")
    write("/dev/null")
    assert os.path.samestat(before, os.stat("/dev/null"))


@posix
@pytest.mark.parametrize("by_link", [False, True], ids=["descriptor", "link"])
def test_an_open_file_is_continued(tmp_path, by_link):
    # This happens with `--json /dev/stdout > out.txt`, if the command also prints other output.
    path, link = tmp_path / "out.txt", tmp_path / "link"
    with path.open("wb", buffering=0) as file:
        name = f"/dev/fd/{file.fileno()}"
        link.symlink_to(name)
        file.write(b"before\n")
        write(link if by_link else name, b"new\n")
        file.write(b"after\n")
    assert path.read_bytes() == b"before\nnew\nafter\n"
    assert set(tmp_path.iterdir()) == {path, link}


@posix
def test_streams(tmp_path):
    path = tmp_path / "a.txt"
    assert not is_stream(path) and not is_stream(tmp_path)
    path.touch()
    os.mkfifo(tmp_path / "pipe")
    assert not is_stream(path)
    assert all(map(is_stream, (tmp_path / "pipe", "/dev/null", "/dev/stdout", "/dev/fd/2")))


@posix
def test_stream_gets_nothing_more_after_an_exception():
    # The reader of a full pipe might never read the rest.
    reading, writing = os.pipe()
    with pytest.raises(RuntimeError), replacing(f"/dev/fd/{writing}") as file:
        file.write(b"x")
        raise RuntimeError
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        assert file.read() == b""


@full_device
@pytest.mark.parametrize("size", [1, 1_000_000])
def test_full_disk_is_named(size):
    with pytest.raises(WriteError) as caught:
        write("/dev/full", b"x" * size)
    assert str(caught.value) == (
        "/dev/full: cannot be written: No space left on device. "
        "Free some space, or give a file on another disk."
    )
    assert caught.value.errno == errno.ENOSPC and os.path.exists("/dev/full")


@pytest.mark.parametrize("call", ["open", "replace"])
def test_full_disk_leaves_nothing(tmp_path, monkeypatch, call):
    def fail(*arguments, **options):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "temporary")

    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, call, fail)
    with (
        pytest.raises(WriteError, match="a.txt: cannot be written: No space left"),
        replacing(path),
    ):
        pass
    monkeypatch.undo()
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]


@posix
def test_error_of_a_write_is_named(tmp_path):
    import resource

    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(WriteError, match="a.txt: cannot be written: File too large. Give anot"):
            write(path, b"x" * 10_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]


def test_other_errors_pass(tmp_path):
    with pytest.raises(FileNotFoundError), replacing(tmp_path / "a.txt"):
        (tmp_path / "missing").read_bytes()
    assert not list(tmp_path.iterdir())


@posix
def test_what_cannot_be_written_is_known_beforehand(tmp_path):
    file = tmp_path / "file"
    file.touch()
    for path, reason in [
        (tmp_path, "Is a directory"),
        (file / "a.txt", "Not a directory"),
        (file / "new" / "a.txt", "Not a directory"),
        (tmp_path / ("x" * 300), "File name too long"),
        ("/dev/fd/99", "Bad file descriptor"),
    ]:
        for attempt in (check_writable, write):
            with pytest.raises(WriteError) as caught:
                attempt(path)
            assert str(caught.value).startswith(f"{path}: cannot be written: {reason}")
    assert list(tmp_path.iterdir()) == [file]


@posix
def test_open_for_reading_only(tmp_path):
    (tmp_path / "in.txt").write_bytes(b"in")
    with (tmp_path / "in.txt").open("rb") as file:
        with pytest.raises(WriteError, match="Bad file descriptor"):
            check_writable(f"/dev/fd/{file.fileno()}")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="permissions do not bind root")
def test_folder_without_permission(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir(mode=0o500)
    for path in (folder / "a.txt", folder / "new" / "a.txt"):
        for attempt in (check_writable, write):
            with pytest.raises(WriteError, match="Permission denied"):
                attempt(path)


def test_a_check_changes_nothing(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    before = path.stat()
    check_writable(path)
    check_writable(tmp_path / "new" / "folder" / "a.txt")
    assert path.stat() == before and list(tmp_path.iterdir()) == [path]


@posix
def test_one_file_by_several_names(tmp_path):
    path, other = tmp_path / "a.txt", tmp_path / "b.txt"
    link, hard, dangling = (tmp_path / name for name in ("link", "hard", "dangling"))
    path.touch()
    other.touch()
    link.symlink_to(path)
    os.link(path, hard)
    dangling.symlink_to("new.txt")
    (tmp_path / "folder").symlink_to(tmp_path)
    for same in (path, link, hard, tmp_path / "folder" / "a.txt"):
        assert are_same(path, same) and are_same(same, path) and not are_same(other, same)
    assert are_same(dangling, tmp_path / "new.txt") and not are_same(dangling, path)
    for stream in ("/dev/null", "/dev/stdin"):
        assert not are_same(path, stream)
    assert not are_same("/dev/null", "/dev/null")


def test_names_may_be_long(tmp_path):
    path = tmp_path / ("x" * 250)
    write(path)
    assert path.read_bytes() == b"new"
