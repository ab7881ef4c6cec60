"""Head distributions in MISC and in Docs, including augmented Docs."""

import random

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_npparse.treebank import ConlluCorpus, parse_sentence
from spacy_npparse.treebank.augmentation import ExcerptAugmenter, NonceAugmenter
from spacy_npparse.treebank.head_distributions import (
    DISTRIBUTIONS_KEY,
    doc_distributions,
    read_distributions,
    spell_distribution,
    token_distribution,
)
from spacy_npparse.trees.head_distributions import (
    N_HEADS,
    HeadDistributions,
    most_probable_heads,
)


def sentence(heads, distributions):
    rows = [
        f"{i}\tw{i}\t_\tNOUN\t_\t_\t{head}\t{'dep' if head else 'root'}\t_\t{misc or '_'}"
        for i, (head, misc) in enumerate(zip(heads, distributions, strict=True), 1)
    ]
    return parse_sentence(["# sent_id = s1", *rows])


def test_what_is_written_is_read():
    value = spell_distribution({3: 0.61, 0: 0.3801, 2: 0.004})
    assert value == "3:0.61,0:0.38"
    misc = [f"SpaceAfter=No|HeadDistribution={value}|Gloss=x", None, "HeadDistribution=0:1.00"]
    first, second = sentence([3, 3, 0], misc), sentence([0], [None])
    found = read_distributions([first, second])
    assert found.heads.tolist() == [[2, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]
    expected = [[0.61, 0.38, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]]
    assert (found.probabilities == np.array(expected, dtype=np.float32)).all()
    assert read_distributions([second]) is None
    assert read_distributions([sentence([0], ["MyHeadDistribution=1:2"])]) is None


@pytest.mark.parametrize(
    "value",
    ["", "2", "2:", "2:1.5", "-1:0.5", "4:0.5", "1:0.5", "2:0.5,", "2:nan", "x:0.5"]
    + [",".join(5 * ["2:0.1"])],
)
def test_malformed_distributions_are_refused(value):
    damaged = sentence([2, 0, 2], [f"HeadDistribution={value}", None, None])
    with pytest.raises(ValueError, match=r"sentence s1, word 1: .* is not up to 4 heads"):
        read_distributions([damaged])


def test_the_most_probable_heads_come_first():
    probabilities = np.array([[0.1, 0.0, 0.6, 0.3], [1.0, 0.0, 0.0, 0.0]], dtype=np.float32)
    found = most_probable_heads(probabilities)
    assert found.heads.tolist() == [[2, 3, 0, 0], [0, 0, 0, 0]]
    expected = [[0.6, 0.3, 0.1, 0.0], [1, 0, 0, 0]]
    assert (found.probabilities == np.array(expected, dtype=np.float32)).all()
    assert [one.dtype for one in found] == [np.int32, np.float32]
    assert [one.shape for one in most_probable_heads(probabilities[:1, :2])] == 2 * [(1, N_HEADS)]


def stored(doc):
    return Doc(doc.vocab).from_bytes(doc.to_bytes())


def stored_in_docbin(doc):
    data = DocBin(docs=[doc], store_user_data=True).to_bytes()
    return next(DocBin().from_bytes(data).get_docs(doc.vocab))


@pytest.mark.parametrize("store", [lambda doc: doc, stored, stored_in_docbin])
def test_stored_docs_keep_the_distributions(store):
    doc = Doc(Vocab(), ["a", "b", "c"])
    before = HeadDistributions.unknown(3)
    before.heads[1, :2], before.probabilities[1, :2] = [1, 0], [0.7, 0.25]
    doc.user_data[DISTRIBUTIONS_KEY] = before
    doc = store(doc)
    after = doc_distributions(doc)
    for one, other in zip(before, after, strict=True):
        assert (one == other).all() and one.dtype == other.dtype
    assert token_distribution(doc[1]) == {2: pytest.approx(0.7), 1: 0.25}
    assert token_distribution(doc[0]) == {}
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[1:3])
    assert doc_distributions(doc) is None and not doc.user_data


def test_references_have_the_distributions_of_the_file(tmp_path):
    path = tmp_path / "silver.conllu"
    path.write_text(f"{sentence([2, 0], ['HeadDistribution=2:0.9,0:0.1', None])}\n\n")
    (example,) = ConlluCorpus(path)(spacy.blank("xx"))
    assert DISTRIBUTIONS_KEY not in example.predicted.user_data
    found = token_distribution(example.reference[0])
    assert found == {1: pytest.approx(0.9), 0: pytest.approx(0.1)}


