"""Rules that split multiword tokens, and the choice of a rule."""

import os
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.vocab import Vocab

from spacy_npparse.tokenization.multiword import MultiwordSplitter
from spacy_npparse.tokenization.multiword_scores import RuleScores, Vocabulary
from spacy_npparse.tokenization.rules import Rule, choose_rules, lowered
from spacy_npparse.treebank import (
    docs_from_conllu,
    raw_texts,
    read_conllu,
    sentences_from_doc,
)
from spacy_npparse.treebank.docs import CONLLU_KEY

UD = os.environ.get("SPACY_NPPARSE_UD")
FILES = [
    path
    for name in ("French-Sequoia", "Turkish-IMST")
    for path in sorted(Path(UD or "").glob(f"*/UD_{name}/*.conllu"))
]


WORD = st.text("ab", min_size=1, max_size=4)


def suffix(removed, ending, *after):
    return Rule("", removed, (), "", ending, after)


def prefix(removed, beginning, *before):
    return Rule(removed, "", before, beginning, "", ())


@pytest.mark.parametrize(
    "form, words, rule",
    [
        ("du", ("de", "le"), suffix("u", "e", "le")),
        ("Au", ("À", "le"), suffix("au", "à", "le")),
        ("À", ("A", "a"), suffix("à", "a", "a")),
        ("DES", ("DE", "LES"), suffix("s", "", "les")),
        ("evdeki", ("evde", "ki"), suffix("ki", "", "ki")),
        ("CHP'li", ("CHP", "'li"), suffix("'li", "", "'li")),
        ("dámelo", ("da", "me", "lo"), suffix("ámelo", "a", "me", "lo")),
        ("İşteki", ("İşte", "ki"), suffix("ki", "", "ki")),
    ],
)
def test_rules_and_their_inverse(form, words, rule):
    """A token without similar tokens is split by a suffix rule."""
    assert choose_rules([(form, words)]) == {lowered((form, words)): rule}
    assert rule.split(form) == words


BE_HA = prefix("ba", "", "be", "ha")
LI_AL = prefix("li", "a", "li")
WA_HU = Rule("wa", "hu", ("wa",), "", "", ("hu",))


@pytest.mark.parametrize(
    "words, rule",
    [
        ({"habayit": ("ha", "bayit"), "HaIsh": ("Ha", "Ish")}, prefix("ha", "", "ha")),
        ({"babayit": ("be", "ha", "bayit"), "baish": ("be", "ha", "ish")}, BE_HA),
        ({"lilkitab": ("li", "alkitab"), "Lilbayt": ("Li", "albayt")}, LI_AL),
        ({"wabaytuhu": ("wa", "baytu", "hu"), "WAKITABUHU": ("WA", "KITABU", "HU")}, WA_HU),
    ],
)
def test_the_rule_that_splits_most_tokens(words, rule):
    assert choose_rules(words.items()) == {lowered(item): rule for item in words.items()}
    assert all(rule.split(form) == split for form, split in words.items())


TOKENS = st.lists(st.tuples(WORD, st.lists(WORD, min_size=2, max_size=4).map(tuple)))


@given(tokens=TOKENS)
def test_a_rule_splits_its_token(tokens):
    for (form, words), rule in choose_rules(tokens).items():
        assert form.startswith(rule.prefix) and form.endswith(rule.suffix)
        assert len(rule.prefix) + len(rule.suffix) <= len(form)
        assert rule.split(form) == words


LOCATIVES = {f"{word}ki": (word, "ki") for word in ("evde", "okulda", "suda", "yolda")}


def trained():
    words = {"du": ("de", "le"), "des": ("de", "les"), **LOCATIVES}
    texts = ["le bord des rues", "il voit des rues", "du bord", "odada", *LOCATIVES]
    texts = [*texts, *(first for first, _ in LOCATIVES.values())] * 5

    def tokens(text):
        """Treat "des" as a multiword token unless it follows "voit"."""
        forms = text.split()
        return [(f, words.get(f, ()) if (f, a) != ("des", "voit") else ())
                for f, a in zip(forms, ["", *forms], strict=False)]  # fmt: skip

    return MultiwordSplitter.train([tokens(text) for text in texts])


