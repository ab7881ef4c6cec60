"""Nonce augmentation, which exchanges words and subtrees of the same kind, and excerpts of whole
sentences."""

import random
from collections import defaultdict
from copy import deepcopy
from pathlib import Path

import pytest
from spacy.tokens import Doc, Span
from spacy.training.batchers import configure_minibatch
from spacy.training.example import Example
from spacy.util import registry
from spacy.vocab import Vocab

from spacy_npparse.treebank import docs_from_conllu, word_forms
from spacy_npparse.treebank.augmentation import ExcerptAugmenter, NonceAugmenter, augmenting_batcher
from spacy_npparse.treebank.docs import CONLLU_KEY
from spacy_npparse.word_forms import add_multiword_tokens

SAMPLE = Path(__file__).parents[2] / "assets" / "sample_treebank" / "sample-ud-dev.conllu"
CONTENT = {"ADJ", "ADV", "INTJ", "NOUN", "NUM", "PROPN", "VERB"}


@pytest.fixture(scope="module")
def examples():
    vocab = Vocab()
    pairs = zip(docs_from_conllu(SAMPLE, vocab), docs_from_conllu(SAMPLE, vocab), strict=True)
    return [Example(predicted, reference) for predicted, reference in pairs]


def annotation(example):
    return example.reference.to_array(["POS", "MORPH", "HEAD", "DEP", "SENT_START"]).tolist()


def test_trees_stay_and_words_are_exchanged_for_words_of_their_kind(examples):
    random.seed(0)
    augmenter = NonceAugmenter(probability=0.5)
    kinds = defaultdict(set)
    for example in examples:
        for token in example.reference:
            kinds[token.pos_, str(token.morph), token.dep_].add(token._.form)
    exchanged = content = 0
    for example in examples:
        (new,) = augmenter(None, example)
        assert annotation(new) == annotation(example)
        assert [t.text for t in new.predicted] == [t.text for t in new.reference]
        for old_token, token in zip(example.reference, new.reference, strict=True):
            assert token._.form in kinds[token.pos_, str(token.morph), token.dep_]
            exchanged += token._.form != old_token._.form
            content += token.pos_ in CONTENT
            if token.pos_ not in CONTENT:
                assert token._.form == old_token._.form
    assert 0.2 < exchanged / content < 0.5


def test_what_belongs_to_a_word_comes_with_it():
    vocab = Vocab()
    augmenter = NonceAugmenter(probability=1.0)
    seen = set()
    for word in 20 * ["cat", "dog"]:
        example = tree(vocab, [word, "runs"], [1, 1], ["nsubj", "ROOT"])
        noun = example.reference[0]
        noun.lemma_, noun.tag_ = word.upper(), f"tag of {word}"
        (new,) = augmenter(None, example)
        noun = new.reference[0]
        assert (noun.lemma_, noun.tag_) == (noun.text.upper(), f"tag of {noun.text}")
        seen.add((word, noun.text))
    assert len(seen) == 4


def facts(example):
    """Yield the annotation of each word, and the kinds of head and dependent and their order."""
    for token in example.reference:
        kind, head = ((t.pos_, str(t.morph), t.dep_) for t in (token, token.head))
        yield token.text, token.lemma_, token.tag_, kind
        yield kind, head, token.i < token.head.i


def test_subtrees_are_exchanged_for_subtrees_of_their_kind(examples):
    random.seed(0)
    augmenter = NonceAugmenter(probability=0.0, subtree_probability=0.3)
    known = {fact for example in examples for fact in facts(example)}
    longer = shorter = 0
    for example in 3 * examples:
        (new,) = augmenter(None, example)
        assert set(facts(new)) <= known
        assert [t.text for t in new.predicted] == [t.text for t in new.reference]
        for name in ("predicted", "reference"):
            old_doc, doc = getattr(example, name), getattr(new, name)
            assert len(list(doc.sents)) == len(list(old_doc.sents))
        starts = [doc.to_array("SENT_START").tolist() for doc in (new.predicted, new.reference)]
        assert starts[0] == starts[1]
        roots = [[t.text for t in eg.reference if t.head is t] for eg in (example, new)]
        assert roots[0] == roots[1]
        longer += len(new.reference) > len(example.reference)
        shorter += len(new.reference) < len(example.reference)
    assert longer > len(examples) / 4
    assert shorter > len(examples) / 4


