"""Command that writes a pipeline from options, without a sentence."""

from __future__ import annotations

from typing import Annotated

import typer

from helio.cli.app import (
    Archive,
    Json,
    Now,
    Replace,
    app,
    current_settings,
    errors_as_text,
    print_json,
    say,
    say_line,
)


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="Name of the new pipeline.", metavar="NAME")],
    spacecraft: Annotated[
        list[str] | None,
        typer.Option(
            "--spacecraft", help="Spacecraft, separated by commas, such as ACE,Wind.", metavar="NAMES"
        ),
    ] = None,
    quantity: Annotated[
        list[str] | None,
        typer.Option(
            "--quantity",
            help="Quantities to draw for each spacecraft, separated by commas, such as B,Bz,density,'ram pressure'.",
            metavar="NAMES",
        ),
    ] = None,
    dataset: Annotated[
        list[str] | None,
        typer.Option(
            "--dataset",
            help="Parameters to draw, as DATASET.PARAMETER, separated by commas, such as AC_H2_MFI.BGSEc.",
            metavar="ID.PARAMETER",
        ),
    ] = None,
    time_range: Annotated[
        str | None,
        typer.Option(
            "--time-range",
            "-t",
            help="Time range that the pipeline uses by default, in UTC. Default: the last days with data.",
            metavar="RANGE",
        ),
    ] = None,
    frame: Annotated[
        str,
        typer.Option(
            "--frame",
            help="Frame of the vectors: GSE, GSM, RTN, SM, GEO or GEI. Default: that of the data.",
            metavar="FRAME",
        ),
    ] = "",
    cadence: Annotated[
        str,
        typer.Option(
            "--cadence",
            help="Time between records, such as 5min; finer data are averaged. Default: that of the data.",
            metavar="DURATION",
        ),
    ] = "",
    operation: Annotated[
        list[str] | None,
        typer.Option(
            "--op",
            help="Computations on each series, in this order and separated by commas, such as magnitude, "
            "running_average:10min or resample:1h:median.",
            metavar="TOOL:LENGTH",
        ),
    ] = None,
    title: Annotated[str, typer.Option("--title", help="Title of the figure.", metavar="TEXT")] = "",
    together: Annotated[
        bool,
        typer.Option(
            "--one-panel", help="Draw all quantities in one panel. Default: a panel for each quantity."
        ),
    ] = False,
    save_as: Annotated[
        list[str] | None,
        typer.Option(
            "--save", help="Also save the series in a file: csv, cdf, netcdf or parquet.", metavar="FORM"
        ),
    ] = None,
    replace: Replace = False,
    now: Now = None,
    archive: Archive = None,
    as_json: Json = False,
) -> None:
    """Write a new pipeline from options: what to fetch, compute and draw.

    Example: helio new l1 --spacecraft ACE,Wind --quantity B,density --op running_average:10min --time-range 2022-01-01
    """
    with errors_as_text(as_json, cancelled="nothing was changed"):
        from helio import api

        pipeline = api.new(
            name,
            spacecraft=_parts(spacecraft),
            quantities=_parts(quantity),
            datasets=_parts(dataset),
            time_range=time_range,
            frame=frame,
            cadence=cadence,
            operations=_parts(operation),
            title=title,
            together=together,
            save_as=_parts(save_as),
            replace=replace,
            now=now,
            archive=archive,
            settings=current_settings(),
        )
        if as_json:
            print_json(
                {"path": str(pipeline.path), "template": pipeline.template, "notes": list(pipeline.notes)}
            )
            return
        for note in pipeline.notes:
            say_line(f"note: {note}")
        for warning in pipeline.diagnostics:
            if warning.severity == "warning":
                say_line(f"warning[{warning.code}]: {warning.message}")
        say(str(pipeline.path))


def _parts(texts: list[str] | None) -> list[str]:
    """Return the values of an option that may be repeated, and whose values may be separated by commas."""
    return [part.strip() for text in texts or () for part in text.split(",")]
