"""How much of the data the figures of a recorded run show: one line for a terminal, and rows for a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from helio.counts import number_of
from helio.store.runs import PanelQuality


@dataclass(frozen=True)
class QualityRow:
    """One trace of a panel in a table; all numbers are texts.

    Parameters
    ----------
    panel : int
        Number of the panel.
    name : str
        The label, and the name of the trace if it is another.
    coverage : str
        Part of the time range with data; empty in a panel without a time axis.
    values, missing, drawn, left_out : str
        Numbers of values; left out are those beyond the axes, or not above 0 on a logarithmic axis.
    empty : str
        Why there is no value; empty if there is one.
    """

    panel: int
    name: str
    coverage: str
    values: str
    missing: str
    drawn: str
    left_out: str
    empty: str


def quality_rows(panels: Sequence[PanelQuality]) -> Iterator[QualityRow]:
    """Yield a row for each trace of a figure; an empty panel has a row for each label."""
    for panel in panels:
        covered = {label["label"]: _percent(label.get("coverage")) for label in panel["labels"]}
        for trace in panel["traces"]:
            label, name = trace["label"], trace["name"]
            left_out = trace.get("clipped", 0) + trace.get("not_above_zero", 0)
            yield QualityRow(
                panel["panel"],
                label if name == label else f"{label}: {name}",
                covered.get(label, ""),
                f"{trace['values']:,}",
                f"{trace['missing']:,}",
                f"{trace['drawn']:,}",
                f"{left_out:,}",
                trace.get("empty", ""),
            )
        for absent in () if panel["traces"] else panel["labels"]:
            empty = absent.get("empty", "") or panel.get("empty", "")
            yield QualityRow(
                panel["panel"], absent["label"], _percent(absent.get("coverage")), "0", "", "0", "0", empty
            )


def quality_line(panels: Sequence[PanelQuality]) -> str:
    """Return the quality of a figure in one line.

    >>> label = {"label": "n", "coverage": 0.5, "records": 10}
    >>> trace = {"label": "n", "name": "n", "values": 8, "missing": 2, "drawn": 8, "clipped": 3}
    >>> empty = {"panel": 2, "kind": "line", "empty": "no data", "labels": [], "traces": []}
    >>> quality_line([{"panel": 1, "kind": "line", "labels": [label], "traces": [trace]}, empty])
    'data in 1 of 2 panels; coverage 50.0 % (n); 2 values missing, 3 values beyond the axes'
    """
    filled = [panel for panel in panels if not panel.get("empty")]
    parts = [f"data in {len(filled)} of {number_of(len(panels), 'panel')}"]
    shares = [
        (share, label["label"])
        for panel in filled
        for label in panel["labels"]
        if (share := label.get("coverage")) is not None
    ]
    if shares:
        (low, label), (high, _) = min(shares), max(shares)
        parts.append(
            f"coverage {_percent(low)} ({label})"
            + (f" to {_percent(high)}" if _percent(low) != _percent(high) else "")
        )
    traces = [trace for panel in filled for trace in panel["traces"]]
    missing = sum(trace["missing"] for trace in traces)
    beyond = sum(trace.get("clipped", 0) for trace in traces)
    lost = sum(trace.get("not_above_zero", 0) for trace in traces)
    counts = [f"{number_of(missing, 'value')} missing"] if missing else []
    counts += [f"{number_of(beyond, 'value')} beyond the axes"] if beyond else []
    counts += [f"{number_of(lost, 'value')} not above 0 on a logarithmic scale"] if lost else []
    return "; ".join([*parts, *([", ".join(counts)] if counts else [])])


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f} %"
