"""Anchors for links to single sentences."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

_NO_ANCHOR = re.compile(r"^$|\s|^s\d+$|^only-crossing$")


def anchors(sent_ids: Sequence[str | None], numbers: Iterable[int]) -> list[str]:
    """Make a unique anchor for each sentence.

    Args:
        sent_ids: The sent_id of each sentence; None if it has none.
        numbers: The numbers of the sentences, which are unique.

    Returns:
        The sent_id where it is unique, without white space and not the name of something else on
        the page; otherwise s and the number.
    """
    counts = Counter(sent_ids)
    return [
        f"s{number}" if name is None or counts[name] > 1 or _NO_ANCHOR.search(name) else name
        for name, number in zip(sent_ids, numbers, strict=True)
    ]
