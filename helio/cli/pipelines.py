"""Commands that check, correct, show, copy and share pipelines."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from helio.cli.app import (
    INVALID,
    SUCCESS,
    Archive,
    Json,
    Name,
    Now,
    OwnName,
    Replace,
    app,
    current_settings,
    errors_as_text,
    is_run,
    print_json,
    run_records,
    say,
    say_changes,
    say_line,
    say_rows,
)
from helio.cli.completion import complete_pipelines, complete_shown
from helio.cli.reference import print_tool, print_tools
from helio.counts import number_of
from helio.pipelines.template.plain_text import without_long_words

if TYPE_CHECKING:
    from helio.pipelines.history import Kind, Revision
    from helio.pipelines.runs.bundle import Bundled
    from helio.pipelines.runs.provenance import Provenance
    from helio.pipelines.template.document import Document
    from helio.pipelines.template.runner import RewriteResult
    from helio.settings import Settings

_FIXED_RANGE = "HR601"
"""Code of the edit that makes a fixed time range a variable."""
_SAME_MEANING = ("HN100", "HN101", "HN301", "HN302")
"""Codes of edits that fill in defaults and ids, and of those with a warning of their own."""


@app.command()
def check(
    name: Name,
    now: Now = None,
    archive: Archive = None,
    hints: Annotated[
        bool, typer.Option("--hints", help="Also show hints: suggestions for a pipeline that is valid.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Find all errors and warnings in a pipeline, without running it."""
    with errors_as_text(as_json):
        from helio import api
        from helio.pipelines.template.diagnostics import InvalidTemplate, without_hints

        settings = current_settings()
        try:
            diagnostics = api.check_template(
                api.load(name, settings), now=now, archive=archive, settings=settings
            ).diagnostics
        except InvalidTemplate as error:
            diagnostics = error.diagnostics
        shown = diagnostics if hints else without_hints(diagnostics)
        wrong = any(diagnostic.severity == "error" for diagnostic in diagnostics)
        if as_json:
            print_json(
                {
                    "diagnostics": "helio-diagnostics/1",
                    "valid": not wrong,
                    "found": [finding.to_json() for finding in shown],
                    "hints_not_shown": len(diagnostics) - len(shown),
                }
            )
        else:
            for finding in shown:
                say(without_long_words(str(finding)))
            say(f"{name}: {'not valid' if wrong else 'valid'}")
            if left_out := len(diagnostics) - len(shown):
                say(f"{number_of(left_out, 'hint')} not shown; to see them: `helio check {name} --hints`")
    raise typer.Exit(INVALID if wrong else SUCCESS)


@app.command()
def fix(
    name: Name,
    diff: Annotated[
        bool, typer.Option("--diff", help="Show the corrections, and leave the file unchanged.")
    ] = False,
    now: Now = None,
) -> None:
    """Correct errors in one of your pipelines, and list the errors that remain.

    If an error remains, the file stays unchanged. Otherwise helio writes the file in its own layout.
    """
    with errors_as_text(as_json=False):
        from helio import api
        from helio.pipelines.template.diagnostics import without_hints

        mended = api.fix(name, now=now, write=not diff, settings=current_settings())
        for diagnostic in without_hints(mended.diagnostics):
            say(without_long_words(str(diagnostic)), err=True)
        errors = sum(diagnostic.severity == "error" for diagnostic in mended.diagnostics)
        if errors:
            remain, them = ("1 error remains", "it") if errors == 1 else (f"{errors} errors remain", "them")
            rest = (
                f"; correct {them} by hand, then `helio fix {name}` corrects the rest" if mended.diff else ""
            )
            say(f"{name}: unchanged, {remain}{rest}")
        else:
            say(mended.diff or f"{name}: nothing to correct", nl=not mended.diff)
        if mended.written is not None:
            say(f"written {mended.written}")
    raise typer.Exit(INVALID if errors else SUCCESS)


@app.command("list")
def list_pipelines(
    tools: Annotated[bool, typer.Option("--tools", help="The same as `helio tools`.", hidden=True)] = False,
    as_json: Json = False,
) -> None:
    """List your pipelines and those that come with helio."""
    with errors_as_text(as_json):
        if tools:
            print_tools(as_json)
            return
        rows = _pipeline_rows(current_settings())
        if as_json:
            print_json(rows)
            return
        width = max(len(row["id"]) for row in rows)
        own = [row for row in rows if not row["shipped"]]
        shipped = [row for row in rows if row["shipped"]]
        for title, members in (("your pipelines:", own), ("pipelines that come with helio:", shipped)):
            if own:
                say(title)
            say_rows([(f"{row['id']:<{width}}", row["summary"]) for row in members], indent=2 if own else 0)


