"""The scores of the CoNLL 2018 shared task.

Punctuation counts, and subtypes of relations do not. Tokens and Sentences are F1 over spans, ELAS
over enhanced arcs, and all others F1 over aligned words, which equals accuracy under gold tokens.
UAS ignores words without a gold head on both sides. LAS, CLAS, MLAS and BLEX also ignore words
without a gold relation. Complete treebanks have neither.

Source: Zeman et al. (2018), CoNLL 2018 Shared Task: Multilingual Parsing from Raw Text to
Universal Dependencies, section 5.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from functools import lru_cache

from spacy_npparse.evaluation.analysis import Analysis, Span
from spacy_npparse.evaluation.attachment import Comparison, Score
from spacy_npparse.evaluation.enhanced import enhanced_score
from spacy_npparse.evaluation.gold_sentences import comparisons_of_sentences
from spacy_npparse.evaluation.metrics import Metric
from spacy_npparse.treebank.sentence import EMPTY
from spacy_npparse.trees.missing import NO_HEAD

CONTENT_RELATIONS = frozenset(
    "nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod discourse nmod "
    "appos nummod acl amod conj fixed flat compound list parataxis orphan goeswith reparandum "
    "root dep".split()
)
FUNCTIONAL_RELATIONS = frozenset("aux cop mark det clf case cc".split())
UNIVERSAL_FEATURES = frozenset(
    "PronType NumType Poss Reflex Foreign Abbr Gender Animacy Number Case Definite Degree "
    "VerbForm Mood Tense Aspect Voice Evident Polarity Person Polite".split()
)

# The columns, by their names in `Analysis`, of which a score needs at least one.
_COLUMNS = {
    Metric.UPOS: ("upos",),
    Metric.XPOS: ("xpos",),
    Metric.UFEATS: ("feats",),
    Metric.ALL_TAGS: ("upos", "xpos", "feats"),
    Metric.LEMMAS: ("lemmas",),
    Metric.MLAS: ("upos", "feats"),
    Metric.BLEX: ("lemmas",),
    Metric.ELAS: ("deps",),
}


def official_scores(comparison: Comparison) -> dict[Metric, Score]:
    """Compute the official scores, from Tokens to ELAS.

    Args:
        comparison: The predicted analysis and the gold one.
    """
    gold, system = comparison.gold, comparison.system
    n_words = len(comparison.system_words)
    pairs = [(g, s) for g, s in enumerate(comparison.aligned) if s is not None]

    def equal(of_gold: Sequence[object], of_system: Sequence[object]) -> set[int]:
        return {g for g, s in pairs if of_gold[g] == of_system[s]}

    upos = equal(gold.upos, system.upos)
    xpos = equal(gold.xpos, system.xpos)
    feats = equal(*([_universal_features(f) for f in a.feats] for a in (gold, system)))
    lemmas = {g for g, s in pairs if gold.lemmas[g] in (EMPTY, system.lemmas[s])}
    arcs = {word for word, right in enumerate(comparison.arc_right) if right}
    heads = {word for word, right in enumerate(comparison.head_right) if right}

    def tags(correct: Collection[int]) -> Score:
        return Score(len(correct), len(gold), n_words, len(pairs))

    def content(correct: Collection[int]) -> Score:
        return _arc_score(comparison, correct, labelled=True, content_only=True)

    return {
        Metric.TOKENS: _span_score(gold.tokens, comparison.system_tokens),
        Metric.SENTENCES: _span_score(
            gold.sentences, [system.sentences[i] for i in comparison.system_sentences]
        ),
        Metric.WORDS: Score(len(pairs), len(gold), n_words),
        Metric.UPOS: tags(upos),
        Metric.XPOS: tags(xpos),
        Metric.UFEATS: tags(feats),
        Metric.ALL_TAGS: tags(upos & xpos & feats),
        Metric.LEMMAS: tags(lemmas),
        Metric.UAS: _arc_score(comparison, heads, labelled=False),
        Metric.LAS: _arc_score(comparison, arcs, labelled=True),
        Metric.CLAS: content(arcs),
        Metric.MLAS: content(_right_function_words(comparison, arcs & upos & feats, upos & feats)),
        Metric.BLEX: content(arcs & lemmas),
        Metric.ELAS: enhanced_score(comparison),
    }


def las_of_sentences(comparison: Comparison) -> list[Score]:
    """Compute the LAS of each gold sentence; see `comparisons_of_sentences`.

    Args:
        comparison: The predicted analysis and the gold one.
    """
    return [
        _arc_score(one, {word for word, right in enumerate(one.arc_right) if right}, labelled=True)
        for one in comparisons_of_sentences(comparison)
    ]


def scores_of_empty_columns(analysis: Analysis) -> list[Metric]:
    """Find the scores whose columns an analysis leaves empty.

    Args:
        analysis: The gold or the predicted analysis.
    """
    empty = {
        column
        for column in ("upos", "xpos", "feats", "lemmas", "deps")
        if all(value == EMPTY for value in getattr(analysis, column))
    }
    lacking = {metric for metric, columns in _COLUMNS.items() if empty.issuperset(columns)}
    without_heads = all(head == NO_HEAD for head in analysis.heads)
    if without_heads:
        lacking.add(Metric.UAS)
    if without_heads or all(deprel is None for deprel in analysis.deprels):
        lacking |= {Metric.LAS, Metric.CLAS, Metric.MLAS, Metric.BLEX}
    return [metric for metric in Metric if metric in lacking]


def _arc_score(
    comparison: Comparison, correct: Collection[int], *, labelled: bool, content_only: bool = False
) -> Score:
    """Compute the score of correct gold words, among all words or content words."""
    gold, system = comparison.gold, comparison.system
    unknown = _unknown(gold, labelled=labelled)
    ignored = {comparison.aligned[word] for word in unknown}

    def counts(deprel: str | None) -> bool:
        return not content_only or deprel in CONTENT_RELATIONS

    counted = [
        word for word, deprel in enumerate(gold.deprels) if word not in unknown and counts(deprel)
    ]
    n_system = sum(
        word not in ignored and counts(system.deprels[word]) for word in comparison.system_words
    )
    return Score(
        sum(word in correct for word in counted),
        len(counted),
        n_system,
        sum(comparison.aligned[word] is not None for word in counted),
    )


def _unknown(gold: Analysis, *, labelled: bool) -> set[int]:
    """Find the words without a gold head or, if `labelled`, without a relation."""
    return {
        word
        for word in range(len(gold))
        if gold.heads[word] == NO_HEAD or (labelled and gold.deprels[word] is None)
    }


def _right_function_words(
    comparison: Comparison, words: Collection[int], tagged: Collection[int]
) -> set[int]:
    """Find the gold `words` whose function words are exactly the predicted ones, with correct tags.
    tagged: the gold words with correct tags."""
    aligned, system = comparison.aligned, comparison.system
    unknown = _unknown(comparison.gold, labelled=True)
    of_gold = _function_words(comparison.gold)
    of_system = _function_words(system, {aligned[word] for word in unknown})
    return {
        word
        for word in words
        if [aligned[child] for child in of_gold[word]] == of_system[aligned[word]]
        and all(child in tagged and comparison.arc_right[child] for child in of_gold[word])
    }


def _function_words(
    analysis: Analysis, ignored: Collection[int | None] = ()
) -> defaultdict[int | None, list[int]]:
    """Find the dependents of each word that have functional relations."""
    children: defaultdict[int | None, list[int]] = defaultdict(list)
    for word, (head, deprel) in enumerate(zip(analysis.heads, analysis.deprels, strict=True)):
        if head not in (NO_HEAD, word) and deprel in FUNCTIONAL_RELATIONS and word not in ignored:
            children[head].append(word)
    return children


def _span_score(gold: list[Span], system: list[Span]) -> Score:
    return Score(len(set(gold) & set(system)), len(gold), len(system))


@lru_cache(2**14)
def _universal_features(feats: str) -> frozenset[str]:
    return frozenset(
        feature for feature in feats.split("|") if feature.split("=", 1)[0] in UNIVERSAL_FEATURES
    )
