"""Anchors of sentences, for links to single ones."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

_NO_ANCHOR = re.compile(r"\s|^s\d+$")


def anchors(sent_ids: Sequence[str | None], numbers: Iterable[int]) -> list[str]:
    """A unique anchor for each sentence.

    Args:
        sent_ids: The sent_id of each sentence, None if it has none.
        numbers: Unique numbers of the sentences.

    Returns:
        The sent_id where it is unique and free of whitespace, s and the number elsewhere.
    """
    counts = Counter(sent_ids)
    return [
        f"s{number}" if name is None or counts[name] > 1 or _NO_ANCHOR.search(name) else name
        for name, number in zip(sent_ids, numbers, strict=True)
    ]
