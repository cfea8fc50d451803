"""What keeps an installation well: collection and a look at what it lacks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from helio.cli.app import (
    FAILED,
    SUCCESS,
    Json,
    app,
    current_settings,
    errors_as_text,
    log_to,
    print_json,
    run_records,
    say,
    size_of,
)
from helio.cli.completion import complete_providers
from helio.pipelines.template.plain_text import without_long_words

if TYPE_CHECKING:
    from helio.doctor import Finding
    from helio.store.collect import Collected


@app.command()
def gc(
    older_than: Annotated[
        str | None, typer.Option("--older-than", help="Drop records of runs that began before: 30d.")
    ] = None,
    quota: Annotated[
        str | None, typer.Option("--quota", help="Bytes that results and files may take: 20GB.")
    ] = None,
    delete: Annotated[bool, typer.Option("--delete", help="Do it, instead of only saying so.")] = False,
    as_json: Json = False,
) -> None:
    """Collect what no run refers to; says what would go, and with --delete lets it go.

    What was made or used in the last hour stays: a run may be about to refer to it. So do downloaded files that were
    used in the last week.
    """
    with errors_as_text(as_json):
        from datetime import UTC, datetime, timedelta

        from helio.store.collect import collect
        from helio.store.store import Store
        from helio.time_range import Duration

        settings = current_settings()
        age = None if older_than is None else timedelta(microseconds=Duration(older_than).nanoseconds // 1000)
        limit = None if quota is None else size_of(quota)
        found = collect(
            Store(settings.store),
            run_records(),
            files=settings.home / "files",
            older_than=age,
            quota=limit,
            now=datetime.now(UTC),
            dry_run=not delete,
        )
        _print_collected(found, done=delete, as_json=as_json)
        if limit is not None and found.kept > limit and not as_json:
            say(
                f"{found.kept / 1e6:.1f} MB are more than was asked for: the rest is of the last hour or in use"
            )


@app.command()
def doctor(
    context: typer.Context,
    archive: Annotated[
        str | None, typer.Option("--archive", help="An archive to look at.", metavar="DIR|sample")
    ] = None,
    online: Annotated[
        bool,
        typer.Option(
            "--online",
            help="Also ask each source of data one small question, and the model, if a key is set, for its list of "
            "models, which costs nothing.",
        ),
    ] = False,
    source: Annotated[
        list[str] | None,
        typer.Option(
            "--source",
            help="With --online: ask only this source; may be repeated.",
            metavar="NAME",
            autocompletion=complete_providers,
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report", help="Write a file for a bug report, without passwords and keys.", metavar="FILE"
        ),
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace the file of --report.")] = False,
    as_json: Json = False,
) -> None:
    """Say what this installation has, and what it lacks.

    With --online also whether each source can be asked from here, and what to do where it cannot.
    """
    with errors_as_text(as_json):
        from helio.doctor import examine
        from helio.doctor.online import ask_sources
        from helio.doctor.report import check_report, write_report
        from helio.errors import RequestError
        from helio.store.files import user_path

        if source and not online:
            raise RequestError("--source says which source --online asks", advice="add --online")
        if replace and report is None:
            raise RequestError("--replace goes with --report", advice="add --report FILE")
        settings = current_settings()
        log_to(settings, verbose=context.obj)
        file = None if report is None else user_path(report)
        if file is not None:
            check_report(file, replace=replace)
        findings = examine(settings, archive or "")
        if online:
            findings += ask_sources(settings, source or ())
        if as_json:
            print_json([finding.to_json() for finding in findings])
        else:
            _print_findings(findings)
        if file is not None:
            write_report(file, settings, findings, replace=replace)
            say(f"report: {file}; read it before you send it", err=as_json)
    raise typer.Exit(SUCCESS if all(finding.ok or finding.optional for finding in findings) else FAILED)


def _print_findings(findings: Sequence[Finding]) -> None:
    width = max(len(finding.subject) for finding in findings)
    for finding in findings:
        mark = "ok  " if finding.ok else "FAIL" if finding.asked else "MISS"
        where = f"{finding.address}, asked {finding.asked}: " if finding.address else ""
        signed = f" (certificate by {finding.issuer})" if finding.issuer else ""
        say(f"{mark}  {finding.subject:<{width}}  {where}{without_long_words(finding.found)}{signed}")
        if finding.advice:
            say(f"      {'':<{width}}  try {finding.advice}")


def _print_collected(found: Collected, *, done: bool, as_json: bool) -> None:
    rows: list[dict[str, Any]] = [
        {"kind": kind, "reason": reason, "count": count, "bytes": size}
        for (kind, reason), (count, size) in found.by_reason().items()
    ]
    if as_json:
        print_json({"deleted": done, "freed": found.freed, "kept": found.kept, "removals": rows})
        return
    for row in rows:
        say(f"{row['count']:>6} {row['kind']:<14}  {row['bytes'] / 1e6:>9.1f} MB  {row['reason']}")
    verb = "freed" if done else "would be freed (--delete does it)"
    say(f"{found.freed / 1e6:.1f} MB {verb}, {found.kept / 1e6:.1f} MB kept")