def tree(vocab, words, heads, deps, pos="NOUN", spaces=None):
    predicted = Doc(vocab, words=words, spaces=spaces)
    tags = [pos] * len(words)
    reference = Doc(vocab, words=words, spaces=spaces, heads=heads, deps=deps, pos=tags)
    return Example(predicted, reference)


def exchanged(first, second):
    """Return the texts that result if the second example gets subtrees of the first one."""
    random.seed(0)
    augmenter = NonceAugmenter(probability=0.0, subtree_probability=1.0)
    list(augmenter(None, first))
    new = [next(augmenter(None, second)) for _ in range(20)]
    return {example.reference.text.strip() for example in new}


def test_large_subtrees_are_exchanged_before_small_ones():
    vocab = Vocab()
    leaf = tree(vocab, ["new", "root"], [1, 1], ["obj", "ROOT"])
    nested = tree(vocab, ["x", "x", "top", "r"], [1, 2, 3, 3], ["nmod", "nmod", "obj", "ROOT"])
    assert exchanged(leaf, nested) == {"x x top r", "new r"}


def test_spaces_stay_where_they_are():
    vocab = Vocab()
    leaf = tree(vocab, ["new", "root"], [1, 1], ["obj", "ROOT"])
    pair = tree(
        vocab, ["a", "b", "r"], [2, 2, 2], ["obj", "obj", "ROOT"], spaces=[True, False, True]
    )
    results = exchanged(leaf, pair)
    assert {"a ar", "a br", "b ar", "b br"} <= results
    assert all(text[-1] == "r" and text.count(" ") == 1 for text in results)


def test_subtrees_of_function_words_with_gaps_and_long_ones_are_left_alone():
    vocab = Vocab()
    leaf = tree(vocab, ["new", "root"], [1, 1], ["obj", "ROOT"])
    words = [tree(vocab, [word, "r"], [1, 1], ["obj", "ROOT"], pos="PRON") for word in "ab"]
    assert exchanged(*words) == {"b r"}
    # The subtree of a, below c, is a and d.
    gap = tree(vocab, list("abcd"), [2, 2, 2, 0], ["obj", "nsubj", "ROOT", "nmod"])
    assert exchanged(leaf, gap) == {"a b c d"}
    assert "r new" in exchanged(leaf, chain(vocab, 12))
    assert all(text.startswith("r x") for text in exchanged(leaf, chain(vocab, 13)))


def chain(vocab, length):
    """Make a tree whose root has a subtree of so many words, each attached to the previous one."""
    words = ["r", *"x" * length]
    return tree(vocab, words, [0, *range(length)], ["ROOT", "obj", *["nmod"] * (length - 1)])


@pytest.mark.parametrize("memory", ["words", "subtrees"])
def test_memory_is_bounded_and_refreshed(memory):
    random.seed(0)
    vocab = Vocab()
    augmenter = NonceAugmenter(probability=0.0, subtree_probability=1e-9)
    for number in range(1000):
        list(augmenter(None, tree(vocab, [str(number), "r"], [1, 1], ["obj", "ROOT"])))
    augmenter.probability, augmenter.subtree_probability = 1.0, 0.0
    if memory == "subtrees":
        augmenter.probability, augmenter.subtree_probability = 0.0, 1.0
    new = tree(vocab, ["x", "r"], [1, 1], ["obj", "ROOT"])
    remembered = set()
    for _ in range(100):
        # Each call also remembers the new example, in place of an earlier one.
        again = deepcopy(augmenter)
        for _ in range(30):
            remembered |= {token.text for eg in again(None, new) for token in eg.reference[:1]}
    assert len(remembered - {"x"}) == 200
    assert sum(int(form) >= 800 for form in remembered - {"x"}) > 20


def test_probability_zero_changes_nothing(examples):
    augmenter = NonceAugmenter(probability=0.0)
    assert all(next(augmenter(None, example)) is example for example in examples)


def test_examples_with_other_tokens_or_more_annotation_are_left_alone(examples, caplog):
    augmenter = NonceAugmenter(probability=1.0, subtree_probability=1.0)
    others = [Example(examples[0].predicted, examples[1].reference)]
    for _ in range(4):
        vocab = Vocab()
        others.append(tree(vocab, ["a", "b"], [1, 1], ["obj", "ROOT"]))
    # Neither word is an entity.
    others[4].reference.set_ents([], default="outside")
    others[1].reference.set_ents([Span(others[1].reference, 0, 1, "X")])
    others[2].reference.cats = {"X": 1.0}
    others[3].reference.spans["x"] = [others[3].reference[:1]]
    list(augmenter(None, tree(vocab, ["c", "d"], [1, 1], ["obj", "ROOT"])))
    assert not caplog.messages
    assert all(next(augmenter(None, other)) is other for other in others)
    assert len(caplog.messages) == 1 and "entities" in caplog.messages[0]


