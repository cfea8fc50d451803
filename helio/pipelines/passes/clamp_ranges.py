"""Compare time ranges with the published range of a dataset: shorten a longer range, and refuse a range outside.

HB301 (edit bind + warning)  time range partly outside the known coverage: shortened
    Existing data are fetched, and the record keeps the requested range.
    before  "2025-12-20 to 2026-01-10", covered to 2025-12-31
    after   "2025-12-20 to 2025-12-31"
    to do   Nothing, if the shorter range is enough; otherwise choose a range within the coverage that the
            message gives.

HB302 (error)  time range wholly outside the known coverage
    The message gives the covered range.
    before  ACE in 1990
    after   refused: 1997-09-02 to …
    to do   Choose a time range within the coverage that the message gives, or another dataset.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, pointer
from helio.pipelines.template.edit import Edit, replaced
from helio.pipelines.template.template import Template
from helio.sources.registry import is_catalogued
from helio.steps.fetch.choices import FETCH
from helio.time_range import TimeRange, parse_time_range


def clamp_ranges(template: Template, context: Context) -> Iterator[Finding]:
    """Shorten the time range of a fetch to the published range of its dataset; refuse a time range wholly outside.

    ``2025-12-20 to 2026-01-10`` of a dataset published up to 2025-12-31 → ``2025-12-20 to 2025-12-31``, said as a
    warning. Only fresh facts may do that: a catalogue of last winter must not refuse yesterday. Candidates are left
    alone: each is asked in its turn. So is what another archive serves than the one
    that the catalogue is about.
    """
    for step in template.steps:
        args = step.tool_args
        if step.tool_name != FETCH or not (context.archive or is_catalogued(args.get("provider", ""))):
            continue
        known = context.catalogue.get(args.get("dataset_id", ""))
        if known is None or not known.fresh or known.first is None or known.last is None:
            continue
        requested = parse_time_range(args["time_range"], context.now)
        start, stop = max(requested.start, known.first), min(requested.stop, known.last)
        at = pointer(*step.path, "tool_args", "time_range")
        covered = f"{args['dataset_id']} covers {_written(known.first)} to {_written(known.last)}"
        if start >= stop:
            message = f"{requested} is outside the published range: {covered}"
            yield Diagnostic(
                "HB302",
                message,
                "error",
                step.step_id,
                FETCH,
                at,
                ("choose a time range that the dataset covers",),
            )
        elif (start, stop) != (requested.start, requested.stop):
            clamped = str(TimeRange(start, stop))
            yield Edit(
                "HB301",
                f"the time range '{requested}' is shortened to '{clamped}'",
                replaced(at, args["time_range"], clamped),
                step.step_id,
                kind="bind",
                warning=f"the time range '{requested}' is shortened to '{clamped}', because {covered}",
                path=at,
            )


def _written(moment: datetime) -> str:
    return (
        moment.date().isoformat()
        if moment == moment.replace(hour=0, minute=0, second=0)
        else moment.isoformat()
    )
