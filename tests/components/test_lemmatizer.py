"""Tests of the lemmatizer: training, cache, annotation, saving and errors."""

import pickle
from itertools import product
from operator import eq
from unicodedata import normalize

import numpy as np
import pytest
import spacy
import srsly
import torch
from hypothesis import example, given
from hypothesis import strategies as st
from spacy.pipeline.edit_tree_lemmatizer import EditTreeLemmatizer
from spacy.strings import hash_string
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import load_config, load_model_from_config
from spacy.vocab import Vocab

from spacy_npparse.laboratory import config_path
from spacy_npparse.lemmas import lemmatize
from spacy_npparse.lemmas.symbols import Symbols
from spacy_npparse.word_forms import add_multiword_tokens

NAME = "character_lemmatizer"
TINY = {"model": {"char_width": 8, "tag_width": 8, "hidden_size": 16, "dropout": 0.0}}
# Form, UPOS, FEATS, lemma: plurals, a suppletive form, capitals, and two lemmas of one form.
STEMS = ["kat", "hund", "bok", "stol", "bord", "fisk", "penn", "lamp", "ring", "hatt"]
WORDS = [
    *((f"{stem}ar", "NOUN", "Number=Plur", stem) for stem in STEMS),
    *((stem, "NOUN", "Number=Sing", stem) for stem in STEMS),
    ("var", "VERB", "Tense=Past", "vara"),
    ("var", "PRON", "", "var"),
    ("Och", "CCONJ", "", "och"),
    (".", "PUNCT", "", "."),
]


def docs(nlp, words=WORDS, *, tags=True, lemmas=True):
    """Yield a Doc of the words without lemmas, and one with lemmas."""
    forms = [word[0] for word in words]
    columns = {"pos": [w[1] for w in words], "morphs": [w[2] for w in words]} if tags else {}
    yield Doc(nlp.vocab, forms, **columns)
    gold = {"lemmas": [word[3] for word in words]} if lemmas else {}
    yield Doc(nlp.vocab, forms, **columns, **gold)


def lemmas(doc):
    return [token.lemma_ for token in doc]


def spelled(nlp, *words):
    """Return the predicted lemmas of words, which are given as form, UPOS and FEATS."""
    forms, pos, morphs = zip(*words, strict=True)
    doc = Doc(nlp.vocab, list(forms), pos=list(pos), morphs=list(morphs))
    return lemmas(nlp(doc))


def train(words=WORDS, updates=60, config=TINY, **options):
    torch.manual_seed(0)
    nlp = spacy.blank("xx")
    nlp.add_pipe(NAME, config=config)
    examples = [Example(*docs(nlp, words, **options)) for _ in range(5)]
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.02
    losses = [nlp.update(examples, sgd=optimizer)[NAME] for _ in range(updates)]
    return nlp, losses


@pytest.fixture(scope="module")
def trained():
    return train()[0]


@pytest.fixture
def lemmatizer(trained):
    found = trained.get_pipe(NAME)
    yield found
    found.overwrite = False


def test_words_of_the_training_data(trained):
    doc, gold = docs(trained)
    assert lemmas(trained(doc)) == lemmas(gold)
    assert trained.evaluate([Example(next(docs(trained)), gold)])["lemma_acc"] == 1.0


def test_a_short_training_learns_to_spell():
    """Lemmas depend on the tags, too: the same form has another lemma as a noun than as a verb."""
    stems = ["".join(one) for one in product("bdfgkmp", "aou", ("k", "ll", "rt", "nd"))]
    noun, verb = ("NOUN", "Number=Plur"), ("VERB", "Tense=Pres")
    # No character of a stem distinguishes nouns from verbs.
    nouns = [stem for i, stem in enumerate(stems) if i % 5 in (0, 3)]
    known = [(f"{stem}ar", *noun, stem) for stem in nouns]
    known += [(f"{stem}ar", *verb, f"{stem}a") for stem in stems if stem not in nouns]
    nlp, losses = train(known, updates=60)
    assert sum(losses[-10:]) < 0.2 * sum(losses[:10])
    unknown = [(f"l{stem}ar", *noun) for stem in stems] + [(f"l{stem}ar", *verb) for stem in stems]
    right = [f"l{stem}" for stem in stems] + [f"l{stem}a" for stem in stems]
    assert sum(map(eq, spelled(nlp, *unknown), right)) > 0.9 * len(right)


def test_tags_tell_lemmas_apart(trained):
    assert spelled(trained, ("var", "VERB", "Tense=Past"), ("var", "PRON", "")) == ["vara", "var"]
    # For words with unseen tags, the known words with the most similar tags decide.
    assert spelled(trained, ("var", "VERB", "Mood=Ind"), ("och", "CCONJ", "")) == ["vara", "och"]


