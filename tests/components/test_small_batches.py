"""Small batches are computed on one thread, whatever torch is set to."""

import pytest
from spacy.tokens import Doc
from thread_helpers import Threads, two_threads  # noqa: F401

from spacy_npparse.models.threads import SMALL_BATCH

pytestmark = pytest.mark.usefixtures("two_threads")
SYSTEMS = ["arc_hybrid_swap", "mst", "mh4", "one_endpoint_crossing"]
WORDS = "Wir haben das Haus gesehen .".split()


def long_doc(nlp):
    n = 1 + SMALL_BATCH // len(WORDS)
    starts = [True, *[False] * (len(WORDS) - 1)]
    return Doc(nlp.vocab, words=WORDS * n, sent_starts=starts * n)


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_text_is_parsed_on_one_and_a_long_one_on_all(make_parser, system):
    nlp = make_parser(system)
    with Threads() as used:
        nlp(" ".join(WORDS))
        list(nlp.pipe(["", *[" ".join(WORDS)] * 20]))
    assert used.found == {1}
    with Threads() as used:
        nlp(long_doc(nlp))
    assert used.found == {2}


def test_ensembles_and_derivations(make_parser):
    nlp = make_parser("arc_hybrid_swap")
    nlp.add_pipe("ensemble_parser", config={"members": ["parser"]})
    nlp.disable_pipe("parser")
    with Threads() as used:
        doc = nlp(" ".join(WORDS))
        nlp.get_pipe("parser").derivations(doc)
    assert used.found == {1}


@pytest.mark.parametrize("system", SYSTEMS)
def test_small_updates_take_one(make_parser, sample, system):
    nlp = make_parser(system)
    examples, optimizer = sample(nlp, limit=5), nlp.resume_training()
    with Threads() as used:
        nlp.update(examples, sgd=optimizer)
    assert used.found == {1}
