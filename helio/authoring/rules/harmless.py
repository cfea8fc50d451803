"""List the words without meaning for helio: every other word of a sentence must be read, or the sentence is refused.

`knowledge/english.json` has them in groups, each with the reason why its words have no meaning, and with the kinds of
sentences in which they have none. Words that narrow a time, an order or a choice, such as "since", "week", "below" or
"each", are never harmless in requests and changes: without them the sentence would mean something else.
"""

from __future__ import annotations

from helio.knowledge.vocabulary import VOCABULARY


def _harmless_in(sentences: str) -> frozenset[str]:
    return frozenset(
        word
        for group in VOCABULARY["harmless"].values()
        for kinds, words in group.items()
        if sentences in kinds.split()
        for word in words
    )


IN_REQUESTS = _harmless_in("requests")
"""Words without meaning in a request for a new pipeline."""
OF_A_TIME = _harmless_in("times")
"""Words such as ``storm`` that helio ignores if the sentence has a time, and otherwise does not understand."""
IN_TIMED_REQUESTS = IN_REQUESTS | OF_A_TIME
"""Words without meaning in such a request if it has a time."""
IN_CHANGES = _harmless_in("changes")
"""Words without meaning in a request for a change of a figure."""
BESIDE_PARTS = IN_CHANGES | _harmless_in("parts")
"""Words without meaning beside the part of a dataset that such a request changes."""
IN_QUESTIONS = _harmless_in("questions")
"""Words without meaning in a question."""
