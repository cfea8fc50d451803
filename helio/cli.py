"""The command: arguments in, one call of the API, text and an exit code out."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from helio import __version__

if TYPE_CHECKING:
    from datetime import datetime

    from helio.errors import HelioError
    from helio.flows.schedule import Schedule, Schedules
    from helio.flows.server import Server
    from helio.pipelines.execute import StepResult
    from helio.pipelines.plan import PlannedStep
    from helio.pipelines.run import Run
    from helio.settings import Settings
    from helio.store.collect import Collected
    from helio.store.runs import Runs

SUCCESS, FAILED, INVALID, PARTIAL, CANCELLED = 0, 1, 2, 3, 130
EXIT_CODES = "Exit codes: 0 success, 1 failed, 2 invalid request, 3 partial, 130 cancelled."

app = typer.Typer(
    name="helio",
    help="Deterministic pipelines for heliophysics: one JSON file fetches, computes and draws.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Name = Annotated[
    str, typer.Argument(help="A pipeline's name, or the path of a JSON file.", metavar="PIPELINE")
]
Assign = Annotated[
    list[str] | None,
    typer.Option("--set", help="The value of a variable; may be repeated.", metavar="VAR=VALUE"),
]
Archive = Annotated[
    str | None,
    typer.Option("--archive", help="A folder of CDF files, 'cdaweb' or 'sample'.", metavar="DIR|NAME"),
]
Formats = Annotated[
    str,
    typer.Option("--format", help="Formats of figures beside HTML and JSON: png, pdf, svg.", metavar="LIST"),
]
RunId = Annotated[str, typer.Argument(help="A run's id, or the beginning of one.", metavar="RUN")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Now = Annotated[
    str | None, typer.Option("--now", help="The run's clock, UTC, instead of the present.", metavar="TIME")
]


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"helio {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    context: typer.Context,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Say what happens, on standard error.")
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Deterministic pipelines for heliophysics: one JSON file fetches, computes and draws."""
    del version
    context.obj = verbose