def test_lemmas_that_are_given_stay(trained, lemmatizer):
    doc, _ = docs(trained)
    doc[1].lemma_ = "other"
    assert lemmas(trained(doc))[:3] == ["kat", "other", "bok"]
    lemmatizer.overwrite = True
    assert lemmas(trained(doc))[:3] == ["kat", "hund", "bok"]


def test_predicting_changes_nothing(trained, lemmatizer):
    doc, _ = docs(trained)
    hashes = lemmatizer.predict([doc, Doc(trained.vocab), doc])
    assert [len(one) for one in hashes] == [len(doc), 0, len(doc)]
    assert lemmas(doc) == [""] * len(doc)
    assert trained.vocab.strings[int(hashes[2][0])] == "kat"


def test_docs_without_words(trained):
    assert [len(doc) for doc in trained.pipe([Doc(trained.vocab), Doc(trained.vocab)])] == [0, 0]
    nlp, _ = train(updates=1)
    empty = Doc(nlp.vocab)
    assert nlp.update([Example(empty, empty.copy())]) == {NAME: 0.0}


def test_words_of_multiword_tokens(trained):
    """French "aux" is read as "à" and "les", not as its slices "a" and "ux"."""
    words = [("va", "", "", "aller"), ("a", "", "", "à"), ("ux", "", "", "le")]
    nlp = spacy.blank("xx")
    nlp.add_pipe(NAME, config=TINY)
    made = list(docs(nlp, words, tags=False))
    for doc in made:
        add_multiword_tokens(doc, [(1, ("à", "les"))])
    nlp.initialize(lambda: [Example(*made)])
    assert lemmas(nlp(made[0])) == ["aller", "à", "le"]
    alone = nlp(Doc(nlp.vocab, ["les", "à"]))
    assert lemmas(alone) == ["le", "à"]


def test_gold_docs_without_multiword_tokens_have_those_of_the_predicted_docs():
    nlp = spacy.blank("xx")
    nlp.add_pipe(NAME, config=TINY)
    texts = ["va", "a", "ux"]
    predicted = Doc(nlp.vocab, texts, spaces=[True, False, False])
    add_multiword_tokens(predicted, [(1, ("à", "les"))])
    gold = {"words": texts, "spaces": [True, False, False], "lemmas": ["aller", "à", "le"]}
    example = Example.from_dict(predicted, gold)
    nlp.initialize(lambda: [example])
    nlp.update([Example.from_dict(predicted, gold)])
    found = nlp(Doc(nlp.vocab, ["les", "à", "ux"]))
    assert lemmas(found)[:2] == ["le", "à"]
    assert "ux" not in nlp.get_pipe(NAME).label_data["strings"]


def test_docs_of_other_vocabularies_name_the_remedy(trained):
    other = Doc(Vocab(), ["hund"])
    other.from_array(["TAG"], np.array([[hash_string("unheard")]], dtype=np.uint64))
    with pytest.raises(ValueError, match=r"Make Docs with nlp\.make_doc or with nlp\.vocab"):
        trained(other)


def test_treebanks_without_tags():
    nlp, _ = train(tags=False)
    doc = nlp(Doc(nlp.vocab, ["hundar", "takar", "."]))
    assert lemmas(doc) == ["hund", "tak", "."]


def test_pipelines_without_tagger(trained):
    """Words without tags are looked up by their forms."""
    doc = Doc(trained.vocab, ["hundar", "var", "."])
    # The shorter of two equally frequent lemmas is chosen.
    assert lemmas(trained(doc)) == ["hund", "var", "."]


def test_words_without_lemma_are_not_learnt():
    nlp = spacy.blank("xx")
    nlp.add_pipe(NAME, config=TINY)
    predicted, gold = docs(nlp)
    gold[0].lemma = 0
    optimizer = nlp.initialize(lambda: [Example(predicted, gold)])
    nlp.update([Example(predicted, gold)], sgd=optimizer)
    words = nlp.get_pipe(NAME).label_data["strings"]
    assert "katar" not in words and "hundar" in words


def test_new_words_are_learnt_by_updates():
    nlp, _ = train(updates=1)
    words = [("bar", "VERB", "Tense=Past", "bära"), ("var", "VERB", "Tense=Past", "other")]
    nlp.update([Example(*docs(nlp, words))])
    assert spelled(nlp, ("bar", "VERB", "Tense=Past"), ("var", "VERB", "Tense=Past")) == [
        "bära",
        "vara",
    ]


