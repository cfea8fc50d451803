"""Commands that propose new pipelines, changes and repairs from sentences. Pending proposals never run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from helio.cli.app import Archive, Json, Now, app, current_settings, errors_as_text, proposals, say
from helio.cli.asking import (
    Answers,
    Options,
    Preview,
    PreviewFormats,
    Range,
    Replay,
    Size,
    Sources,
    Writer,
    Yes,
    ask,
    open_desk,
    show,
)
from helio.cli.completion import complete_pipelines, complete_runs


@app.command()
def author(
    context: typer.Context,
    request: Annotated[
        str,
        typer.Argument(
            help="What you want, in a sentence, such as 'plot the ACE magnetic field for 2022-01-01'.",
            metavar="REQUEST",
        ),
    ],
    name: Annotated[
        str,
        typer.Option(
            "--as", help="Name of the new pipeline. Default: a name made from the request.", metavar="NAME"
        ),
    ] = "",
    yes: Yes = False,
    answers: Answers = None,
    sources: Sources = None,
    preview: Preview = False,
    size: Size = False,
    time_range: Range = None,
    formats: PreviewFormats = "",
    now: Now = None,
    archive: Archive = None,
    by: Writer = "auto",
    replay: Replay = None,
    as_json: Json = False,
) -> None:
    """Propose a new pipeline from a sentence.

    The proposal is saved as your pipeline when you accept it.
    """
    from helio.authoring.rules.reading.named_archives import OF_CATALOGUE, take_archive

    with errors_as_text(as_json):
        named = take_archive(request, current_settings().servers)[1]
        archive = archive or (named if named != OF_CATALOGUE else "") or None
    options = Options(yes, as_json, preview, size, time_range, formats, now, archive)
    with open_desk(context, options, by=by, replay=replay) as desk:
        outcome = ask(
            desk,
            lambda chosen: desk.create(request, name=name, chosen=chosen, sources=sources or []),
            answers or [],
            options,
        )
        show(desk, outcome, options)


@app.command()
def edit(
    context: typer.Context,
    pipeline: Annotated[
        str,
        typer.Argument(
            help="Name of a pipeline, path of its JSON file, or ID of a pending proposal.",
            metavar="PIPELINE|PROPOSAL",
            autocompletion=complete_pipelines,
        ),
    ],
    request: Annotated[
        str,
        typer.Argument(
            help="A change, such as 'add the density', or a question about the pipeline.",
            metavar="REQUEST",
        ),
    ] = "",
    undo: Annotated[
        bool,
        typer.Option(
            "--undo",
            help="Go back to the text before the last change; repeat the command to go back further.",
        ),
    ] = False,
    name: Annotated[
        str,
        typer.Option(
            "--as", help="Change a copy with this name, and leave the pipeline unchanged.", metavar="NAME"
        ),
    ] = "",
    yes: Yes = False,
    answers: Answers = None,
    sources: Sources = None,
    preview: Preview = False,
    size: Size = False,
    time_range: Range = None,
    formats: PreviewFormats = "",
    now: Now = None,
    archive: Archive = None,
    by: Writer = "auto",
    replay: Replay = None,
    as_json: Json = False,
) -> None:
    """Propose a change to a pipeline, answer a question about it, or undo a change.

    The pipeline changes when you accept the proposal. A change to a pending proposal is a new proposal on top of it.
    """
    if undo:
        given = {
            "--as": name,
            "--answer": answers,
            "--from": sources,
            "--preview": preview,
            "--replay": replay,
        }
        with errors_as_text(as_json):
            _undo(pipeline, request, [option for option, value in given.items() if value])
        return
    options = Options(yes, as_json, preview, size, time_range, formats, now, archive)
    with open_desk(context, options, by=by, replay=replay) as desk:
        if not request.strip():
            from helio.errors import RequestError

            raise RequestError(
                "no change was requested", advice=f"use `helio edit {pipeline} 'add the density'`, or --undo"
            )
        outcome = ask(
            desk,
            lambda chosen: desk.edit(pipeline, request, name=name, chosen=chosen, sources=sources or []),
            answers or [],
            options,
        )
        show(desk, outcome, options)


def _undo(pipeline: str, request: str, options: Sequence[str]) -> None:
    """Go back to the text of a pipeline before its last change; refuse options that only a request uses."""
    from helio import api
    from helio.errors import RequestError

    if request or options:
        what = "a request" if request else ", ".join(options)
        raise RequestError(
            f"--undo cannot be used together with {what}",
            advice=f"`helio edit {pipeline} --undo` changes {pipeline} itself; to change a copy, copy it first",
        )
    shelf = api.library(current_settings())
    entry = shelf.find(pipeline)
    if not entry.shipped and entry.path.resolve().parent != shelf.folder.resolve():
        undone = proposals().undo(entry.path.resolve())
        say(f"undone: {undone.request}; {pipeline} has its earlier text again")
        return
    history = shelf.history(shelf.own(entry.id).id)
    last = history.last_sentence()
    revision = history.undo()
    say(f"undone: {last}; {entry.id} is {revision.request}; `helio history {entry.id}` lists all revisions")


@app.command()
def repair(
    context: typer.Context,
    run_id: Annotated[
        str,
        typer.Argument(
            help="ID of a run that failed, or 'last' for the newest run.",
            metavar="RUN",
            autocompletion=complete_runs,
        ),
    ],
    yes: Yes = False,
    answers: Answers = None,
    preview: Preview = False,
    size: Size = False,
    time_range: Range = None,
    formats: PreviewFormats = "",
    now: Now = None,
    archive: Archive = None,
    by: Writer = "auto",
    replay: Replay = None,
    as_json: Json = False,
) -> None:
    """Propose a change of the pipeline that makes a failed run succeed."""
    options = Options(yes, as_json, preview, size, time_range, formats, now, archive)
    with open_desk(context, options, by=by, replay=replay) as desk:
        outcome = ask(desk, lambda chosen: desk.repair(run_id, chosen=chosen), answers or [], options)
        show(desk, outcome, options)


@app.command()
def answer(
    context: typer.Context,
    question: Annotated[
        str,
        typer.Argument(
            help="ID of the question, which helio printed, or the beginning of the ID.", metavar="QUESTION"
        ),
    ],
    choice: Annotated[
        str, typer.Argument(help="One of the choices of the question, or its number.", metavar="CHOICE")
    ],
    yes: Yes = False,
    preview: Preview = False,
    size: Size = False,
    time_range: Range = None,
    formats: PreviewFormats = "",
    as_json: Json = False,
) -> None:
    """Answer a question that author, edit or repair asked, and continue the request.

    The author, the archive and the time that counts as now are those of the request.
    """
    with errors_as_text(as_json):
        from helio.authoring.questions import OpenQuestions

        asked = OpenQuestions(current_settings().questions).load(question)
    options = Options(yes, as_json, preview, size, time_range, formats, asked.now, asked.archive or None)
    with open_desk(context, options, by=asked.by) as desk:
        outcome = desk.answer(asked.id, choice)
        show(desk, outcome, options)