def test_sentences_with_multiword_tokens_are_augmented(examples, caplog):
    random.seed(0)
    augmenter = NonceAugmenter(probability=1.0, subtree_probability=0.5)
    multiword = [eg for eg in examples if eg.reference._.multiword_tokens]
    kept = sum(next(augmenter(None, eg)) is eg for _ in range(3) for eg in multiword)
    assert len(multiword) > 10 and kept < len(multiword)
    assert not caplog.messages


def multiword_example(vocab, noun):
    """Return *du* (de le) NOUN *verbela* (verbe la), without spaces inside of multiword tokens."""
    texts = ["d", "u", noun, "verbe", "la"]
    spaces = [False, True, True, False, True]
    made = tree(vocab, texts, [2, 2, 3, 3, 3], ["case", "det", "obl", "ROOT", "obj"], spaces=spaces)
    for doc in (made.predicted, made.reference):
        for token, pos in zip(doc, ["ADP", "DET", "NOUN", "VERB", "PRON"], strict=True):
            token.pos_ = pos
        add_multiword_tokens(doc, [(0, ("de", "le")), (3, ("verbe", "la"))])
    return made


def test_multiword_tokens_stay_unless_one_of_their_words_is_replaced():
    random.seed(0)
    vocab = Vocab()
    augmenter = NonceAugmenter(probability=1.0)
    verb = tree(vocab, ["mange"], [0], ["ROOT"], pos="VERB")
    list(augmenter(None, verb))
    found = set()
    for noun in 10 * ["chat", "chien"]:
        (new,) = augmenter(None, multiword_example(vocab, noun))
        for doc in (new.predicted, new.reference):
            assert word_forms(doc)[:2] == ["de", "le"] and word_forms(doc)[4] == "la"
            found.add((doc.text, *(span.text for span in doc._.multiword_tokens)))
    assert {"du", "du verbela"} == {" ".join(noted) for _, *noted in found}
    assert any(text.endswith("mangela ") for text, *_ in found)
    (excerpt,) = ExcerptAugmenter(9)(None, multiword_example(vocab, "chat"))
    assert excerpt.predicted.text == excerpt.reference.text == "du chat verbela "
    assert word_forms(excerpt.predicted) == ["de", "le", "chat", "verbe", "la"]


@pytest.mark.parametrize("part", ["predicted", "reference"])
@pytest.mark.parametrize("key", ["mine", ("._.", "mine", None, None)])
def test_examples_with_user_data_are_left_alone(part, key, caplog):
    augmenter = ExcerptAugmenter(1)
    other = tree(Vocab(), ["a", "b"], [1, 1], ["obj", "ROOT"])
    getattr(other, part).user_data[key] = 1
    assert next(augmenter(None, other)) is other
    assert "user data" in caplog.text


def test_cycles_are_refused():
    """Walks along the heads of a cycle would never end."""
    example = tree(Vocab(), ["x", "y", "z"], [1, 0, 2], ["obj", "obj", "ROOT"])
    with pytest.raises(ValueError, match="cycle, among: 'x', 'y'"):
        next(NonceAugmenter(subtree_probability=0.5)(None, example))


@pytest.mark.parametrize("name", ["probability", "subtree_probability"])
@pytest.mark.parametrize("value", [-0.5, 1.5])
def test_probabilities_are_checked(name, value):
    with pytest.raises(ValueError, match=rf"v1: {name} is {value}, but must be"):
        NonceAugmenter(**{name: value})


def test_the_batcher_draws_anew_in_every_epoch(examples):
    random.seed(0)
    make_augmenter = registry.augmenters.get("spacy_npparse.nonce_augmenter.v1")
    batcher = augmenting_batcher(configure_minibatch(16), make_augmenter(probability=0.5))
    epochs = [[eg.reference.text for batch in batcher(examples) for eg in batch] for _ in range(3)]
    assert len(epochs[0]) == len(examples)
    assert epochs[1] != epochs[2]