def test_the_most_frequent_lemma_of_a_new_treebank_wins():
    """*var* has another lemma than in the old treebank; the new word *det*, a wrong one once."""
    nlp, _ = train(updates=1)
    right = [("det", "PRON", "", "den"), ("var", "VERB", "Tense=Past", "var")]
    batch = [Example(*docs(nlp, right)) for _ in range(9)]
    batch.append(Example(*docs(nlp, [("det", "PRON", "", "de"), *right[1:]])))
    for _ in range(10):
        nlp.update(batch)
    assert spelled(nlp, *(word[:3] for word in right)) == ["den", "var"]


def test_what_cannot_be_spelled_is_the_form(trained):
    words = ["слова", "字", "\n", " ", "1" * 2000, "ar" * 1000, "x"]
    found = lemmas(trained(Doc(trained.vocab, words)))
    assert found[:-1] == words[:-1] and found[-1]


LETTERS = set("".join(word[0] + word[3] for word in WORDS))


@given(st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=8), st.integers(0, 99))
@example(["\N{CJK COMPATIBILITY IDEOGRAPH-F900}", "a\N{COMBINING DIAERESIS}r"], 0)
def test_no_letter_that_neither_training_data_nor_form_have(untrained, words, seed):
    """The weights are random."""
    component = untrained.get_pipe(NAME)
    torch.manual_seed(seed)
    net = component.model.shims[0].net
    for parameter in net.parameters():
        torch.nn.init.normal_(parameter)
    component.finish_update(None)
    doc = untrained(Doc(untrained.vocab, words))
    # Words are read with composed characters.
    composed = [normalize("NFC", word) for word in words]
    for word, lemma in zip(composed, lemmas(doc), strict=True):
        cases = {*word, *map(str.lower, word), *map(str.upper, word)}
        assert lemma and set(lemma) <= LETTERS | cases


@pytest.fixture(scope="module")
def untrained():
    return train(updates=0)[0]


def test_remembered_lemmas_are_those_that_are_not(trained, lemmatizer):
    forms = ["hundarar", "taket", "Katar", "ringar", "abc", "fiskar."]
    alone = []
    for form in forms:
        lemmatizer.finish_update(None)
        alone += lemmas(trained(Doc(trained.vocab, [form])))
    lemmatizer.finish_update(None)
    for _ in range(2):
        together = [lemmas(trained(Doc(trained.vocab, 2 * forms)))]
        assert together == [2 * alone]


def test_lemmas_are_remembered_in_memory_zones(trained):
    for _ in range(2):
        with trained.memory_zone():
            doc = trained(Doc(trained.vocab, ["zonar", "hundar"]))
            first = lemmas(doc)
    assert first[1] == "hund" and first[0]


def test_what_is_remembered_is_forgotten_with_the_weights(untrained):
    component = untrained.get_pipe(NAME)
    text = ["blommar", "klockar", "suppar"]
    before = lemmas(untrained(Doc(untrained.vocab, text)))
    net = component.model.shims[0].net
    names = [f"{name} {list(p.shape)}" for name, p in net.named_parameters()]
    other = {
        (component.model.shims[0].id, name): torch.zeros_like(p).flatten().numpy()
        for name, p in zip(names, net.parameters(), strict=True)
    }
    # If all weights are 0, the first edit is the best one: it copies each character.
    with untrained.use_params(other):
        assert lemmas(untrained(Doc(untrained.vocab, text))) == text
    assert lemmas(untrained(Doc(untrained.vocab, text))) == before


@pytest.mark.parametrize("how", ["bytes", "disk"])
def test_saving_and_loading(trained, tmp_path, how):
    if how == "disk":
        trained.to_disk(tmp_path)
        loaded = spacy.load(tmp_path)
        assert [path.name for path in (tmp_path / NAME).iterdir()] == ["model"]
    else:
        loaded = spacy.blank("xx")
        loaded.add_pipe(NAME)
        loaded.from_bytes(trained.to_bytes())
    words = [("hundar", "NOUN", "Number=Plur"), ("takar", "NOUN", "Number=Plur"), ("var", "", "")]
    assert spelled(loaded, *words) == spelled(trained, *words)
    one, two = (nlp.get_pipe(NAME) for nlp in (trained, loaded))
    assert one.label_data == two.label_data
    assert one.to_bytes(exclude=["vocab"]) == two.to_bytes(exclude=["vocab"])


