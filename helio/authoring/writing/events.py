"""Find the events of a request in a series: save them in a file, or superpose the series of the figure around them."""

from __future__ import annotations

from collections.abc import Sequence

from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import Epochs, Events, EventTable
from helio.authoring.writing.steps import PlotSeries, Steps
from helio.pipelines.template.document import Document
from helio.pipelines.template.from_document import KEY


def save_events(
    table: EventTable, forms: Sequence[str], file: str, shown: Sequence[PlotSeries], steps: Steps
) -> None:
    """Find the events in a series, and save them in files of some formats.

    Parameters
    ----------
    file : str
        The name of the files, without an ending; if empty, that of the events.

    Raises
    ------
    NotUnderstood
        The request names several series, or a vector.
    """
    events = table.events
    series = _searched(events, shown)
    args = {"source_label": series.label, **dict(events.args)}
    if "when" in args and args["when"].count(" ") < 2:  # a sign and a level, without a unit
        args["when"] = f"{args['when']} {series.unit}".strip()
    labels = [
        steps.make(f"{events.name}_{give}", events.tool, f"{events.intent}: {give}", **args, give=give)
        for give in table.gives
    ] or [steps.make(events.name, events.tool, events.intent, **args)]
    if not forms:
        steps.note("the table is saved as CSV, because the request names no format")
    for form in forms or ("csv",):
        steps.save(file or events.name, labels, form)


def superposed(epochs: Epochs, spec: Document, shown: Sequence[PlotSeries], steps: Steps) -> Document:
    """Return the settings of a figure with the series of another superposed, each in a panel of its own."""
    events, labels = epochs.events, spec["labels"]
    args = dict(events.args)
    if events.of:
        index = _searched(events, shown)
        args = {"source_label": index.label, **args}
        labels = [label for label in labels if epochs.drawn or label != index.label]
    times = steps.make(events.name, events.tool, events.intent, **args)
    if events.document:
        steps.steps[-1]["annotations"] = {KEY: events.document.to_json()}
    window = {"events_label": times, "before": epochs.before, "after": epochs.after, "bin": epochs.bin}
    if epochs.give:
        window["give"] = epochs.give
    made = [
        steps.make(
            f"{label}_epochs".replace(".", "_"),
            "superposed_epoch",
            f"Superpose {label} around {epochs.about}",
            series_label=label,
            **window,
        )
        for label in labels
    ]
    title = f"{spec['title']}: superposed epoch"
    return {
        "labels": made,
        "panels": [[label] for label in made],
        "panel_types": ["epochs"] * len(made),
        "title": title,
    }


def _searched(events: Events, shown: Sequence[PlotSeries]) -> PlotSeries:
    """Return the series in which a tool finds the events."""
    named = [series for series in shown if series.quantity == events.of] if events.of else shown
    if len(named) != 1 or named[0].kind != "scalar":
        raise NotUnderstood(
            "a condition needs one series: the request names several, or a vector",
            advice="name one spacecraft and one quantity, such as 'intervals with ACE Bz < -10 nT'",
        )
    return named[0]
