"""Check values that the scale of an axis excludes: limits and thresholds that are not above 0.

HV112 (error)  a value on a logarithmic axis that is not above 0, or a linear part of an axis that is not symlog
    The figure cannot be drawn; without this check, the run would fail after it has fetched all data.
    before  "log_scale": "symlog", "linthresh": -5
    after   refused, with the panel
    to do   Write a value above 0, or choose another scale.

HV113 (warning)  the same, if the axis is logarithmic only for lines, and only the catalogue says that there are lines
    A spectrogram has its own scale; the catalogue may be outdated.
    before  "log_scale": "log", "y_range": [-5, 5] for a parameter of one value
    after   warned, with the panel
    to do   Write a value above 0, or choose another scale.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from helio.pipelines.analyses.quantities import ReadTable, panels_read, quantities, tables_read
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, pointer
from helio.pipelines.template.figures import ENTRIES, ENTRY_LABELS, RENDER, RIGHT, figure_of
from helio.pipelines.template.graph import StepView, graph_of
from helio.pipelines.template.labels import labels_at, values_at
from helio.pipelines.template.template import Template
from helio.pipelines.template.variables import Path
from helio.steps.render.refusals import Refusal, low_start, wrong_thresholds


@dataclass(frozen=True)
class LowLimits:
    """Limits that start at 0 or below, on an axis that is or may be logarithmic.

    Parameters
    ----------
    path : tuple of str or int
        Path in the figure's spec.
    of_lines, of_bins : bool
        Whether the axis is logarithmic in a panel of lines, and in a spectrogram.
    """

    path: Path
    number: int
    refusal: Refusal
    of_lines: bool = True
    of_bins: bool = True


def check_scales(template: Template, context: Context) -> Iterator[Finding]:
    """Refuse values that the scale of an axis excludes, if the figure says the scale.

    >>> from datetime import datetime
    >>> spec = {"labels": ["B"], "log_scale": "symlog", "linthresh": -5}
    >>> step = {"step_id": 1, "tool_name": "render_spec", "tool_args": {"spec": spec}}
    >>> template = Template.from_json({"steps": [step]})
    >>> [finding.message for finding in check_scales(template, Context({}, datetime.min, {}))]
    ['linthresh is -5, but a distance from zero is above 0']
    """
    graph = graph_of(template.walk(), context.signatures)
    known = quantities(graph, context, lambda step: any(_low_limits_of(step)))
    for step in graph.steps:
        low = list(_low_limits_of(step))
        for refusal in wrong_thresholds(figure_of(step.step)) if step.tool == RENDER else ():
            yield _diagnostic(step, refusal.path, refusal)
        panels = panels_read(step, known)
        every = [read for reads in tables_read(step, known).values() for read in reads]
        reported: set[Path] = set()
        for limits in low:
            reads = panels.get(limits.number, []) if panels else every
            if limits.path not in reported and _excluded(limits, figure_of(step.step), reads):
                reported.add(limits.path)
                by_catalogue = not limits.of_bins and any("kind" in read.known.doubts for read in reads)
                yield _diagnostic(step, limits.path, limits.refusal, by_catalogue=by_catalogue)


def _diagnostic(step: StepView, path: Path, refusal: Refusal, *, by_catalogue: bool = False) -> Diagnostic:
    return Diagnostic(
        "HV113" if by_catalogue else "HV112",
        refusal.message + (", according to the catalogue" if by_catalogue else ""),
        "warning" if by_catalogue else "error",
        step.id,
        RENDER,
        pointer(*step.path, "tool_args", "spec", *path),
        (refusal.advice,),
    )


def _excluded(limits: LowLimits, spec: Mapping[str, Any], reads: Sequence[ReadTable]) -> bool:
    """Return whether the axis is certainly logarithmic, as the type of its panel or its tables say."""
    types = spec.get("panel_types")
    [kind] = (types[limits.number - 1 : limits.number] if isinstance(types, list) else []) or [""]
    if kind == "strip" or (
        limits.path[0] == "bin_range" and kind != "spectrum" and (kind or len(limits.path) == 1)
    ):
        return False
    if kind:
        return limits.of_bins if kind == "spectrogram" else limits.of_lines
    lines = bool(reads) and not any("spectrum" in read.known.kinds for read in reads)
    return limits.of_lines and (limits.of_bins or lines)


def _low_limits_of(step: StepView) -> Iterator[LowLimits]:
    return _low_limits(figure_of(step.step) if step.tool == RENDER else {})


def _low_limits(spec: Mapping[str, Any]) -> Iterator[LowLimits]:
    """Yield the limits that start at 0 or below and may be those of a logarithmic axis."""
    panels = spec.get("panels")
    count = len(panels) if isinstance(panels, list) else 1
    for key in ("y_range", "bin_range"):
        chosen = spec.get(key)
        by_panel = (
            chosen if isinstance(chosen, dict) else dict.fromkeys(map(str, range(1, count + 1)), chosen)
        )
        for name, limits in by_panel.items():
            number = name.removesuffix(RIGHT)
            if not _increasing(limits) or not number.isdecimal():
                continue
            on_bins = _is_true(spec.get("log_y" if key == "y_range" else "log_x"), name)
            on_lines = _lines_are_log(spec, name) if key == "y_range" else on_bins
            if name.endswith(RIGHT):
                on_bins = on_lines  # only panels of lines have a second axis
            refusal = low_start(key, int(number), limits)
            if refusal is not None and (on_lines or on_bins):
                path = (key, name) if isinstance(chosen, dict) else (key,)
                yield LowLimits(path, int(number), refusal, on_lines, on_bins)
    if not isinstance(panels, list):
        if not set(_listed(spec.get("labels"))) <= _labels_of_entries(spec):
            return  # the tables decide how many panels stand above those of the entries
        count = 0
    entries = [(key, *entry) for key in ENTRIES for entry in enumerate(_listed(spec.get(key)))]
    for number, (key, index, entry) in enumerate(entries, count + 1):
        for axis in "xy":
            limits = entry.get(f"{axis}_range") if isinstance(entry, dict) else None
            if _increasing(limits) and entry.get(f"log_{axis}") is True and not entry.get("polar"):
                refusal = low_start(f"{axis}_range", number, limits)
                if refusal is not None:
                    yield LowLimits((key, index, f"{axis}_range"), number, refusal)


def _lines_are_log(spec: Mapping[str, Any], name: str) -> bool:
    """Return whether the y axis is certainly logarithmic if its panel shows lines.

    ``"log_y": true`` for the whole figure leaves an axis with negative values linear.
    """
    scale = spec.get("log_scale")
    scale = scale.get(name) if isinstance(scale, dict) else scale
    if scale is None or isinstance(scale, int):
        by_panel = isinstance(spec.get("log_y"), dict) and _is_true(spec["log_y"], name)
        return str(scale) == name or by_panel
    return scale in ("y", "log")


def _is_true(value: object, name: str) -> bool:
    """Return whether a key of the figure is true for a panel."""
    return (value.get(name) if isinstance(value, dict) else value) is True


def _increasing(limits: object) -> TypeGuard[list[float]]:
    """Return whether these are two numbers in increasing order; `check_panels` refuses other limits."""
    if not isinstance(limits, list) or len(limits) != 2:
        return False
    return all(isinstance(end, int | float) for end in limits) and limits[0] < limits[1]


def _labels_of_entries(spec: Mapping[str, Any]) -> set[str]:
    found = [place for keys in ENTRY_LABELS for place in values_at(spec, keys)]
    return {label for path, value in found for _, label in labels_at(path, value)}


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