def test_training_goes_on_after_loading(trained):
    nlp = spacy.blank("xx")
    nlp.add_pipe(NAME)
    nlp.from_bytes(trained.to_bytes())
    optimizer = nlp.resume_training()
    words = [(f"{stem}en", "NOUN", "Number=Sing", stem) for stem in STEMS]
    losses = [nlp.update([Example(*docs(nlp, words))], sgd=optimizer) for _ in range(2)]
    assert all(np.isfinite(loss[NAME]) for loss in losses)
    assert spelled(nlp, ("hunden", "NOUN", "Number=Sing")) == ["hund"]


def test_initialize_with_labels(trained):
    labels = srsly.json_loads(srsly.json_dumps(trained.get_pipe(NAME).label_data))
    nlp = spacy.blank("xx")
    component = nlp.add_pipe(NAME, config=TINY)
    component.initialize(lambda: [], nlp=nlp, labels=labels)
    assert component.label_data == labels
    assert spelled(nlp, ("hundar", "NOUN", "Number=Plur")) == ["hund"]


@pytest.mark.parametrize("damage", ["missing", "truncated", "empty"])
def test_damaged_files(trained, tmp_path, damage):
    trained.to_disk(tmp_path)
    path = tmp_path / NAME / "model"
    data = path.read_bytes()
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(data[: len(data) // 2] if damage == "truncated" else b"")
    with pytest.raises(ValueError, match=rf"Cannot load component '{NAME}' from .*Copy the whole"):
        spacy.load(tmp_path)


def damaged_lexicons(data):
    strings, words, symbols = data["strings"], data["words"], data["symbols"]
    yield {**data, "strings": [1, *strings[1:]]}
    yield {**data, "strings": strings[:3]}
    yield {**data, "words": words[:-1]}
    yield {**data, "words": [-1, *words[1:]]}
    yield {**data, "words": [1.0, *words[1:]]}
    yield {**data, "symbols": {**symbols, "edits": [["turn", ""]]}}
    yield {**data, "symbols": {**symbols, "edits": [["copy", 1]]}}
    yield {**data, "symbols": {**symbols, "edits": [["copy", "", ""]]}}
    yield {"strings": strings, "words": words}
    yield []


def test_damaged_lexicons(trained, tmp_path):
    other, _ = train(updates=0)
    component = other.get_pipe(NAME)
    for damaged in damaged_lexicons(component.label_data):
        component.model.attrs["lexicon"] = damaged
        other.to_disk(tmp_path)
        with pytest.raises(ValueError, match="Cannot load component"):
            spacy.load(tmp_path)
        with pytest.raises(ValueError, match=r"labels are malformed .* spacy init labels"):
            trained.get_pipe(NAME).initialize(lambda: [], labels=damaged)


def test_lexicons_beside_the_model(trained, tmp_path):
    """Lexicon files of earlier versions are read, unless the model has its own lexicon."""
    trained.to_disk(tmp_path)
    file, component = tmp_path / NAME / "lexicon", trained.get_pipe(NAME)
    file.write_bytes(b"damaged")
    assert spacy.load(tmp_path).get_pipe(NAME).label_data == component.label_data
    attrs = component.model.attrs
    lexicon = attrs.pop("lexicon")
    try:
        component.model.to_disk(tmp_path / NAME / "model")
    finally:
        attrs["lexicon"] = lexicon
    file.write_bytes(srsly.msgpack_dumps(component.label_data))
    assert spacy.load(tmp_path).get_pipe(NAME).label_data == component.label_data


def test_new_words_in_a_pipeline_that_it_was_sourced_into(trained):
    """The words are in the string store of the new pipeline only."""
    other = spacy.blank("xx")
    other.add_pipe(NAME, source=trained)
    new = ("Zebrar", "NOUN", "Number=Plur")
    assert spelled(other, new) == spelled(trained, new) != [""]


def test_docs_with_vocabularies_of_their_own():
    words = [("zzzar", "NOUN", "Case=New", "zzz"), ("qqqar", "NOUN", "Case=Other", "qqq")]
    references = [[*docs(spacy.blank("xx"), [word])][1] for word in words]
    nlp = spacy.blank("xx")
    nlp.add_pipe(NAME, config=TINY)
    nlp.initialize(
        lambda: [Example(nlp.make_doc(reference.text), reference) for reference in references]
    )
    together = [next(docs(spacy.blank("xx"), [word])) for word in words]
    for doc, reference in zip(nlp.pipe(together), references, strict=True):
        assert lemmas(doc) == lemmas(reference)


def test_capitals_are_read_in_lower_case(trained):
    words = [(form, "NOUN", "Number=Plur") for form in ("katarna", "zebrar", "hundar", "bilar")]
    lower = spelled(trained, *words)
    upper = [(form.upper(), *tags) for form, *tags in words]
    assert spelled(trained, *upper) == lower
    docs = [Doc(trained.vocab, [word[0]], pos=[word[1]], morphs=[word[2]]) for word in upper]
    empty = Doc(trained.vocab)
    found = list(trained.pipe([empty, *docs, empty]))
    assert [token.lemma_ for doc in found for token in doc] != lower


def test_pickling_after_use(trained):
    """Processes that are started by spawning get a pickled pipeline."""
    new = ("katarna", "NOUN", "Number=Plur")
    assert spelled(pickle.loads(pickle.dumps(trained)), new) == spelled(trained, new)
    pickle.dumps(trained)


def test_several_processes(trained):
    forms = [["hundar", "var"], ["takar"], [], ["слова"]]
    alone = [lemmas(trained(Doc(trained.vocab, words))) for words in forms]
    made = trained.pipe([Doc(trained.vocab, words) for words in forms], n_process=2, batch_size=1)
    assert list(map(lemmas, made)) == alone


def test_data_without_lemmas():
    nlp = spacy.blank("xx")
    nlp.add_pipe(NAME)
    examples = [Example(*docs(nlp, lemmas=False))]
    with pytest.raises(ValueError, match=f"{NAME}: the training data has no lemmas. Give data"):
        nlp.initialize(lambda: examples)


def test_components_that_are_not_trained():
    nlp = spacy.blank("xx")
    nlp.add_pipe(NAME)
    with pytest.raises(ValueError, match=f"{NAME} has not been trained: call nlp.initialize"):
        nlp("a")
    with pytest.raises(ValueError, match=f"{NAME} has not been trained: call nlp.initialize"):
        nlp.update([Example(*docs(nlp))])


def test_another_thread_may_empty_the_cache(trained, monkeypatch):
    component = trained.get_pipe(NAME)
    texts = [doc.text for doc in docs(trained)]
    expected = [[token.lemma_ for token in trained(text)] for text in texts]

    def lemmatize_meanwhile(*arguments):
        next(component.use_params({}))
        return lemmatize(*arguments)

    monkeypatch.setattr("spacy_npparse.components.lemmatizer.lemmatize", lemmatize_meanwhile)
    for text, lemmas in zip(texts, expected, strict=True):
        # The first word is in the cache, the others are not.
        next(component.use_params({}))
        trained(text.split()[0])
        assert [token.lemma_ for token in trained(text)] == lemmas


def test_lemmas_have_no_outer_or_double_spaces(trained, monkeypatch):
    monkeypatch.setattr(Symbols, "spell", lambda self, forms, edits: ["  x  y " for _ in forms])
    next(trained.get_pipe(NAME).use_params({}))
    assert trained("aabbaabb")[0].lemma_ == "x y"


@pytest.mark.parametrize(
    "config, message",
    [
        ({"overwrite": 1}, "overwrite"),
        ({"model": {"hidden_size": 0}}, "Speller.v1: hidden_size is 0, but must be 1 or more"),
        ({"model": {"dropout": 1.0}}, r"Speller.v1: dropout is 1.0, but must be in \[0, 1\)"),
    ],
)
def test_wrong_settings(config, message):
    with pytest.raises(ValueError, match=message):
        spacy.blank("xx").add_pipe(NAME, config=config)


def test_learning_rates_for_transformers_are_raised():
    """Adam's first step changes a weight by the learning rate. The optimizer keeps its own rate."""
    for rate, expected in ((0.0, 0.0), (0.00001, 0.001), (0.002, 0.002)):
        nlp = spacy.blank("xx")
        component = nlp.add_pipe(NAME, config=TINY)
        example = Example(*docs(nlp))
        optimizer = nlp.initialize(lambda example=example: [example])
        optimizer.learn_rate = rate
        bias = component.model.shims[0].net.output.bias
        before = bias.detach().clone()
        nlp.update([example], sgd=optimizer)
        assert optimizer.learn_rate == rate
        assert (bias - before).abs().max().item() == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("name", ["accuracy", "fast"])
def test_one_setting_exchanges_the_lemmatizer(name):
    overrides = {"components.lemmatizer.factory": "trainable_lemmatizer", "paths.train": "a"}
    config = load_config(config_path(name), overrides=overrides)
    nlp = load_model_from_config(config, auto_fill=True)
    assert isinstance(nlp.get_pipe("lemmatizer"), EditTreeLemmatizer)
    assert nlp.pipe_names == ["tok2vec", "tagger", "morphologizer", "lemmatizer", "parser"]
