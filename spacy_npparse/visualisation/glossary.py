"""Explanations of the terms on pages, for readers who are new to the field."""

from __future__ import annotations

GLOSSARY = {
    "UAS": "Unlabelled attachment score: the F1 of words with the correct head.",
    "LAS": "Labelled attachment score: the F1 of words with the correct head and relation.",
    "CLAS": "Content-word labelled attachment score: LAS of content words only.",
    "MLAS": (
        "Morphology-aware labelled attachment score: CLAS, where the part of speech, the features "
        "and all function words of the word have to be correct, too."
    ),
    "BLEX": "Bilexical dependency score: CLAS, where the lemma of the word has to be correct, too.",
    "UFeats": "The F1 of words with the correct universal features.",
    "AllTags": "The F1 of words with the correct UPOS, XPOS and universal features.",
    "Exact match": "The share of sentences in which every head and every relation is correct.",
    "non-projective arc": (
        "An arc whose span contains a word that the head does not dominate. It crosses another "
        "arc, if an arc from the root counts as one that starts before the first word."
    ),
    "projective tree": "A tree without non-projective arcs.",
    "recall": "Of the gold arcs, the share that the parser predicts.",
    "precision": "Of the predicted arcs, the share that is in the gold tree.",
    "calibration": (
        "Probabilities are calibrated if of all predictions with a probability of, say, 80 %, just "
        "80 % are right."
    ),
    "ECE": (
        "Expected calibration error: the mean difference between the probability of predictions "
        "and the share of them that is right."
    ),
    "log loss": (
        "The mean negative log-likelihood of predictions being right or wrong: the lower, the more "
        "the probabilities tell, calibration included."
    ),
    "temperature": (
        "What scores are divided by before they become probabilities. Above 1, probabilities are "
        "more even."
    ),
    "yield": "A word and all words that it dominates, directly or not.",
    "gap degree": (
        "The largest number of interruptions in the yield of a word; 0 in a projective tree."
    ),
    "edge degree": (
        "The largest number of connected parts between the ends of an arc that the head of the "
        "arc does not dominate; 0 in a projective tree."
    ),
    "well-nested": "The yields of two words that are disjoint do not interleave.",
    "1-endpoint-crossing": "All arcs that cross an arc have one end in common.",
    "MH4": (
        "Trees that dynamic programming derives from items of at most four heads; they include "
        "all projective trees."
    ),
    "coverage": "The share of trees that a transition system can derive.",
    "stack": "Words that are being processed; transitions apply to its top, at the right.",
    "buffer": "Words that have not been processed yet; the next one is at the left.",
    "transition": "A step of the parser: it moves a word, adds an arc, or both.",
    "configuration": "Stack, buffer and arcs between two transitions.",
    "oracle": "An algorithm that finds the best transitions for a known gold tree.",
    "static oracle": "An oracle that gives one derivation of the gold tree.",
    "dynamic oracle": "An oracle that gives the cost of every transition in any configuration.",
    "cost": (
        "How many gold arcs more than before cannot be drawn once the transition is taken. "
        "A transition with cost 0 loses nothing; (?) marks costs that are only approximate."
    ),
    "RDEPS": (
        "Reachable dependents: for each word, its dependents in the gold tree whose arcs can "
        "still be drawn from this configuration."
    ),
    "projective order": (
        "The words in the order of an inorder traversal of the gold tree. In this order no arcs "
        "cross; SWAP transitions bring the words into it."
    ),
    "reordering": "A transition, such as SWAP, that changes the order of words.",
    "mean rank": (
        "The mean of the ranks that a parser has by LAS on each treebank; 1 is the best. Parsers "
        "that tie share the mean of their ranks."
    ),
    "peer": "A parser from outside this package, trained on the same treebank.",
}
