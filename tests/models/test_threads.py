"""The number of threads that torch uses."""

import ctypes
import importlib
import re
import threading

import pytest
import torch
from thinc.api import Adam
from thread_helpers import Threads, two_threads  # noqa: F401

from spacy_npparse.models import threads
from spacy_npparse.models.ops import TorchProductOps
from spacy_npparse.models.shim import TorchShim

pytestmark = pytest.mark.usefixtures("two_threads")


def in_a_new_thread(call):
    found = []
    thread = threading.Thread(target=lambda: found.append(call()))
    thread.start()
    thread.join()
    return found[0]


@pytest.mark.parametrize("n_words, expected", [(1, 1), (1000, 1), (1001, 2)])
def test_small_batches_take_one(n_words, expected):
    with threads.threads_for(n_words):
        assert torch.get_num_threads() == expected


def test_the_number_comes_back_after_errors_and_nested_use():
    with pytest.raises(KeyError), threads.one_thread():
        with threads.one_thread():
            pass
        assert torch.get_num_threads() == 1
        raise KeyError


def test_mkl_takes_one_as_well():
    def of_mkl():
        return re.findall(r"mkl_get_max_threads\(\) : (\d+)", torch.__config__.parallel_info())

    if not of_mkl():
        pytest.skip("this torch has no MKL")
    with threads.one_thread():
        assert of_mkl() == ["1"]
    assert of_mkl() == ["2"]


def test_other_python_threads_keep_theirs():
    with threads.one_thread():
        assert in_a_new_thread(torch.get_num_threads) == 2
    inside, leave, found = threading.Event(), threading.Event(), []

    def compute():
        with threads.one_thread():
            inside.set()
            leave.wait()
        found.append(torch.get_num_threads())

    other = threading.Thread(target=compute)
    other.start()
    inside.wait()
    assert torch.get_num_threads() == 2
    with threads.one_thread():
        leave.set()
        other.join()
        assert torch.get_num_threads() == 1
    assert found == [2]


def test_without_the_functions_of_openmp_torch_is_asked(monkeypatch):
    """On Windows, `threads` finds no functions of OpenMP."""
    with monkeypatch.context() as patch:
        patch.setattr(ctypes, "CDLL", lambda path: object())
        reloaded = importlib.reload(threads)
        with reloaded.one_thread():
            assert torch.get_num_threads() == 1
        assert torch.get_num_threads() == 2
    importlib.reload(threads)


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("n_words, expected", [(10, {1}), (2000, {2})])
def test_products_of_few_rows_take_one(backwards, n_words, expected):
    ops = TorchProductOps()
    of_words, weights = ops.alloc2f(n_words, 3), ops.alloc2f(4, 3)
    with Threads() as used:
        if backwards:
            ops.gemm(of_words, of_words, trans1=True)
        else:
            ops.gemm(of_words, weights, trans2=True)
    assert used.found == expected


def test_updates_of_weights_take_one():
    shim = TorchShim(torch.nn.Linear)
    shim.initialize(in_features=3, out_features=2)
    shim.net.weight.sum().backward()
    with Threads() as used:
        shim.finish_update(Adam(0.1))
    assert used.found == {1}
