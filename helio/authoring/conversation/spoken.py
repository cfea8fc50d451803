"""Find what a sentence means that is about the conversation itself: a slash command, or a question."""

from __future__ import annotations

import re

_IT = r"(?:\s+(?:it|that|this|them|everything|all|the (?:last )?(?:changes?|proposal|pipeline)))?"
_FIGURE = r"(?:\s+(?:it|that|this|the (?:figures?|plots?|result|preview)))?"
_OFTEN = r"(?: (?:now|again|please))*"
_MEANINGS = {
    "/help": r"help(?: me)?|what can (?:you|i|helio) (?:do|say|ask)|what commands are there|what are the commands"
    r"|which commands (?:are there|do you (?:have|know))|how does (?:this|it) work",
    "/diff": r"(?:what(?:'s| is| are)|what|which|how many)(?: the)?(?: changes are)? pending(?: changes?)?"
    r"|what (?:have|did) (?:i|we|you) (?:just )?(?:changed?|do|done)(?: so far)?"
    r"|(?:list|show)(?: me)?(?: the| my| all)?(?: pending)? changes",
    "/show": r"(?:show|list)(?: me)?(?: the| my| all)? (?:pipeline|steps|template)",
    "/cost": r"how (?:much|many tokens) (?:does|did|has) (?:this|it|that|the (?:model|conversation))"
    r"(?: cost| used?)?(?: so far)?|what (?:does|did) (?:this|it|that) cost",
    "/accept": rf"(?:(?:yes|ok(?:ay)?|good|great|perfect)[\s,]+)?(?:accept|apply|keep|confirm){_IT}{_OFTEN}",
    "/reject": rf"(?:reject|discard|throw away){_IT}{_OFTEN}",
    "/run": rf"(?:(?:please|now)\s+)?(?:run|execute){_IT}{_OFTEN}",
    "/preview": rf"(?:preview|show|draw|plot|see|display)(?: me)?{_FIGURE}{_OFTEN}"
    rf"|(?:let me|can i) (?:see|look at){_FIGURE}",
    "/undo": rf"(?:can|could|may|how (?:do|can)) (?:i|we|you) (?:undo|revert|take back){_IT}",
    "/new": r"(?:start|begin) (?:over|again)|(?:start (?:a )?)?new(?: pipeline| one)?",
    "/quit": r"quit|exit|bye|goodbye|stop|done|end",
    "what changed": r"what (?:has |was |is )?changed(?: so far)?",
    "what is left to do": r"(?:what|which steps?) (?:will|would|must|needs? to) be (?:re-?)?(?:computed|run|done)"
    r"(?: again)?",
    "nothing": r"(?:(?:hello|hi|hey|thanks|thank you|thx|ok(?:ay)?|good|great|nice|perfect|yes|fine|cool)\b[\s,.!]*)+"
    r"(?:helio)?",
}
_PATTERNS = {
    meaning: re.compile(rf"\s*(?:{said})\s*[?.!]*\s*", re.IGNORECASE) for meaning, said in _MEANINGS.items()
}


def meaning_of(text: str) -> str:
    """Return what a sentence means for the conversation: a key of the table above; empty if it is about the pipeline.

    >>> meaning_of("what can you do?"), meaning_of("yes, accept it"), meaning_of("ok, thanks!")
    ('/help', '/accept', 'nothing')
    >>> meaning_of("make it red"), meaning_of("plot it for January"), meaning_of("thanks, now for Wind")
    ('', '', '')
    """
    return next((meaning for meaning, pattern in _PATTERNS.items() if pattern.fullmatch(text)), "")