def test_context_decides_and_new_words_are_split():
    splitter = trained()
    assert splitter(["le", "bord", "des", "rues"]) == {2: ("de", "les")}
    assert splitter(["il", "voit", "des", "rues"]) == {}
    assert splitter(["Du", "odadaki"]) == {0: ("De", "le"), 1: ("odada", "ki")}
    assert splitter([]) == {}


def test_unknown_words_with_known_prefixes_are_split():
    nouns = ["bayit", "ish", "sefer", "yeled", "melech", "derech", "gan", "shir"]
    tokens = [(f"ha{noun}", ("ha", noun)) for noun in nouns] + [(noun, ()) for noun in nouns]
    whole = [(form, ()) for form in ("hayom", "halach", "har", "hayom", "halach", "har")]
    splitter = MultiwordSplitter.train([[token] for token in tokens + whole])
    assert splitter(["haish", "Hakol", "halach", "ish"]) == {0: ("ha", "ish"), 1: ("Ha", "kol")}
    assert MultiwordSplitter.from_dict(splitter.to_dict())(["hakol"]) == {0: ("ha", "kol")}


def test_beginnings_decide_on_prefixes():
    """Even if the rest of a token is unknown, "ha" is a word before b, and not before y."""
    ends = ["at", "ol", "un", "ir", "esh", "od"]
    split = [(f"hab{end}", ("ha", f"b{end}")) for end in ends]
    whole = [(f"hay{end}", ()) for end in ends]
    splitter = MultiwordSplitter.train([[token] for token in [*split, *whole]])
    assert splitter(["haburk"]) == {0: ("ha", "burk")}
    assert splitter(["hayurk"]) == {}


def test_that_a_token_is_in_the_treebank_is_not_learnt_from_itself():
    """Most words in -ki that occur only once are not split."""
    whole = ["baki", "feki", "goki", "huki", "joki", "kyki", "laki", "muki", "noki", "peki"]
    tokens = [(form, ()) for form in whole] + [(f"{w}ki", (w, "ki")) for w in ("ta", "vu", "wi")]
    splitter = MultiwordSplitter.train([[token] for token in tokens])
    assert splitter(["zeki"]) == {}


@given(others=st.lists(WORD), seen=st.lists(WORD, max_size=3), form=WORD)
def test_the_vocabulary_without_one_token_is_that_of_all_others(others, seen, form):
    vocabulary = Vocabulary(dict(Counter([*others, *seen])))
    assert vocabulary.known(form, seen) == min(others.count(form), 2)
    beginning = {word for word in others if word.startswith(form)}
    assert vocabulary.n_beginning(form, seen) == min(len(beginning), 4)


def fits(rule, form):
    n_affixes = len(rule.prefix) + len(rule.suffix)
    has_affixes = form.startswith(rule.prefix) and form.endswith(rule.suffix)
    return has_affixes and n_affixes <= len(form) and rule.stem(form)


AFFIX = st.text("ab", max_size=3)
RULES = st.lists(st.builds(Rule, AFFIX, AFFIX, st.just(("x",)), AFFIX, AFFIX, st.just(())))


