"""Read the files that a sentence wants, and their data: ``as csv``, ``a table of``, ``save the speed as cdf``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import Lines, RequestQuantity
from helio.authoring.rules.changes.atoms import COUNT, COUNTED
from helio.authoring.rules.reading.named import read_quantities, read_spacecraft
from helio.authoring.rules.reading.sentence import Sentence
from helio.patterns import ignoring_case

_FORMATS = {
    "csv": "csv", "cdf": "cdf", "netcdf": "netcdf", "nc": "netcdf", "parquet": "parquet", "ascii": "csv", "txt": "csv",
    "text": "csv", "excel": "csv", "xlsx": "csv", "spreadsheet": "csv", "comma-separated": "csv",
}  # fmt: skip
"""Formats by the words for them; a table without a format is CSV, which every program reads."""
_AS_CSV = {"ascii", "txt", "excel", "xlsx"}
"""Endings of files instead of which helio writes CSV."""
_NAME = r"(?:(?:files?|called|named)\s+)*[\"“'‘]?(?P<name>[\w~./-]*\w)(?=\.)"
_FORMAT = (
    rf"(?:(?:{_NAME})?(?-i:\.)?(?P<format>csv|cdf|netcdf|nc|parquet|ascii|txt|excel|xlsx|spreadsheet|comma-separated)"
    r"|(?P<text>text)(?=[\s-]+(?:file|table|format)))\b[\"”'’]?"
    r"(?:(?:\s+file)?\s+(?:called|named)\s+[\"“'‘]?(?P<called>\w[\w-]*)(?:\.(?:csv|cdf|nc|parquet|txt))?[\"”'’]?)?"
)
_FILE = r"(?:[\s-]+(?:files?|tables?|formats?|exports?|outputs?|values|sheets?))*"
_SAVE = (
    r"(?:(?:and|then|please|also)\s+)*"
    r"\b(?:saved?|exported|export|written|write|stored?|dump|output|give|send|provide|put)(?:\s+(?:out|me|us))?\b"
)
_COUNTED = (
    rf"(?:all|the)\s+(?:{COUNT})(?:\s+(?:of\s+them|series|lines|quantities))?"
    r"(?=\s*(?:$|[,.;:)]|\b(?:as|in|to|into|please)\b))"
)
_ALL = (
    rf"(?:{_COUNTED}|all\s+of\s+(?:it|them|these|those)|it|them|both|all|everything|(?:all\s+)?(?:the|these|those|its)\s+"
    r"(?:data|values|numbers|results?|series|table))"
)
_NUMBER = r"(?:one|single|same|common|separate|individual)"
_INTO = rf"(?:as|to|in|into)\s+(?:an?\s+|the\s+)?(?:{_NUMBER}\s+)?"
_TABLE = r"(?:tables?(?:\s+of\s+numbers)?|list(?:ing)?s?|tabular\s+form|numbers)"
_ONLY = r"(?:only|just|alone)"
_WHOLE = (
    rf"(?:(?:{_SAVE}(?:\s+{_ALL})?|(?:\b(?:and|then|plus|with|an?|the)\s+)*\b{_TABLE}\s+(?:of|with)\s+{_ALL})\s+)?"
    rf"(?:(?:the\s+)?numbers\s+)?(?:{_ONLY}\s+)?{_INTO}(?:{_TABLE}\s*[(,:]?\s*(?:{_INTO})?)?{_FORMAT}{_FILE}\)?(?:\s+{_ONLY}\b)?"
    rf"(?:\s+(?:as|in|into)\s+(?:an?\s+)?{_NUMBER}\s+files?\b)?",
    rf"(?:\b(?:and|plus|with|also|an?|the|{_ONLY}|{_NUMBER})\s+|[,+&]\s*)*(?:\b{_TABLE}\s*[(,:]?\s*(?:{_INTO})?)?\b{_FORMAT}{_FILE}\)?"
    rf"(?:\s+{_ONLY}\b)?(?:\s+(?:of|with|for|containing)\b(?:\s+{_ALL}(?![\w-]))?)?",
)
_BARE_TABLE = (
    rf"(?:{_SAVE}(?:\s+{_ALL})?\s+)?(?:\b{_ONLY}\s+)?\b(?:as|in|into)\s+(?:an?\s+|the\s+)?(?:tables?|lists?|tabular\s+form|numbers)\b(?:\s+{_ONLY}\b)?"
    r"|^(?:(?:an?|the|make|give\s+me|please|print)\s+)*tables?\s+(?:of|with)\b|\btabulated?\b|\btables?(?=\s+(?:for|in|from)\s+\d)"
    r"|\b(?:save|write|export|print|list|give|send)(?:\s+(?:out|me|us))*\s+(?:all\s+)?(?:the\s+)?(?:values|numbers)(?=\s*(?:$|[,.;]|please\b))"
    rf"|(?:[,;:]\s*|\b{_ONLY}\s+|^)(?:(?:an?|the|{_ONLY})\s+)*(?:tables?|lists?)(?:\s+(?:please|{_ONLY}))*(?=\s*(?:$|[,.;:]))"
)
_FIGURE = r"(?:figures?|plots?|plotting|graphs?|graphics?|pictures?|images?|charts?)(?!\s+(?:titles?|labels?|frames?))"
_NOT = r"(?:do\s+not|don['’]?t)"
_NO_FIGURE = (
    rf"[,;(]?\s*\b(?:(?:and|but)\s+)?(?:(?:no|without|{_NOT}\s+(?:need|want|make|draw)|no\s+need\s+(?:for|of)"
    rf"|(?<!do )not(?:\s+as)?|instead\s+of|rather\s+than)\s+(?:(?:an?|any|the)\s+)?{_FIGURE}"
    r"(?:\s+(?:is\s+)?(?:needed|required|necessary|please))*"
    rf"|(?:{_NOT}|no\s+need\s+to)\s+(?:plot|draw)\b(?:\s+(?:it|them|anything))?"
    r"(?!\s+(?!(?:and|but|just|only|please|save)\b)[\w|])"
    rf"|{_FIGURE}\s+(?:is\s+)?not\s+(?:needed|required|necessary)"
    rf"|{_ONLY}\s+(?:(?:need|want)\s+)?(?:the\s+)?(?:data|numbers)(?=\s*(?:[,;:.]|$)))\b\)?"
    r"|(?:^|[,;:.(])\s*(?:data|numbers)\s+only\b\)?"
    rf"|(?:\bso\s+(?:that\s+)?)?\b(?:I|we)\s+(?:(?:will|can|shall|want\s+to|prefer\s+to)\s+)*(?:do|make|draw|plot)\s+"
    rf"(?:(?:the\s+|my\s+|our\s+)?(?:{_FIGURE}|it|them)\s+)?(?:in\s+\w+\s+)?(?:myself|ourselves)\b"
)
_AS_FILE = rf"(?:\s+(?:also|only|too))?\s+{_INTO}(?:{_TABLE}\s*)?{_FORMAT}"
_SAVED_PART = re.compile(
    rf"(?:[,;.]|\band\b)\s*(?:please\s+|also\s+)*\b(?:save|export|write|store|dump|(?:give|send)\s+(?:me|us))\s+(?:only\s+|just\s+)?(?:the\s+)?"
    rf"(?P<what>(?!{_ALL}\b)[^,;]+?){_AS_FILE}",
    re.IGNORECASE,
)
_NAMED_AGAIN = re.compile(
    rf"[,;.]\s*(?:(?:and|with|plus|only|just|the)\s+)*(?P<what>(?!{_ALL}\b)[^,;\s]+(?:\s+[^,;\s]+)?){_AS_FILE}",
    re.IGNORECASE,
)
"""A series that the sentence names again only to save it: ``B and density, the density as csv``."""
_OF_DATA = {"numbers", "values", "data"}
"""Words of a series to save that say nothing more of it."""

EVERY_LINE = Lines()


@dataclass(frozen=True)
class SavedFiles:
    """The files that a sentence wants.

    Parameters
    ----------
    formats : tuple of str
    lines : Lines
        The series to save; all that are drawn if the sentence names none.
    one_file : bool, optional
        Whether it wants all series in one file (``a csv``) or a file of each (``csv files``); None if it says neither.
    drawn : bool
        Whether it wants a figure, too.
    name : str
        The name of the file without its ending; empty if the sentence gives none.
    notes : tuple of str
    """

    formats: tuple[str, ...] = ()
    lines: Lines = EVERY_LINE
    one_file: bool | None = None
    drawn: bool = True
    name: str = ""
    notes: tuple[str, ...] = ()
    count: int = 0
    """The number of series to save, if the sentence says it: ``a csv of all three``."""


def take_files(sentence: Sentence) -> SavedFiles:
    """Remove from a sentence the words about files, and return what they say.

    >>> take_files(Sentence("table (csv) of hourly means of Vp")).formats
    ('csv',)
    >>> take_files(Sentence("save ACE B to ace_b.csv")).name
    'ace_b'
    >>> take_files(Sentence("ACE B and density, save the density as csv")).lines.quantities
    (RequestQuantity(name='proton density', component='', frame=''),)

    Raises
    ------
    NotUnderstood
        The sentence names several files.
    """
    lines = _part(sentence)
    drawn = sentence.drop(_NO_FIGURE) == 0
    files = [match for pattern in _WHOLE for match in sentence.take(pattern)]
    tables = list(sentence.take(_BARE_TABLE))
    drawn = drawn and not any(ignoring_case(rf"\b{_ONLY}\b").search(match[0]) for match in (*files, *tables))
    if files and not drawn and (plot := ignoring_case(rf"\b(?:plot|draw|{_FIGURE})\b").search(sentence.left)):
        raise NotUnderstood(
            f"it is not clear whether to draw a figure: the request says '{plot[0]}', and that it wants a file only",
            advice="leave out 'only', or the words about the figure",
        )
    counted = [
        match[1]
        for file in files
        for match in ignoring_case(rf"\b(?:all|the)\s+({COUNT})\b").finditer(file[0])
    ]
    count = max((COUNTED[number.casefold()] for number in counted), default=0)
    words = [(match["format"] or match["text"]).lower() for match in files]
    notes: tuple[str, ...] = ()
    if not words and (tables or not drawn):
        words = ["csv"]
        notes = ("the table is saved as CSV, because the request names no format",)
    if words:
        sentence.drop(_SAVE)
        sentence.drop(r"(?<=\x01 )(?:tables?|files?)\b|\b(?:tables?|files?)(?=\s*\x01)")
    formats = tuple(dict.fromkeys(_FORMATS[word] for word in words))
    given = [match["called"] or match["name"] for match in files]
    names = list(dict.fromkeys(filter(None, given)))
    if any("/" in name for name in names):
        raise NotUnderstood(
            f"helio saves data in the folder of the run, not in '{names[0]}'", advice="leave the folders out"
        )
    notes += tuple(f"the file is {name}.csv, which any editor reads" for name in names if {*words} & _AS_CSV)
    if len(names) > 1:
        raise NotUnderstood(
            f"a new pipeline has one name for its files of data, not {' and '.join(names)}",
            advice="name one file, then change the pipeline: 'save the density as csv'",
        )
    return SavedFiles(formats, lines, True if names else _is_one(files), drawn, "".join(names), notes, count)


def _is_one(files: Sequence[re.Match[str]]) -> bool | None:
    """Return whether words mean one file or several; None for ``as csv``, which can mean both."""
    words = " ".join(match[0] for match in files)
    if ignoring_case(r"\b(?:files|tables|separate|individual)\b").search(words):
        return False
    of_all = rf"\b(?:csv|cdf|netcdf|parquet|table)\s+(?:of|with)\s+{_ALL}|\bthe\s+table\b"
    return True if ignoring_case(rf"\b(?:an?|one|single|same|common)\b|{of_all}").search(words) else None


def _part(sentence: Sentence) -> Lines:
    """Read which of the drawn series to save: ``…, save the density as csv``; no lines for all."""
    saved = _SAVED_PART.search(sentence.left)
    match = saved or _NAMED_AGAIN.search(sentence.left)
    if match is None:
        return EVERY_LINE
    part = Sentence(match["what"])
    crafts = tuple(dict.fromkeys(craft for _, craft in read_spacecraft(part)))
    quantities = _quantities(part)
    before = Sentence(sentence.left[: match.start()])
    drawn = _quantities(before)
    flown = {craft for _, craft in read_spacecraft(before)}
    is_again = {*quantities} <= {*drawn} and {*crafts} <= flown and not part.unread()
    if not drawn or not (crafts or quantities) or not (saved or is_again):
        return EVERY_LINE
    if not {*part.unread()} - _OF_DATA <= {*before.text.split()}:
        raise NotUnderstood(
            f"helio saves the lines that the figure draws, not '{match['what']}'",
            advice=f"ask for '{match['what']}' in the figure, or without a figure",
        )
    if {*quantities} <= {*drawn}:
        sentence.take_at(*match.span("what"))
    return Lines(crafts, quantities)


def _quantities(sentence: Sentence) -> tuple[RequestQuantity, ...]:
    return tuple(dict.fromkeys(quantity for _, quantity in read_quantities(sentence, magnitude=False)[0]))