@app.command()
def show(
    name: Annotated[
        str,
        typer.Argument(
            help="Name of a pipeline, path of its JSON file, name of a tool, ID of a run, to show its pipeline; "
            "'last' is the newest run; or path of a figure in PNG, PDF, SVG or HTML, to show how it was made.",
            metavar="PIPELINE|TOOL|RUN|FIGURE",
            autocompletion=complete_shown,
        ),
    ],
    as_json: Json = False,
) -> None:
    """Show the steps of a pipeline, the page of a tool, or how a figure was made."""
    with errors_as_text(as_json):
        from helio import api
        from helio.pipelines.library import FIGURE_ENDINGS
        from helio.steps.signature import signatures

        settings = current_settings()
        if name in signatures() and name not in {entry.id for entry in api.library(settings).entries()}:
            print_tool(name, as_json)
            return
        if name.lower().endswith(FIGURE_ENDINGS):
            origin = api.read_figure(name).origin
            if as_json:
                print_json(origin.to_json())
            else:
                say_origin(origin)
            return
        from helio.pipelines.template.document import as_text

        template = _template_of(name, settings)
        if as_json:
            say(as_text(template), nl=False, exact=True)
            return
        say_template(template)


def say_origin(origin: Provenance) -> None:
    """Print how a figure was made: its data, how to cite them, and its pipeline with all code."""
    from helio.knowledge.citations import text_lines
    from helio.sources.allowance import in_words

    made = f"{origin.archive or 'the providers of the steps'}"
    say(f"figure of step {origin.step}, made with helio {origin.helio}; data from {made}")
    for fetch in origin.fetches:
        if fetch.failed:
            say(f"  – {fetch.step_id}  {' to '.join(fetch.range)}  no data: {fetch.failed}")
        for dataset in fetch.datasets:
            say(f"  {dataset.dataset} of {dataset.provider}  {' to '.join(fetch.range)}")
            for file in dataset.files:
                version = f"v{file.version}  " if file.version else ""
                # a neighbouring file that was not read has neither a size nor a digest
                size = f"{in_words(file.size)}  " if file.size else ""
                say(
                    f"      {file.file}  {version}{size}{f'sha256 {file.sha256}' if file.sha256 else 'not read'}"
                )
    say(f"tools: {', '.join(f'{tool} {version}' for tool, version in origin.tools.items())}\n")
    for line in text_lines(origin.citations, origin.helio):
        say(one_line(line, indent=True))
    say("")
    say_template(origin.template)


def say_template(template: Document) -> None:
    """Print a template: its variables, and each step with all arguments; code has the lines of its author."""
    name, description = one_line(template.get("name", "")), one_line(template.get("description", ""))
    say(f"{template.get('id', 'pipeline')}: {name}\n{description}".rstrip())
    for variable, facts in (template.get("variables") or {}).items():
        default = f" = {facts['default']}" if "default" in facts else " (required)"
        about = one_line(facts.get("description", ""))
        say(f"\n  {variable} ({facts['type']}){default}  {about}".rstrip())
    say("")
    for step in template["steps"]:
        _say_step(step, "  ")


def _say_step(step: Document, indent: str) -> None:
    what = step.get("tool_name") or (f"use {step['use']}" if "use" in step else "block")
    say(f"{indent}{step.get('step_id')}: {what}  {one_line(step.get('intent', ''))}".rstrip())
    if "for_each" in step:
        each = step["for_each"]
        say(f"{indent}    for each {each['as']} of {json.dumps(each['over'], ensure_ascii=False)}")
    for key, value in (step.get("tool_args") or step.get("with") or {}).items():
        if isinstance(value, str) and "\n" in value.strip():
            say(f"{indent}    {key} =")
            for line in value.strip().splitlines():
                say(f"{indent}      | {line}")
        else:
            say(f"{indent}    {key} = {json.dumps(value, ensure_ascii=False)}")
    for inner in step.get("block") or ():
        _say_step(inner, f"{indent}    ")


def one_line(text: object, *, indent: bool = False) -> str:
    """Write a text of a template on one line, so that no part of it looks like a line of helio."""
    words = str(text)
    before = words[: len(words) - len(words.lstrip(" "))] if indent else ""
    return before + " ".join(words.split())


def _template_of(name: str, settings: Settings) -> Document:
    """Load a pipeline by its name; given the id of a run, load the pipeline as it was written for this run."""
    from helio import api
    from helio.errors import UnknownPipeline

    try:
        return api.load(name, settings)
    except UnknownPipeline:
        if not is_run(name):
            raise
        record = run_records().load(name)
        say(f"note: this is the pipeline of run {record.id}", err=True)
        template: Document = record.authored
        return template