def test_the_file_of_a_malformed_distribution_is_named(tmp_path):
    path = tmp_path / "silver.conllu"
    path.write_text(f"{sentence([2, 0], ['HeadDistribution=5:0.9', None])}\n\n")
    with pytest.raises(ValueError, match=r"silver\.conllu: sentence s1, word 1: 'HeadDistribution"):
        list(ConlluCorpus(path)(spacy.blank("xx")))


def numbered(rng, vocab, number, n_words):
    """Make an example with a random tree and random distributions. The lemmas are the numbers of
    sentence and word. No two words of the sentence are of the same kind."""
    heads = [rng.randrange(i) if i else 0 for i in range(n_words)]
    deps = [f"dep:{i}" if i else "ROOT" for i in range(n_words)]
    words = [f"w{number}" for _ in range(n_words)]
    lemmas = [f"{number}-{i}" for i in range(n_words)]
    gold = Doc(vocab, words, heads=heads, deps=deps, pos=["NOUN"] * n_words, lemmas=lemmas)
    found = HeadDistributions.unknown(n_words)
    for i in range(n_words):
        others = rng.sample([j for j in range(n_words) if j != i], min(3, n_words - 1))
        found.heads[i, : len(others)] = [j - i for j in others]
        found.probabilities[i, : len(others) + 1] = [rng.random() for _ in range(len(others) + 1)]
    gold.user_data[DISTRIBUTIONS_KEY] = found
    return Example(Doc(vocab, words), gold)


def by_lemma(doc):
    """Map the lemma of each word to its probable heads, as lemmas or 'root', with probabilities."""
    result = {}
    for token in doc:
        found = token_distribution(token).items()
        result[token.lemma_] = {doc[i].lemma_ if i != token.i else "root": p for i, p in found}
    return result


def test_distributions_move_with_the_words(monkeypatch):
    """If a word keeps its head, each probable head stays or becomes the head of the subtree that
    replaces it; others are dropped. The head of a new subtree gets the distribution of the head of
    the old one."""
    rng = random.Random(0)
    random.seed(0)
    vocab = Vocab()
    examples = [numbered(rng, vocab, n, rng.randint(4, 12)) for n in range(60)]
    before = {}
    for example in examples:
        before |= by_lemma(example.reference)
    tree = {t.lemma_: t.head.lemma_ for eg in examples for t in eg.reference}
    augmenter = NonceAugmenter(probability=0.0, subtree_probability=1e-9)
    for example in examples[:30]:
        list(augmenter(None, example))
    # Draw only subtrees of the first sentences, which are remembered first, and none of its own.
    monkeypatch.setattr(random, "choice", lambda known: known[random.randrange(3)])
    augmenter.subtree_probability = 0.3
    n_kept = n_lost = n_tops = 0
    for example in 3 * examples[30:]:
        (new,) = augmenter(None, example)
        after = by_lemma(new.reference)
        lemmas = {t.lemma_ for t in new.reference}
        own = {t.lemma_ for t in example.reference}
        for token in new.reference:
            found = after[token.lemma_]
            if tree[token.lemma_] == token.head.lemma_:
                was = before[token.lemma_]
                same = {head: p for head, p in found.items() if head in was}
                assert same.items() <= was.items()
                assert not (found.keys() - was.keys()) & own
                assert token.lemma_ in own or same == found
                n_lost += len(was) - len(found)
                n_kept += len(found)
                # Nothing is lost if no subtree has been exchanged.
                if token.lemma_ in own and lemmas == own:
                    assert found == was
            else:
                n_tops += any(
                    found == {k: v for k, v in before[o].items() if k in found} for o in own
                )
    assert n_kept > n_lost > 50 and n_tops > 30


def test_excerpts_keep_the_distributions():
    rng = random.Random(0)
    random.seed(0)
    vocab = Vocab()
    parts = [numbered(rng, vocab, n, 6) for n in range(10)]
    gold = Doc.from_docs([eg.reference for eg in parts], exclude=["user_data"])
    columns = zip(*(eg.reference.user_data[DISTRIBUTIONS_KEY] for eg in parts), strict=True)
    gold.user_data[DISTRIBUTIONS_KEY] = HeadDistributions(*map(np.concatenate, columns))
    whole = Example(Doc(vocab, [t.text for t in gold]), gold)
    for shuffle_probability in (0.0, 1.0):
        excerpts = list(ExcerptAugmenter(12, shuffle_probability)(None, whole))
        assert len(excerpts) > 2
        found = {}
        for excerpt in excerpts:
            found |= by_lemma(excerpt.reference)
        assert found == by_lemma(gold)