@app.command()
def run(
    context: typer.Context,
    name: Annotated[
        list[str],
        typer.Argument(
            help="A pipeline's name, or the path of a JSON file ('run pipeline NAME' works too).",
            metavar="PIPELINE",
        ),
    ],
    time_range: Annotated[
        str | None,
        typer.Option(
            "--time-range", "-t", help="The time range: 2021-10-28, 'last 7 days', A/B.", metavar="RANGE"
        ),
    ] = None,
    assign: Assign = None,
    now: Now = None,
    archive: Archive = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Output folder; ./helio-runs/<run id> when left out."),
    ] = None,
    formats: Formats = "html",
    max_download: Annotated[
        str, typer.Option("--max-download", help="What one fetch may download.", metavar="SIZE")
    ] = "1GB",
    offline: Annotated[bool, typer.Option("--offline", help="Ask no server: use what is there.")] = False,
    refresh: Annotated[bool, typer.Option("--refresh", help="Ask servers again for what is kept.")] = False,
    ephemeral: Annotated[
        bool, typer.Option("--ephemeral", help="Run the engine's server in this process, for batch systems.")
    ] = False,
    direct: Annotated[
        bool, typer.Option("--direct", help="Run without the engine, one step after another.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Run a pipeline: fetch, compute, draw."""
    with _errors_as_text(as_json):
        from helio import api
        from helio.sources.archives import Access

        settings = _settings()
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: words, a record, exit code 130
        _log_to(settings, verbose=context.obj)
        pipeline = _one_name(name)
        chosen = _formats(formats)
        values = _assignments(assign or [])
        with _progress(quiet=as_json) as (started, finished):
            outcome = api.run(
                pipeline,
                time_range=time_range,
                variables=values,
                now=now,
                archive=archive,
                output=output,
                outputs=Path("helio-runs"),
                formats=chosen,
                engine="direct" if direct else "ephemeral" if ephemeral else settings.engine,
                access=Access(_size(max_download), offline, refresh),
                settings=settings,
                started=started,
                finished=finished,
            )
        if as_json:
            _print_json(outcome.record() | {"folder": str(outcome.folder)})
        else:
            _print_outcome(outcome)
    raise typer.Exit({"success": SUCCESS, "partial": PARTIAL, "failed": FAILED}[outcome.status])


@app.command()
def check(name: Name, now: Now = None, as_json: Json = False) -> None:
    """Say everything that is wrong with a pipeline, without running it."""
    with _errors_as_text(as_json):
        from helio import api
        from helio.pipelines.diagnostics import InvalidTemplate

        try:
            found = api.check_template(api.load(name, _settings()), now=now, settings=_settings()).diagnostics
        except InvalidTemplate as error:
            found = error.diagnostics
        wrong = any(one.severity == "error" for one in found)
        if as_json:
            _print_json(
                {
                    "diagnostics": "helio-diagnostics/1",
                    "valid": not wrong,
                    "found": [d.to_json() for d in found],
                }
            )
        else:
            for one in found:
                typer.echo(str(one))
            typer.echo(f"{name}: {'not valid' if wrong else 'valid'}")
    raise typer.Exit(INVALID if wrong else SUCCESS)


@app.command()
def fix(
    name: Name,
    diff: Annotated[bool, typer.Option("--diff", help="Only show what would change.")] = False,
    now: Now = None,
) -> None:
    """Mend what can be mended in a pipeline of yours, and say what cannot."""
    with _errors_as_text(as_json=False):
        from helio import api

        mended = api.fix(name, now=now, write=not diff, settings=_settings())
        for one in mended.diagnostics:
            typer.echo(str(one), err=True)
        typer.echo(mended.diff or f"{name}: nothing to mend", nl=not mended.diff)
        if mended.written is not None:
            typer.echo(f"written {mended.written}")
        wrong = any(one.severity == "error" for one in mended.diagnostics)
    raise typer.Exit(INVALID if wrong else SUCCESS)


@app.command("plan")
def plan_pipeline(
    name: Name,
    time_range: Annotated[
        str | None, typer.Option("--time-range", "-t", help="The time range.", metavar="RANGE")
    ] = None,
    assign: Assign = None,
    now: Now = None,
    archive: Archive = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="A file to save the plan in: helio run FILE executes it."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Say what a run would do, step by step, and save the plan."""
    with _errors_as_text(as_json):
        from helio import api
        from helio.pipelines.run import foresee
        from helio.store.files import write_whole

        settings = _settings()
        source = archive or settings.archive
        values = _assignments(assign or [])
        planned = api.plan(
            name, time_range=time_range, variables=values, now=now, archive=source, settings=settings
        )
        saved = foresee(planned, settings=settings, archive=source)
        if output is not None:
            write_whole(output, (json.dumps(saved, indent=1, ensure_ascii=False) + "\n").encode())
        if as_json:
            _print_json(saved)
            return
        for variable, value in planned.values.items():
            typer.echo(f"{variable} = {value}")
        for step, told in zip(planned.steps, saved["forecast"], strict=True):
            typer.echo(f"{told['state']:<6}  {step.step_id}  {step.tool_name}  {told['reason']}")
        if output is not None:
            typer.echo(f"saved {output}")


@app.command()
def explain(
    subject: Annotated[str, typer.Argument(help="A code such as HR203, or a run's id.", metavar="CODE|RUN")],
    as_json: Json = False,
) -> None:
    """Explain a code, or what each pass did to the pipeline of a run."""
    with _errors_as_text(as_json):
        from helio.pipelines.codes import explained

        code = explained(subject)
        if code is not None:
            if as_json:
                _print_json(code.to_json())
            else:
                typer.echo(str(code))
            return
        record = _runs().load(subject)
        edits = record.documents.get("edits", [])
        if as_json:
            _print_json(edits)
            return
        typer.echo(f"{record.id}: {len(edits)} edits")
        for edit in edits:
            where = f"step {edit['step_id']}" if edit["step_id"] is not None else "the template"
            typer.echo(f"  {edit['code']} ({edit['kind']})  {where}: {edit['message']}")


@app.command()
def passes(as_json: Json = False) -> None:
    """List the passes in the order in which they run."""
    with _errors_as_text(as_json):
        from helio.pipelines.passes import LETTERS

        rows = [
            {"stage": letter, "pass": one.__name__, "does": (one.__doc__ or "").strip().splitlines()[0]}
            for letter, stages in LETTERS
            for stage in stages
            for one in stage
        ]
        if as_json:
            _print_json(rows)
            return
        for row in rows:
            typer.echo(f"{row['stage']}  {row['pass']:<26}  {row['does']}")


@app.command("list")
def list_pipelines(
    tools: Annotated[
        bool, typer.Option("--tools", help="List the tools that steps can use instead.")
    ] = False,
    as_json: Json = False,
) -> None:
    """List the pipelines: yours, and those that come with helio."""
    with _errors_as_text(as_json):
        rows = _tool_rows() if tools else _pipeline_rows(_settings())
        if as_json:
            _print_json(rows)
            return
        width = max(len(row["id"]) for row in rows)
        for row in rows:
            typer.echo(f"{row['id']:<{width}}  {row['summary']}")


@app.command()
def show(name: Name, as_json: Json = False) -> None:
    """Show a pipeline: what it fetches, computes and draws."""
    with _errors_as_text(as_json):
        from helio import api
        from helio.pipelines.template import as_text

        template = api.load(name, _settings())
        if as_json:
            typer.echo(as_text(template), nl=False)
            return
        typer.echo(
            f"{template['id']}: {template.get('name', '')}\n{template.get('description', '')}".rstrip()
        )
        for variable, facts in (template.get("variables") or {}).items():
            default = f" = {facts['default']}" if "default" in facts else " (required)"
            typer.echo(f"\n  {variable} ({facts['type']}){default}  {facts.get('description', '')}".rstrip())
        typer.echo("")
        for step in template["steps"]:
            typer.echo(f"  {step.get('step_id')}: {step.get('tool_name')}  {step.get('intent', '')}".rstrip())
            for key, value in (step.get("tool_args") or {}).items():
                typer.echo(f"      {key} = {json.dumps(value, ensure_ascii=False)}")


@app.command()
def copy(
    name: Name,
    new: Annotated[str, typer.Argument(help="The name of the copy.", metavar="NEW")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace one of yours; the old one is kept.")
    ] = False,
) -> None:
    """Copy a pipeline into your own, to edit it."""
    with _errors_as_text(as_json=False):
        from helio import api

        settings = _settings()
        from helio.pipelines.diagnostics import InvalidTemplate

        template = api.load(name, settings)
        errors = api.check_template(template).errors
        if errors:
            raise InvalidTemplate(errors, place=name)
        template["id"] = new
        typer.echo(api.library(settings).save(template, replace=replace))


@app.command()
def delete(
    name: Name,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Delete one of your own pipelines."""
    with _errors_as_text(as_json=False):
        from helio import api
        from helio.errors import RequestError

        shelf = api.library(_settings())
        shelf.own(name)
        if not yes:
            if not sys.stdin.isatty():
                raise RequestError(f"deleting {name} needs a yes", advice="--yes")
            typer.confirm(f"Delete {name}?", abort=True)
        typer.echo(f"deleted {shelf.delete(name)}")


@app.command("export")
def export_pipeline(
    name: Name,
    file: Annotated[
        Path | None, typer.Argument(help="The file to write; standard output when left out.")
    ] = None,
) -> None:
    """Write a pipeline as one file, to share it."""
    with _errors_as_text(as_json=False):
        from helio import api
        from helio.pipelines.template import as_text
        from helio.store.files import write_whole

        text = as_text(api.load(name, _settings()))
        if file is None:
            typer.echo(text, nl=False)
        else:
            write_whole(file, text.encode())
            typer.echo(str(file))


@app.command("import")
def import_pipeline(
    file: Annotated[Path, typer.Argument(help="A pipeline's JSON file.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace one of yours; the old one is kept.")
    ] = False,
) -> None:
    """Take a pipeline from a file into your own, once it is found valid."""
    with _errors_as_text(as_json=False):
        from helio import api
        from helio.errors import RequestError
        from helio.pipelines.diagnostics import InvalidTemplate

        settings = _settings()
        if not file.is_file():
            raise RequestError(f"there is no file {file}")
        shelf = api.library(settings)
        template = api.load(file.absolute(), settings)
        errors = api.check_template(template).errors
        if errors:
            raise InvalidTemplate(errors, place=str(file))
        typer.echo(shelf.save(template, replace=replace))


runs_app = typer.Typer(help="List, show and delete the records of runs.", rich_markup_mode=None)
app.add_typer(runs_app, name="runs")


@runs_app.callback(invoke_without_command=True)
def list_runs(
    context: typer.Context,
    pipeline: Annotated[str | None, typer.Option("--pipeline", help="Of this pipeline only.")] = None,
    limit: Annotated[int, typer.Option("--limit", help="At most so many, newest first.")] = 20,
    as_json: Json = False,
) -> None:
    """List the records of runs, newest first."""
    if context.invoked_subcommand is not None:
        return
    with _errors_as_text(as_json):
        from dataclasses import asdict

        found = [one for one in _runs().list() if pipeline in (None, one.pipeline)][: max(limit, 0)]
        if as_json:
            _print_json([asdict(one) for one in found])
            return
        for one in found:
            typer.echo(f"{one.status:<9}  {one.started_at[:19]:<19}  {one.id}  {one.note}".rstrip())
        if not found:
            typer.echo("no such runs" if pipeline else "no runs yet: helio run PIPELINE")


@runs_app.command("show")
def show_run(run_id: RunId, as_json: Json = False) -> None:
    """Show what a run did: its steps, files and sources."""
    with _errors_as_text(as_json):
        record = _runs().load(run_id)
        if as_json:
            _print_json({**record.header, "steps": record.steps, "notes": record.notes} | record.documents)
            return
        header = record.header
        typer.echo(f"{record.id}: {record.status}")
        if header.get("error"):
            typer.echo(f"error: {header['error']}")
        for name, value in header.get("values", {}).items():
            typer.echo(f"  {name} = {value}")
        for step in record.steps:
            told = step["reason"] or (step["error"] or {}).get("message", "")
            typer.echo(f"  {_MARKS[step['state']]} {step['step_id']}  {step['tool_name']}  {told}".rstrip())
            for output in step["outputs"]:
                typer.echo(f"      {output['label'] or 'artefact'}  {output['digest'][:19]}…")
        for file in header.get("artefacts", ()):
            typer.echo(f"  {file['kind']:<5} {file['file']}")
        for note in record.notes:
            typer.echo(f"note: {note}", err=True)


@runs_app.command("delete")
def delete_run(run_id: RunId) -> None:
    """Delete the record of a run; what it made goes with a later helio gc --delete."""
    with _errors_as_text(as_json=False):
        runs = _runs()
        record = runs.load(run_id)
        runs.delete(record.id)
        typer.echo(f"deleted {record.id}")


@app.command()
def why(run_id: RunId, step: Annotated[str, typer.Argument(help="The id of a step.")]) -> None:
    """Say why a step of a run ran, or did not have to."""
    with _errors_as_text(as_json=False):
        from helio.pipelines.why import why as reasons

        for line in reasons(_runs(), run_id, step):
            typer.echo(line)


@app.command()
def up() -> None:
    """Start the engine's server, and say where its pages are."""
    with _errors_as_text(as_json=False):
        server = _server()
        server.start()
        server.wait()
        typer.echo(server.ui_url)


@app.command()
def down() -> None:
    """Stop the engine's server."""
    with _errors_as_text(as_json=False):
        server = _server()
        was_up = server.is_up()
        server.stop()
        typer.echo("stopped" if was_up else "it was not up")


schedule_app = typer.Typer(
    help="Pipelines that run by themselves, under helio serve.", rich_markup_mode=None, no_args_is_help=True
)
app.add_typer(schedule_app, name="schedule")
ScheduleName = Annotated[str, typer.Argument(help="A schedule's name.", metavar="NAME")]


@schedule_app.command("add")
def add_schedule(
    pipeline: Name,
    cron: Annotated[
        str,
        typer.Option("--cron", help="Minute, hour, day, month, weekday: '10 6 * * *'.", metavar="FIELDS"),
    ],
    time_range: Annotated[
        str | None,
        typer.Option(
            "--time-range",
            "-t",
            help="As in helio run; 'yesterday' is that of the scheduled day.",
            metavar="RANGE",
        ),
    ] = None,
    assign: Assign = None,
    archive: Archive = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Takes a folder for each time range; in the home when left out."),
    ] = None,
    formats: Formats = "html",
    timezone: Annotated[
        str, typer.Option("--timezone", help="Of --cron; time ranges are UTC.", metavar="ZONE")
    ] = "UTC",
    name: Annotated[
        str, typer.Option("--name", help="The schedule's name; the pipeline's when left out.", metavar="NAME")
    ] = "",
    replace: Annotated[bool, typer.Option("--replace", help="Replace the one of that name.")] = False,
) -> None:
    """Let a pipeline run by itself, once it is found that it can."""
    with _errors_as_text(as_json=False):
        from helio import api

        settings = _settings()
        now = api.read_now(None)
        schedule = _schedules(settings).add(
            pipeline,
            cron=cron,
            now=now,
            name=name,
            timezone=timezone,
            time_range=time_range,
            values=_assignments(assign or []),
            archive=archive or settings.archive,
            formats=_formats(formats),
            output=output,
            replace=replace,
        )
        typer.echo(_schedule_line(schedule, now))
        typer.echo("it runs under helio serve", err=True)


@schedule_app.command("list")
def list_schedules(as_json: Json = False) -> None:
    """List the schedules, and when each runs next."""
    with _errors_as_text(as_json):
        from dataclasses import asdict

        from helio import api
        from helio.errors import HelioError

        schedules, now = _schedules(_settings()), api.read_now(None)
        found = []
        for name in schedules.names():
            try:
                found.append(schedules.load(name))
            except HelioError as error:  # one damaged record does not hide the others
                typer.echo(f"error: {error}", err=True)
        if as_json:
            _print_json([asdict(one) | {"next": one.next_after(now).isoformat()} for one in found])
            return
        for one in found:
            typer.echo(_schedule_line(one, now))
        if not schedules.names():
            typer.echo("no schedules yet: helio schedule add PIPELINE --cron '10 6 * * *' -t yesterday")


@schedule_app.command("pause")
def pause_schedule(name: ScheduleName) -> None:
    """Let a schedule rest."""
    with _errors_as_text(as_json=False):
        from helio import api

        typer.echo(_schedule_line(_schedules(_settings()).pause(name), api.read_now(None)))


@schedule_app.command("resume")
def resume_schedule(name: ScheduleName) -> None:
    """Let a paused schedule go on."""
    with _errors_as_text(as_json=False):
        from helio import api

        typer.echo(_schedule_line(_schedules(_settings()).pause(name, paused=False), api.read_now(None)))


@schedule_app.command("remove")
def remove_schedule(name: ScheduleName) -> None:
    """Remove a schedule; what its runs made stays."""
    with _errors_as_text(as_json=False):
        _schedules(_settings()).remove(name)
        typer.echo(f"removed {name}")


@app.command()
def serve(
    context: typer.Context,
    limit: Annotated[int, typer.Option("--limit", min=1, help="Runs at the same time.")] = 2,
    flow_run: Annotated[str, typer.Option("--flow-run", hidden=True)] = "",
) -> None:
    """Run the schedules until Ctrl-C, and show them in the engine's pages."""
    with _errors_as_text(as_json=False):
        settings = _settings()
        _log_to(settings, verbose=context.obj)
        from helio.flows import serve as serving

        if not flow_run:
            serving.serve(settings, limit=limit, told=_say_when)
            return
        from helio.errors import Cancelled, HelioError

        try:
            outcome = serving.run_scheduled(flow_run, settings)
        except Cancelled as error:
            raise typer.Exit(CANCELLED) from error
        except HelioError as error:
            _say_when(f"failed: {error.message}")
            raise typer.Exit(FAILED) from error
        _say_when(serving.describe_run(outcome))
    raise typer.Exit({"success": SUCCESS, "partial": PARTIAL, "failed": FAILED}[outcome.status])


@app.command()
def gc(
    older_than: Annotated[
        str | None, typer.Option("--older-than", help="Drop records of runs that began before: 30d.")
    ] = None,
    quota: Annotated[str | None, typer.Option("--quota", help="Bytes that the store may keep: 20GB.")] = None,
    delete: Annotated[bool, typer.Option("--delete", help="Do it, instead of only saying so.")] = False,
    as_json: Json = False,
) -> None:
    """Collect what no run refers to; says what would go, and with --delete lets it go.

    What was made or used in the last hour stays: a run may be about to refer to it.
    """
    with _errors_as_text(as_json):
        from datetime import UTC, datetime, timedelta

        from helio.store.collect import collect
        from helio.store.store import Store
        from helio.time_range import Duration

        settings = _settings()
        age = None if older_than is None else timedelta(microseconds=Duration(older_than).nanoseconds // 1000)
        limit = None if quota is None else _size(quota)
        found = collect(
            Store(settings.store),
            _runs(),
            older_than=age,
            quota=limit,
            now=datetime.now(UTC),
            dry_run=not delete,
        )
        _print_collected(found, done=delete, as_json=as_json)
        if limit is not None and found.kept > limit and not as_json:
            typer.echo(
                f"{found.kept / 1e6:.1f} MB are more than was asked for: the rest is of the last hour or in use"
            )


datasets_app = typer.Typer(
    help="Find datasets of CDAWeb, and what is in them.", rich_markup_mode=None, no_args_is_help=True
)
app.add_typer(datasets_app, name="datasets")
DatasetId = Annotated[str, typer.Argument(help="A dataset's id, as AC_H0_MFI.", metavar="DATASET")]


@datasets_app.command("search")
def search_datasets(
    words: Annotated[
        list[str], typer.Argument(help="What to look for: 'ACE magnetic field 1 min'.", metavar="WORDS")
    ],
    limit: Annotated[int, typer.Option("--limit", help="At most so many, best first.", min=1)] = 10,
    as_json: Json = False,
) -> None:
    """Find datasets by words: mission, instrument, quantity, frame, cadence."""
    with _errors_as_text(as_json):
        from helio.knowledge.catalogue import open_catalogue
        from helio.knowledge.search import Search
        from helio.knowledge.text import answer_lines

        answer = Search(open_catalogue(_settings().home)).find(" ".join(words), limit=limit)
        if as_json:
            hits = [{**one.dataset.to_json(), "score": one.score} for one in answer.hits]
            unknown = {word: list(close) for word, close in answer.unknown.items()}
            _print_json({"total": answer.total, "datasets": hits, "unknown": unknown})
        else:
            _say("\n".join(answer_lines(answer)))
    if not answer.hits:
        raise typer.Exit(FAILED)


@datasets_app.command("show")
def show_dataset(dataset: DatasetId, as_json: Json = False) -> None:
    """Show a dataset: title, mission, span, cadence, DOI, notes and how to cite it."""
    with _errors_as_text(as_json):
        from helio.knowledge.catalogue import open_catalogue
        from helio.knowledge.text import entry_lines

        catalogue = open_catalogue(_settings().home)
        entry = catalogue.dataset(dataset)
        if as_json:
            _print_json({**entry.to_json(), "as_of": catalogue.as_of.isoformat()})
        else:
            _say("\n".join(entry_lines(entry, catalogue)))


@datasets_app.command("parameters")
def list_parameters(
    dataset: DatasetId,
    match: Annotated[
        str, typer.Option("--match", help="Only those with this text in name, unit or description.")
    ] = "",
    as_json: Json = False,
) -> None:
    """List a dataset's parameters with size, unit and description."""
    with _errors_as_text(as_json):
        from helio.knowledge.catalogue import open_catalogue
        from helio.knowledge.text import parameter_lines

        entry = open_catalogue(_settings().home).dataset(dataset)
        told = [
            one
            for one in entry.parameters
            if match.lower() in f"{one.name} {one.unit} {one.description}".lower()
        ]
        if as_json:
            _print_json({"id": entry.id, "parameters": [one.to_json() for one in told]})
        else:
            _say("\n".join(parameter_lines(entry, told)))


@app.command()
def missions(as_json: Json = False) -> None:
    """List the missions whose data CDAWeb serves."""
    with _errors_as_text(as_json):
        from dataclasses import asdict

        from helio.knowledge.catalogue import open_catalogue
        from helio.knowledge.text import mission_lines

        found = open_catalogue(_settings().home).missions()
        if as_json:
            _print_json([asdict(one) for one in found])
        else:
            _say("\n".join(mission_lines(found)))


catalog_app = typer.Typer(
    help="What helio knows of CDAWeb's datasets.", rich_markup_mode=None, no_args_is_help=True
)
app.add_typer(catalog_app, name="catalog")


@catalog_app.command("refresh")
def refresh_catalog(
    masters: Annotated[
        str,
        typer.Option(
            "--masters",
            help="Read parameters anew from the master CDFs of these datasets: 'AC_*'; '*' is 2,900 files.",
            metavar="PATTERN",
        ),
    ] = "",
    force: Annotated[bool, typer.Option("--force", help="Also when it is less than a day old.")] = False,
    server: Annotated[
        str | None, typer.Option("--server", help="Another server than CDAWeb's own.", metavar="URL")
    ] = None,
    as_json: Json = False,
) -> None:
    """Renew the catalogue from CDAWeb; it stays as it was when that cannot be."""
    with _errors_as_text(as_json):
        from dataclasses import asdict
        from datetime import UTC, datetime

        from helio.errors import DataError
        from helio.knowledge.refresh import SERVER, known_so_far, renew
        from helio.sources.http import Http

        home, now = _settings().home, datetime.now(UTC)
        before = known_so_far(home)
        if before.as_of <= now < before.fresh_until and not (force or masters):
            if as_json:
                _print_json({"status": "fresh", "as_of": before.as_of, "datasets": len(before)})
            else:
                typer.echo(
                    f"{len(before)} datasets, as of {before.as_of:%Y-%m-%d %H:%M} UTC: less than a day old"
                )
            return
        http = Http()
        try:
            done = renew(before, home, http, now=now, server=server or SERVER, masters=masters)
        except DataError as error:
            kept = f"the catalogue of {before.as_of:%Y-%m-%d} is kept"
            error.advice = f"{error.advice}; {kept}" if error.advice else kept
            raise
        finally:
            http.close()
        if as_json:
            _print_json({"status": "renewed", **asdict(done)})
            return
        typer.echo(f"{done.datasets} datasets, {len(done.added)} new, {len(done.gone)} gone: {done.path}")
        if done.undescribed:
            typer.echo(f"note: no master CDF could be read for {', '.join(done.undescribed[:10])}", err=True)


@app.command()
def schema() -> None:
    """Print the JSON Schema of templates."""
    from helio.pipelines.schema import PUBLISHED

    typer.echo(PUBLISHED.read_text(encoding="utf-8"), nl=False)


@app.command()
def doctor(
    archive: Annotated[
        str | None, typer.Option("--archive", help="An archive to look at.", metavar="DIR|sample")
    ] = None,
    as_json: Json = False,
) -> None:
    """Say what this installation has, and what it lacks."""
    with _errors_as_text(as_json):
        from helio.doctor import examine

        findings = examine(_settings(), archive or "")
        if as_json:
            _print_json(
                [
                    {"subject": one.subject, "ok": one.ok, "found": one.found, "advice": one.advice}
                    for one in findings
                ]
            )
        else:
            width = max(len(one.subject) for one in findings)
            for one in findings:
                typer.echo(f"{'ok  ' if one.ok else 'MISS'}  {one.subject:<{width}}  {one.found}")
                if one.advice:
                    typer.echo(f"      {'':<{width}}  try {one.advice}")
    raise typer.Exit(SUCCESS if all(one.ok or one.optional for one in findings) else FAILED)


def main() -> None:
    """Run the command."""
    app()


@contextmanager
def _errors_as_text(as_json: bool) -> Iterator[None]:
    """Turn an error that helio knows into words and an exit code; everything else is a bug and shows itself."""
    # Errors cost an import; a command that succeeds at once does not need them.
    from helio.errors import Cancelled, HelioError, RequestError

    try:
        yield
    except (KeyboardInterrupt, Cancelled) as error:
        typer.echo("cancelled; the same command goes on from what is finished", err=True)
        raise typer.Exit(CANCELLED) from error
    except HelioError as error:
        code = INVALID if isinstance(error, RequestError) else FAILED
        _say_error(error, as_json, code)
        raise typer.Exit(code) from error


def _say_error(error: HelioError, as_json: bool, code: int) -> None:
    found = getattr(error, "diagnostics", ())
    if as_json:
        _print_json(
            {
                "status": "invalid" if code == INVALID else "failed",
                "error": {
                    "kind": type(error).__name__,
                    "message": error.message,
                    "place": error.place,
                    "advice": error.advice,
                },
                "found": [one.to_json() for one in found],
            }
        )
    elif found:
        place = f"{error.place}\n" if error.place else ""
        typer.echo(place + "\n".join(str(one) for one in found), err=True)
    else:
        typer.echo(f"error: {error}", err=True)


_MARKS = {"completed": "✓", "cached": "=", "failed": "✗", "skipped": "–"}


def _runs() -> Runs:
    from helio.store.runs import Runs

    return Runs(_settings().runs)


def _server() -> Server:
    from helio.flows.server import Server

    settings = _settings()
    return Server(settings.home, settings.environ)


def _schedules(settings: Settings) -> Schedules:
    from helio.flows.schedule import Schedules

    return Schedules(settings)


def _schedule_line(schedule: Schedule, now: datetime) -> str:
    following = f"next {schedule.next_after(now):%Y-%m-%d %H:%M} UTC"
    values = " ".join(f"{name.removeprefix('$')}='{value}'" for name, value in schedule.values.items())
    zone = "" if schedule.timezone == "UTC" else f" {schedule.timezone}"
    named = "" if schedule.pipeline == schedule.name else f"  {schedule.pipeline}"
    return f"{schedule.name}{named}  {schedule.cron}{zone}  {'paused' if schedule.paused else following}  {values}"


def _say_when(line: str) -> None:
    from datetime import UTC, datetime

    _say(f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S}  {'; '.join(line.splitlines())}")


def _size(text: str) -> int:
    """Bytes of ``20GB``, ``500 MiB`` or a plain number."""
    import re

    from helio.errors import RequestError

    powers = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
    powers |= {"ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]i?)?b?\s*", text.lower())
    if not found:
        raise RequestError(f"'{text}' is no size", advice="20GB, 500MB")
    return int(float(found[1]) * powers[found[2] or ""])


def _settings() -> Settings:
    from helio.settings import read_settings

    return read_settings()


def _log_to(settings: Settings, *, verbose: bool) -> None:
    """Everything to a file in the home, which turns over at 1 MB; with --verbose to standard error too."""
    import logging
    from logging.handlers import RotatingFileHandler

    root = logging.getLogger("helio")
    root.setLevel(logging.DEBUG)
    root.propagate = False
    while root.handlers:  # those of an earlier command of this process
        root.handlers.pop().close()
    form = logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    if verbose:
        told = logging.StreamHandler()
        told.setFormatter(form)
        root.addHandler(told)
    try:
        settings.log_file.parent.mkdir(parents=True, exist_ok=True)
        kept = RotatingFileHandler(settings.log_file, maxBytes=1_000_000, backupCount=3, encoding="utf-8")
    except OSError as error:
        root.addHandler(logging.StreamHandler())
        root.warning("no log file is kept: %s", error)
        return
    kept.setFormatter(form)
    root.addHandler(kept)


def _one_name(words: list[str]) -> str:
    """``run NAME`` and ``run pipeline NAME`` are the same."""
    from helio.errors import RequestError

    if len(words) == 2 and words[0] == "pipeline":
        return words[1]
    if len(words) != 1:
        raise RequestError(
            f"one pipeline at a time, not {len(words)}: {' '.join(words)}", advice="helio run NAME"
        )
    return words[0]


def _formats(text: str) -> list[Any]:
    from helio.errors import RequestError
    from helio.pipelines.files import FORMATS

    chosen = [one.strip().lower() for one in text.split(",") if one.strip()]
    unknown = [one for one in chosen if one not in FORMATS]
    if unknown:
        raise RequestError(f"'{unknown[0]}' is no format of figures", advice=f"formats: {', '.join(FORMATS)}")
    return chosen


def _assignments(texts: list[str]) -> dict[str, str]:
    from helio.errors import RequestError

    values: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip("$ "):
            raise RequestError(f"'{text}' is no assignment", advice="--set VARIABLE=VALUE")
        values[name.strip()] = value
    return values


@contextmanager
def _progress(*, quiet: bool) -> Iterator[tuple[Any, Any]]:
    """Two callbacks that tell of each step: a moving line at a terminal, one line a step elsewhere."""
    if quiet:
        yield (lambda step: None), (lambda result: None)
        return
    if not sys.stdout.isatty():
        yield (lambda step: None), (lambda result: _say(_step_line(result)))
        return
    from rich.console import Console

    console = Console(highlight=False)
    with console.status("planning") as status:

        def started(step: PlannedStep) -> None:
            status.update(f"{step.step_id}: {step.tool_name} {step.intent}")

        def finished(result: StepResult) -> None:
            console.print(_step_line(result), markup=False)
            status.update("writing")

        yield started, finished


def _say(text: str) -> None:
    """Print a line; when nobody reads any more (``| head``), go on without."""
    try:
        typer.echo(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _step_line(result: StepResult) -> str:
    mark = _MARKS[result.state]
    told = result.reason
    if result.error is not None:
        told = result.error.message
    elif result.outputs and result.artefact is None:
        told = ", ".join(f"{one.label} ({one.facts['rows']} records)" for one in result.outputs)
    elif result.artefact is not None:
        told = ""
    return f"{mark} {result.step.step_id}  {result.step.tool_name}  {told}".rstrip()


def _print_outcome(outcome: Run) -> None:
    for one in outcome.result.steps:
        for output in one.outputs:
            if output.label:
                for note in output.facts["notes"]:
                    typer.echo(f"note: {one.step.step_id}: {output.label}: {note}", err=True)
        if one.error is not None:
            typer.echo(f"error: {one.error}", err=True)
        for attempt in one.attempts[:-1]:
            passed = f"{attempt['dataset_id']} was passed over: {attempt['outcome']}"
            typer.echo(f"warning[HE201] step {one.step.step_id}: {passed}", err=True)
        for note in one.artefact.facts["notes"] if one.artefact else ():
            if not _is_full_coverage(note):
                typer.echo(f"note: {one.step.step_id}: {note}", err=True)
    for warning in outcome.plan.warnings:
        typer.echo(str(warning), err=True)
    for unwritten in outcome.unwritten:
        typer.echo(f"error: {unwritten}", err=True)
    for artefact in outcome.artefacts:
        _say(f"{artefact.kind:<5} {artefact.path}")
    if outcome.page:
        _say(f"page  {outcome.page}  (helio down stops the server)")
    _say(f"{outcome.status}: {outcome.plan.pipeline_id}  {outcome.folder}")


def _is_full_coverage(note: str) -> bool:
    """Whether a note only says that next to nothing is missing."""
    import re

    shares = re.findall(r"(\d+(?:\.\d+)?) %", note)
    return "coverage" in note and all(float(one) >= 95 for one in shares)


def _pipeline_rows(settings: Settings) -> list[dict[str, Any]]:
    from helio import api
    from helio.errors import HelioError

    shelf = api.library(settings)
    rows: list[dict[str, Any]] = []
    for entry in shelf.entries():
        try:
            template = shelf.read(entry)
            summary = template.get("description") or template.get("name") or ""
        except HelioError as error:  # one damaged file does not hide the others
            summary = f"cannot be read: {error.message}"
        rows.append({"id": entry.id, "shipped": entry.shipped, "summary": summary})
    return rows


def _tool_rows() -> list[dict[str, Any]]:
    from helio.steps.signature import signatures

    return [{"id": name, "summary": one.summary} for name, one in sorted(signatures().items())]


def _print_json(value: Any) -> None:
    typer.echo(json.dumps(value, indent=1, ensure_ascii=False, default=str))


def _print_collected(found: Collected, *, done: bool, as_json: bool) -> None:
    rows: list[dict[str, Any]] = [
        {"kind": kind, "reason": reason, "count": count, "bytes": size}
        for (kind, reason), (count, size) in found.by_reason().items()
    ]
    if as_json:
        _print_json({"deleted": done, "freed": found.freed, "kept": found.kept, "removals": rows})
        return
    for row in rows:
        typer.echo(f"{row['count']:>6} {row['kind']:<14}  {row['bytes'] / 1e6:>9.1f} MB  {row['reason']}")
    verb = "freed" if done else "would be freed (--delete does it)"
    typer.echo(f"{found.freed / 1e6:.1f} MB {verb}, {found.kept / 1e6:.1f} MB kept")