@app.command()
def copy(
    name: Name,
    new: Annotated[str, typer.Argument(help="Name of the copy.", metavar="NEW")],
    replace: Replace = False,
) -> None:
    """Copy a pipeline to your own pipelines, to edit it."""
    with errors_as_text(as_json=False):
        _save_valid(name, "copied", new=new, replace=replace)


@app.command()
def delete(
    name: OwnName,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Delete without asking.")] = False,
) -> None:
    """Delete one of your pipelines; helio history can restore it."""
    with errors_as_text(as_json=False):
        from helio import api
        from helio.errors import RequestError

        shelf = api.library(current_settings())
        shelf.own(name)
        if not yes:
            if not sys.stdin.isatty():
                raise RequestError(f"deleting {name} needs a confirmation", advice="add --yes")
            typer.confirm(f"Delete {name}?", abort=True)
        path, revision = shelf.delete(name)
        say(f"deleted {path}")
        if revision is not None:
            say(f"to undo this: `helio history {name} --restore {revision.number}`")


@app.command("export")
def export_pipeline(
    names: Annotated[
        list[str],
        typer.Argument(
            help="Name of a pipeline, or path of its JSON file. With --notebook and --bundle: the ID of a run, its "
            "beginning, or 'last'. A second name is the file to write; default: standard output.",
            metavar="PIPELINE [FILE]",
            autocompletion=complete_pipelines,
        ),
    ],
    bundle: Annotated[
        Path | None,
        typer.Option(
            "--bundle",
            help="Write all named runs into this ZIP file: templates, records, figures and lists of data files. "
            "`helio import` adds them to another home, and `helio verify` repeats them there.",
            metavar="FILE",
        ),
    ] = None,
    notebook: Annotated[
        bool,
        typer.Option(
            "--notebook",
            help="Write a notebook (FILE.ipynb) that loads the tables and figures of a run with pandas and plotly, "
            "without helio. PIPELINE is then the ID of a run, or 'last'; for a pipeline, its latest run is used.",
        ),
    ] = False,
) -> None:
    """Write a pipeline to a file, to share it; or runs as a notebook or as a bundle for another home."""
    with errors_as_text(as_json=False):
        from helio import api
        from helio.errors import RequestError

        if bundle is not None and notebook:
            raise RequestError("--bundle and --notebook exclude each other")
        if bundle is not None:
            _say_bundled(api.export_runs(names, bundle, current_settings()))
            return
        if len(names) > 2:
            raise RequestError(
                f"there are {len(names)} names",
                advice="name one pipeline and one file; --bundle takes many runs",
            )
        name, file = names[0], Path(names[1]) if len(names) > 1 else None
        if notebook:
            _export_notebook(name, file)
            return
        from helio.pipelines.template.document import as_text
        from helio.store.files import write_whole

        text = as_text(api.load(name, current_settings()))
        if file is None:
            say(text, nl=False, exact=True)
        else:
            write_whole(file, text.encode())
            say(str(file))


def _export_notebook(name: str, file: Path | None) -> None:
    """Write the results of a run, or of the latest run of a pipeline, as a notebook."""
    from helio import api
    from helio.errors import RequestError

    if file is None:
        raise RequestError(
            "no notebook was named", advice=f"add a file: `helio export --notebook {name} FILE.ipynb`"
        )
    latest = next((run.id for run in run_records().list() if run.pipeline == name), name)
    folder = api.export_notebook(latest, file, current_settings())
    say(str(file))
    say(str(folder))


def _say_bundled(bundled: Bundled) -> None:
    for run in bundled.runs:
        say(run)
    for path in bundled.files:
        say(str(path))
    for note in bundled.notes:
        say(f"note: {note}", err=True)


@app.command("import")
def import_pipeline(
    file: Annotated[
        Path,
        typer.Argument(
            help="JSON file of a pipeline, or a bundle of `helio export --bundle`.", metavar="FILE"
        ),
    ],
    new: Annotated[
        str,
        typer.Option(
            "--as", help="For a pipeline: its name among yours. Default: the id in the file.", metavar="NAME"
        ),
    ] = "",
    replace: Replace = False,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="For a bundle: folder that gets a folder for the files of each run.",
            metavar="FOLDER",
        ),
    ] = Path("helio-runs"),
) -> None:
    """Add a pipeline from a file to your own pipelines, or the runs of a bundle to your runs."""
    with errors_as_text(as_json=False):
        from helio.errors import RequestError
        from helio.pipelines.runs.bundle import is_bundle
        from helio.store.files import is_file

        if is_file(file) and is_bundle(file):
            if new:
                raise RequestError(f"{file} holds runs, and runs keep their names: leave out --as")
            from helio import api

            _say_bundled(api.import_runs(file, outputs=output, settings=current_settings()))
            return
        _save_valid(file, "imported", new=new, replace=replace)