@given(data=st.data(), rules=RULES, words=st.lists(WORD), form=st.text("abAB", max_size=9))
def test_scores_are_sums_of_weights(data, rules, words, form):
    """The best of the rules that fit has the highest sum of weights, if this is positive."""
    before, after = data.draw(st.tuples(AFFIX, AFFIX))
    vocabulary = Vocabulary(dict(Counter(words)))
    unweighted = RuleScores(rules, vocabulary, [{}] * (len(rules) + 1))
    low = form.lower()
    fitting = [(number, rule.stem(low)) for number, rule in enumerate(rules) if fits(rule, low)]
    assert sorted(unweighted.fitting(low)) == fitting
    names = {
        number: unweighted.features(number, stem, form, [], before, after)
        for number, stem in fitting
    }
    known = st.sampled_from(["", *{name for found in names.values() for name in found}])
    weights = data.draw(
        st.lists(
            st.dictionaries(known, st.integers(-9, 9)),
            min_size=len(rules) + 1,
            max_size=len(rules) + 1,
        )
    )
    weights[0].pop("", None)
    scores = RuleScores(rules, vocabulary, weights)
    expected = {
        number: weights[number + 1].get("", 0)
        + sum(weights[0].get(name, 0) + weights[number + 1].get(name, 0) for name in found)
        for number, found in names.items()
    }
    highest = max(expected.values(), default=0)
    best = scores.best(scores.candidates(form), before, after)
    assert (best is None) == (highest <= 0)
    assert best is None or expected[best] == highest


def test_rules_for_the_same_word_are_learnt_together():
    """With vowel harmony, -lük is a form of -lak, so the same contexts decide on both."""
    split = {f"{stem}{v}l{v}k": (f"{stem}{v}", f"l{v}k") for v in "aeiou" for stem in ("kr", "st")}
    before_bang = [[(form, words), ("!", ())] for form, words in split.items()]
    before_dot = [[(form, ()), (".", ())] for form in split]
    once = [[("grülük", ("grü", "lük"))]]
    splitter = MultiwordSplitter.train([*before_bang * 3, *before_dot * 3, *once])
    assert splitter(["trülük", "!"]) == {0: ("trü", "lük")}
    assert splitter(["trülük", "."]) == {}


def test_an_affix_alone_is_a_word():
    tokens = [("evdeki", ("evde", "ki")), ("habayit", ("ha", "bayit")), ("haish", ("ha", "ish"))]
    splitter = MultiwordSplitter.train([[token] for token in [*tokens, ("okulda", ()), *tokens]])
    assert splitter(["ki", "Ha"]) == {}


def test_saved_and_loaded():
    splitter = trained()
    data = splitter.to_dict()
    assert MultiwordSplitter.from_dict(data).to_dict() == data
    forms = ["le", "bord", "des", "odadaki"]
    assert MultiwordSplitter.from_dict(data)(forms) == splitter(forms) != {}


def test_weights_of_version_0_2():
    splitter = trained()
    data = splitter.to_dict()
    shared, *of_rules = data["weights"]
    weights = {f"{n} {name}": w for n, one in enumerate(of_rules) for name, w in one.items()}
    old = MultiwordSplitter.from_dict({**data, "weights": {**shared, **weights}})
    assert old.to_dict() == data


def test_a_treebank_without_multiword_tokens():
    splitter = MultiwordSplitter.train([[("du", ()), ("bord", ())]])
    assert splitter.to_dict() == {"rules": [], "vocabulary": {}, "weights": [{}]}
    assert splitter(["du", "bord"]) == {}


@pytest.mark.skipif(not UD, reason="SPACY_NPPARSE_UD names no folder with UD treebanks")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_treebanks(path):
    """Rules split all multiword tokens into their words. A Doc without its CoNLL-U is written with
    the same ranges, forms and text."""
    for sentence in read_conllu(path):
        for first, last, row in sentence.multiword_tokens:
            words = tuple(word.form for word in sentence.words[first - 1 : last])
            [rule] = choose_rules([(row.form, words)]).values()
            found = rule.split(row.form)
            assert [word.casefold() for word in found] == [word.casefold() for word in words]
    for doc in docs_from_conllu(path, Vocab(), sentences_per_doc=1):
        [gold] = [block.split("\n") for block in doc.user_data.pop(CONLLU_KEY)]
        [written] = sentences_from_doc(doc)
        rows = [
            line.split("\t")[:2]
            for line in gold
            if line[0] != "#" and "." not in line.split("\t")[0]
        ]
        assert [[row.id, row.form] for row in written.rows] == rows
        assert doc.text.strip() == "".join(raw_texts([written])).strip()
