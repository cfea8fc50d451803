"""Read requests for a table of the intervals in which a quantity meets a condition: ``intervals with Bz < -10 nT``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from helio.authoring.outcome import NotUnderstood
from helio.authoring.rules.durations import duration_in, duration_pattern
from helio.authoring.rules.listed import EventFigure
from helio.authoring.rules.saved_files import take_files
from helio.authoring.rules.sentence import Sentence
from helio.authoring.writing.asking import Asks
from helio.authoring.writing.writer import FILE_ENDINGS
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.unit_spelling import canonical_unit
from helio.pipelines.dialect.written import spec_of
from helio.pipelines.template.document import Document

_SIGNS = {
    "<": r"<|below|under|beneath|(?:less|lower|smaller|weaker)\s+than",
    "<=": r"<=|≤|at\s+most",
    ">": r">|above|over|(?:more|greater|higher|larger|stronger|faster)\s+than|exceed(?:s|ed|ing)?",
    ">=": r">=|≥|at\s+least",
}
"""The words for each sign of a condition."""
_SIGN = "|".join(_SIGNS[sign] for sign in ("<=", ">=", "<", ">"))
_VERB = (
    r"(?:(?:is|was|are|were|be|been|has|had|did|does|it|falls?|fell|drops?|dropped|dips?|dipped|goes|went|gets|got|rises?"
    r"|rose|stays?|stayed|remains?|remained|reach(?:es|ed)?|values?)\s+)*"
)
_UNIT = r"nT|pT|km/s|km\s?s\^?-1|(?:/\s?|per\s+)(?:cm\^?3|cc)|cm\^?-3|#/cc|cc|MK|K|k?eV|MeV|nPa|mV/m|pfu|sfu"
_UNIT += "|degrees?|deg|%"
_LEVEL = rf"(?P<level>[-−+]?\s?\d+(?:\.\d+)?(?:e[-+]?\d+)?)(?![\d:/]|-\d)(?:\s*(?P<unit>{_UNIT})(?![\w/]))?"
_LEVEL += r"(?!\s*(?:years?|months?|weeks?|days?|hours?|minutes?|seconds?|h|min|s|d|samples|records|points|panels)\b)"
_ASKED = (
    r"^(?:(?:please|can|could|you|give|make|show|get|save|export|write|create|produce|find|print|list|determine|i|want"
    r"|need|me|us|out|an?|the|all|any|every|each|of|with|table|csv|catalog(?:ue)?)\s+)*"
)
_NOUN = (
    r"(?:(?P<starts>(?:start(?:ing)?|onset|begin(?:ning)?)(?:\s+times?|s)?)(?:\s+of\s+(?:(?:all|the)\s+)*(?:intervals|periods|times|events))?"
    r"|(?:time\s+)?(?:intervals?|periods?|stretch(?:es)?|spans?)|times|events?)"
)
_LASTING = (
    r",?\s*(?:\b(?:and|that|which|with|of|is|it)\s+)*(?:\b(?:lasting|last(?:s|ed)?|for|longer)\b\s*|\bduration\s*(?:of\s+)?|\bof(?=\s+at\s))"
    r"(?:for\s+)?(?:at\s+least|(?:(?:more|longer)\s+)?than|over|>=?|≥)\s*(?:an?\s+(?=\d))?"
    rf"{duration_pattern()}(?:\s+or\s+(?:more|longer))?"
)
_WHICH = r"(?:when(?:ever)?|where|with|of|that\s+have|(?:in|during|at|for|on)\s+which|while|having)"
_FORM = (
    rf"{_ASKED}(?:{_NOUN}[\s,\x1f]+{_WHICH}|(?:when(?:ever)?|how\s+(?:often|many\s+times))(?:\s+(?:did|does|was|were|is|has))?)"
    rf"\s+(?:the\s+)?(?P<what>[^,;\x1f<>≤≥]*?[\w|)])\s+{_VERB}(?P<sign>{_SIGN})\s*{_LEVEL}"
)
_CALENDAR = (
    rf"{_ASKED}(?P<noun>hours|days|dates|months|years|minutes)\s+{_WHICH}\s+[^,;]*?\s+{_VERB}(?:{_SIGN})"
    rf"\s*{_LEVEL}"
)
_FACTORS = {"Kp": 0.1}
"""The factors from the stored values to those of quantities that data store as a multiple."""


@dataclass(frozen=True)
class ConditionTable:
    """A table of the intervals in which a series meets a condition, which is saved.

    Parameters
    ----------
    sign : str
        ``"<"``, ``"<="``, ``">"`` or ``">="``.
    unit : str
        The unit of the level; empty for the unit of the series.
    lasting : str
        The shortest interval; empty for any.
    starts : bool
        Whether the table has the starts of the intervals alone.
    """

    sign: str
    level: str
    unit: str
    lasting: str
    starts: bool
    form: str
    notes: tuple[str, ...]

    def completed(self, template: Document, *, catalogue: Catalogue, ask: Asks, now: datetime) -> Document:
        """Return a template that finds the intervals in the one series of its figure, and saves them."""
        figure = EventFigure(template, catalogue, ask, now)
        labels = [str(label) for label in (spec_of(figure.figure()) or {}).get("labels") or ()]
        if len(labels) != 1 or figure.lines.is_vector(labels[0]):
            raise NotUnderstood(
                "a condition needs one series: the request names several, or a vector",
                advice="name one spacecraft and one quantity, such as 'intervals with ACE Bz < -10 nT'",
            )
        (series,) = labels
        for quantity in figure.lines.quantities(series) & {*_FACTORS}:
            args = {"source_label": series, "factor": _FACTORS[quantity], "unit": "1", "name": quantity}
            series = figure.compute_before(quantity, "rescale", args, f"{quantity} from its stored multiple")
        condition = f"{self.sign} {self.level} {self.unit or figure.lines.unit(series)}".strip()
        args = {"source_label": series, "when": condition}
        if self.lasting:
            args["lasting"] = self.lasting
        gives = ("start",) if self.starts else ("extreme", "durations")
        tables = [
            figure.compute_before(
                f"intervals_{give}", "alert", {**args, "give": give}, f"Find intervals {condition}: {give}"
            )
            for give in gives
        ]
        filename = f"intervals.{FILE_ENDINGS.get(self.form, self.form)}"
        saved = {"source_labels": tables, "filename": filename, "format": self.form}
        figure.add_before("save_intervals", "save_data", saved, f"Save as {self.form}")
        return figure.after


def read_condition_table(text: str) -> tuple[str, ConditionTable | None]:
    """Read a request for a table of intervals; return the rest as a plain request for the series.

    >>> rest, table = read_condition_table("intervals with OMNI Bz < -10 nT for more than 1 h, May 2024, as csv")
    >>> rest, table.sign, table.level, table.lasting
    ('OMNI Bz , May 2024,', '<', '-10', '1h')

    Raises
    ------
    NotUnderstood
        The request is for whole hours or days, which no tool lists.
    """
    sentence = Sentence(text)
    lasting = sentence.take_first(_LASTING)
    match = sentence.take_first(_FORM)
    if match is None:
        if calendar := Sentence(text).take_first(_CALENDAR):
            raise NotUnderstood(
                f"helio lists intervals, not {calendar['noun'].lower()}",
                advice="write 'intervals when …', which gives the extreme value and the duration of each interval",
            )
        return text, None
    files = take_files(sentence)
    sign = next(sign for sign, words in _SIGNS.items() if re.fullmatch(words, match["sign"], re.IGNORECASE))
    level = re.sub(r"\s", "", match["level"]).replace("−", "-")
    notes = list(files.notes)
    if not match["starts"]:
        notes.append(
            "each line of the table is an interval: the time and the value of its extreme, and the minutes "
            "from its start to the extreme and from the extreme to its stop"
        )
    if not files.formats:
        notes.append("the table is saved as CSV, because the request names no format")
    return f"{match['what']} {sentence.rest()}", ConditionTable(
        sign, level, _unit(match["unit"] or ""), duration_in(lasting) if lasting else "",
        bool(match["starts"]), (*files.formats, "csv")[0], tuple(notes),
    )  # fmt: skip


def _unit(written: str) -> str:
    """Return a unit as templates write it.

    >>> _unit("/cc"), _unit("km/s")
    ('cm^-3', 'km/s')
    """
    if re.search(r"cc|cm", written, re.IGNORECASE):
        return "cm^-3"
    return canonical_unit(re.sub(r"(?i)degrees?", "deg", written))