def test_excerpts_are_all_sentences_in_order_cut_anew_in_each_epoch():
    random.seed(0)
    vocab = Vocab()
    docs = [list(docs_from_conllu(SAMPLE, vocab, sentences_per_doc=0)) for _ in range(2)]
    (example, *_) = [Example(*pair) for pair in zip(*docs, strict=True)]
    longest = max(len(sent) for sent in example.reference.sents)
    epochs = [list(ExcerptAugmenter(max_words=30)(None, example)) for _ in range(2)]
    sizes = [[len(excerpt.reference) for excerpt in epoch] for epoch in epochs]
    assert sizes[0] != sizes[1] and max(*sizes[0], *sizes[1]) < 30 + longest
    assert any(len(list(excerpt.reference.sents)) > 1 for excerpt in epochs[0])
    assert any(len(list(excerpt.reference.sents)) == 1 for excerpt in epochs[0])
    for epoch in epochs:
        joined = [row for excerpt in epoch for row in annotation(excerpt)]
        assert joined == annotation(example)
        words = [token._.form for excerpt in epoch for token in excerpt.predicted]
        assert words == [token._.form for token in example.predicted]


def test_excerpts_of_one_word_are_single_sentences(examples):
    for example in examples[:5]:
        (excerpt,) = ExcerptAugmenter(max_words=1)(None, example)
        assert annotation(excerpt) == annotation(example)
    with pytest.raises(ValueError, match="max_words is 0, but must be 1 or more"):
        ExcerptAugmenter(max_words=0)


def sentences_of(doc):
    return sorted(
        tuple((t._.form, t.tag_, t.head.i - s.start, t.dep_, t.is_sent_start) for t in s)
        for s in doc.sents
    )


def test_shuffled_sentences_keep_their_trees(examples):
    random.seed(0)
    docs = [eg.reference for eg in examples[:12]]
    for doc in docs:
        # `Doc.from_docs` cannot join this user data.
        doc.user_data.pop(CONLLU_KEY)
    reference = Doc.from_docs(docs)
    predicted = Doc(reference.vocab, word_forms(reference), [t.whitespace_ for t in reference])
    example = Example(predicted, reference)
    orders = set()
    for _ in range(4):
        excerpts = list(ExcerptAugmenter(30, shuffle_probability=1.0)(None, example))
        shuffled = Doc.from_docs([excerpt.reference for excerpt in excerpts])
        orders.add(shuffled.text)
        assert sentences_of(shuffled) == sentences_of(reference)
        # Excerpts have no given sentence starts, because the predicted Doc has none.
        for excerpt in excerpts:
            assert [t.is_sent_start for t in excerpt.predicted[1:]] == [None] * (
                len(excerpt.predicted) - 1
            )
    assert len(orders) == 4


def test_nothing_is_shuffled_by_default_or_where_there_is_one_sentence(examples):
    for example in examples[:5]:
        (excerpt,) = ExcerptAugmenter(1, shuffle_probability=1.0)(None, example)
        assert annotation(excerpt) == annotation(example)
    assert ExcerptAugmenter(1).shuffle_probability == 0.0
    with pytest.raises(ValueError, match="shuffle_probability is 2.0, but must be"):
        ExcerptAugmenter(1, shuffle_probability=2.0)


@pytest.mark.parametrize("shuffle_probability", [0.0, 1.0])
def test_excerpts_cut_no_arc_where_heads_are_missing(shuffle_probability):
    """spaCy derives wrong sentence starts from the heads if some heads are missing."""
    vocab = Vocab()
    words = ["viel", "kostet", "das", "Haus", "steht", "dort"]
    heads, deps = [None, 1, 0, 4, 4, 4], ["", "ROOT", "obj", "nsubj", "ROOT", "advmod"]
    doc = Doc(vocab, words=words, heads=heads, deps=deps)
    assert [token.is_sent_start for token in doc][1:3] != [False, False]
    random.seed(0)
    augmenter = ExcerptAugmenter(2, shuffle_probability=shuffle_probability)
    for _ in range(20):
        arcs = [
            (token.text, token.head.text)
            for new in augmenter(None, Example(Doc(vocab, words=words), doc))
            for token in new.reference
            if token.head.i != token.i
        ]
        assert sorted(arcs) == [
            ("Haus", "steht"),
            ("das", "viel"),
            ("dort", "steht"),
        ]
