"""Compare a sentence with the template that came of it: spacecraft, quantity, frame, time, windows, names of lines."""

from __future__ import annotations

from datetime import datetime
from itertools import chain

from helio.authoring.comparison.edits import edit_differences, edit_losses
from helio.authoring.comparison.template import SHOWN, TIME, WINDOW, Compared
from helio.authoring.request import PipelineRequest
from helio.authoring.rules.reading.drawn_quantities import PairsUnclear
from helio.authoring.rules.reading.looks import take_looks
from helio.authoring.rules.reading.sentence_reading import read_request
from helio.errors import RequestError
from helio.knowledge.catalogue import Catalogue
from helio.pipelines.template.diagnostics import Diagnostic
from helio.pipelines.template.document import Document

__all__ = ["SHOWN", "TIME", "WINDOW", "differences"]


def differences(
    request: str, template: Document, catalogue: Catalogue, now: datetime, *, before: Document | None = None
) -> tuple[Diagnostic, ...]:
    """Report how a template differs from what a sentence names; of an edit, only what the edit brought.

    Of a sentence that cannot be read, only the template is compared with itself and with what was there before.
    """
    try:  # the times that a new figure marks are not the time that it shows
        sentence = take_looks(request, now)[0] if before is None else request
        reading = read_request(sentence, catalogue, now)
    except RequestError:
        reading = None
    asked = PipelineRequest() if reading is None else reading.request
    compared = Compared(request, asked, template, catalogue, now)
    if before is None:
        if reading is None:
            return tuple(dict.fromkeys(compared.of_itself()))
        return tuple(dict.fromkeys(compared.of_new(has_pairs=not isinstance(reading.doubt, PairsUnclear))))
    earlier = Compared(request, asked, before, catalogue, now)
    if reading is None:
        known = set(earlier.of_itself())
        found = chain(compared.of_itself(), edit_losses(compared, earlier))
    else:
        known = set(earlier.of_any())
        found = chain(compared.of_any(), edit_differences(compared, earlier))
    return tuple(dict.fromkeys(finding for finding in found if finding not in known))