def _save_valid(pipeline: str | Path, done: Kind, *, new: str = "", replace: bool = False) -> None:
    """Save a valid pipeline in the user's library, and print the path of its file.

    Parameters
    ----------
    new : str
        Its new name. Default: its own.
    """
    from helio import api
    from helio.pipelines.history import Writing
    from helio.pipelines.template.diagnostics import InvalidTemplate

    settings = current_settings()
    template = api.load(pipeline.absolute() if isinstance(pipeline, Path) else pipeline, settings)
    checked = api.check_template(template)
    if checked.errors:
        raise InvalidTemplate(checked.errors, place=str(pipeline))
    if isinstance(pipeline, Path):
        for line in _read_otherwise(checked):
            say(line, err=True)
    if new:
        template["id"] = new
    say(api.library(settings).save(template, replace=replace, writing=Writing(done)))


def _read_otherwise(checked: RewriteResult) -> Iterator[str]:
    """Yield the warnings about a template of another program or version, and what helio reads in another spelling."""
    from helio.pipelines.template.diagnostics import without_hints

    for finding in without_hints(checked.diagnostics):
        yield without_long_words(str(finding))
    read = [edit for edit in checked.edits if edit.code[:2] == "HN" or edit.code == _FIXED_RANGE]
    for edit in read:
        if edit.code not in _SAME_MEANING:
            yield f"note: {'' if edit.step_id is None else f'step {edit.step_id}: '}{edit.message}"


@app.command()
def history(
    name: OwnName,
    compared: Annotated[
        int | None,
        typer.Argument(help="With --diff: only this revision.", metavar="[NUMBER]"),
    ] = None,
    number: Annotated[
        int | None,
        typer.Option("--show", help="Print the pipeline as it was in this revision.", metavar="NUMBER"),
    ] = None,
    restore: Annotated[
        int | None,
        typer.Option(
            "--restore", help="Make this revision the current one; nothing is lost.", metavar="NUMBER"
        ),
    ] = None,
    diff: Annotated[
        bool,
        typer.Option("--diff", help="Show how each revision differs from the one before it."),
    ] = False,
    as_json: Json = False,
) -> None:
    """List the revisions of one of your pipelines: when, by whom and why."""
    with errors_as_text(as_json):
        from dataclasses import asdict

        from helio import api
        from helio.errors import RequestError

        settings = current_settings()
        kept = api.library(settings).past(name)
        for file in kept.damaged():
            say(f"note: {file} is skipped: the revision cannot be read", err=True)
        if compared is not None and not diff:
            raise RequestError(
                f"the number {compared} needs an option",
                advice=f"use `helio history {name} --diff {compared}`, --show {compared} or --restore {compared}",
            )
        if number is not None:
            say(kept.text(number), nl=False, exact=True)
            return
        revisions = kept.revisions()
        if diff and compared is not None:
            changes = api.revision_changes(name, compared, settings)
            if as_json:
                print_json([change.to_json() for change in changes])
            else:
                say_changes(changes, new=compared == min(revision.number for revision in revisions))
            return
        if restore is not None:
            kept.restore(restore)
            revisions = kept.revisions()
        changed = {
            revision.number: api.revision_changes(name, revision.number, settings) if diff else ()
            for revision in revisions
        }
        if as_json:
            facts = [
                asdict(revision)
                | ({"changes": [change.to_json() for change in changed[revision.number]]} if diff else {})
                for revision in revisions
            ]
            print_json(facts)
            return
        present = kept.present()
        for revision in revisions:
            mark = "*" if present and revision.number == present.number else " "
            say(f"{revision.number:>3} {mark} {_written(revision)}")
            for change in revision.left_out:
                say_line(f"{'':6}left out: {change}")
            if diff:
                say_changes(changed[revision.number], new=revision == revisions[0])
        if present is None:
            say(f"{name} was deleted; `helio history {name} --restore NUMBER` brings it back")


def _written(revision: Revision) -> str:
    request = f"{revision.request} (in part)" if revision.left_out else revision.request
    return f"{revision.at[:16]}  {revision.kind:<8}  {revision.by}  {request}".rstrip()


@app.command()
def blame(name: OwnName, as_json: Json = False) -> None:
    """Show who last changed each step of one of your pipelines: when, which author, and which sentence."""
    with errors_as_text(as_json):
        from dataclasses import asdict

        from helio import api

        origins = api.blame(name, current_settings())
        if as_json:
            print_json([asdict(origin) for origin in origins])
            return
        width = max(len(origin.part) for origin in origins)
        for origin in origins:
            say(f"{origin.part:<{width}}  {origin.revision.number:>3}  {_written(origin.revision)}")


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
