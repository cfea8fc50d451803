"""Commands that delete unused results, and check the installation."""

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
    logged_settings,
    print_json,
    say,
    say_when,
    size_of,
)
from helio.cli.completion import complete_providers
from helio.pipelines.template.plain_text import without_long_words

if TYPE_CHECKING:
    from helio.doctor import Finding
    from helio.settings import Settings
    from helio.store.collect import Collected


@app.command()
def gc(
    older_than: Annotated[
        str | None,
        typer.Option(
            "--older-than",
            help="Also delete runs that are older than this, such as 30d. Default: keep all runs.",
            metavar="DURATION",
        ),
    ] = None,
    quota: Annotated[
        str | None,
        typer.Option(
            "--quota",
            help="Also delete the results and files used longest ago, until the rest fits into this size, such as "
            "20GB. Default: no limit.",
            metavar="SIZE",
        ),
    ] = None,
    delete: Annotated[
        bool, typer.Option("--delete", help="Delete the listed results and files. Default: only list them.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only list what would be deleted; this is the default.")
    ] = False,
    as_json: Json = False,
    daily: Annotated[bool, typer.Option("--daily", hidden=True)] = False,
) -> None:
    """List what no run uses and what the settings of retention do not keep, or delete it.

    This is what helio serve removes once a day, if HELIO_KEEP_RUNS, HELIO_KEEP_FIGURES, HELIO_KEEP_FILES,
    HELIO_KEEP_LOGS or HELIO_QUOTA is set. Keeps everything made or used in the last hour, because a run may still need
    it, and downloaded files used in the last week.
    """
    with errors_as_text(as_json):
        from datetime import timedelta

        from helio.errors import RequestError
        from helio.service.housekeeping import clean_up, keep_house
        from helio.time_range import Duration

        if delete and dry_run:
            raise RequestError("--dry-run deletes nothing", advice="leave out --dry-run or --delete")
        settings = current_settings()
        if daily:
            log_to(settings, verbose=False)
            kept = keep_house(settings, settings.clock.utc())
            if kept.removed or kept.trouble:
                say_when(str(kept))
            return
        age = None if older_than is None else timedelta(microseconds=Duration(older_than).nanoseconds // 1000)
        limit = None if quota is None else size_of(quota)
        collected = clean_up(settings, settings.clock.utc(), older_than=age, quota=limit, dry_run=not delete)
        _print_collected(collected, done=delete, as_json=as_json)
        if not as_json:
            say(_what_serve_does(settings))
        if limit is not None and collected.kept > limit and not as_json:
            say(
                f"{collected.kept / 1e6:.1f} MB are kept, more than the quota: they are figures, or in use, or less "
                "than an hour old"
            )


@app.command()
def doctor(
    context: typer.Context,
    archive: Annotated[
        str | None,
        typer.Option(
            "--archive", help="Also check this archive: a folder of files, or 'sample'.", metavar="DIR|sample"
        ),
    ] = None,
    online: Annotated[
        bool,
        typer.Option(
            "--online",
            help="Also check that each data source answers, with one small request to each. If a key for the model is "
            "set, its server is asked for the list of models, which costs nothing.",
        ),
    ] = False,
    source: Annotated[
        list[str] | None,
        typer.Option(
            "--source",
            help="With --online: ask only this source; repeat the option for several sources.",
            metavar="NAME",
            autocompletion=complete_providers,
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            help="Also write what was found to a file for a bug report, without passwords and keys.",
            metavar="FILE",
        ),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace the file of --report if it exists.")
    ] = False,
    fix: Annotated[
        bool,
        typer.Option(
            "--fix",
            help="Only check the browser that draws PNG, PDF and SVG; if there is none that works, offer ways to "
            "install one.",
        ),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="With --fix: run the commands without asking.")] = False,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            help="With --fix: use only ways that need no root, and give up early if nothing arrives.",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Check this installation, and say what is missing and what to do.

    With --online, also check whether each data source can be reached. With --fix, install a browser for PNG, PDF and
    SVG: each command is shown first, and you are asked.
    """
    stays = "nothing was installed" if fix else "nothing was changed"
    with errors_as_text(as_json, cancelled=stays):
        from helio.doctor import examine
        from helio.doctor.online import ask_sources
        from helio.doctor.report import check_report, write_report
        from helio.errors import RequestError
        from helio.store.files import user_path

        if source and not online:
            raise RequestError("--source needs --online", advice="add --online")
        if replace and report is None:
            raise RequestError("--replace needs --report", advice="add --report FILE")
        for option, is_set in (("--yes", yes), ("--quick", quick)):
            if is_set and not fix:
                raise RequestError(f"{option} needs --fix", advice="add --fix")
        if fix and (as_json or online or report is not None or archive is not None):
            raise RequestError(
                "--fix checks only the browser, and prints text",
                advice="run `helio doctor --fix` without --json, --online, --report and --archive",
            )
        settings = logged_settings(context)
        if fix:
            raise typer.Exit(SUCCESS if _get_browser(settings, yes=yes, quick=quick) else FAILED)
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


def _get_browser(settings: Settings, *, yes: bool, quick: bool) -> bool:
    """Try the browser that is there, or else install one; return whether one works."""
    from helio.cli.reproduce import can_ask
    from helio.doctor import browser_finding
    from helio.doctor.browser import BY_HAND, QUICK, USUAL, install, try_browser, ways_to_get
    from helio.errors import ExportError, OutputError

    limits = QUICK if quick else USUAL
    finding = browser_finding(settings)
    if finding.ok:
        say(f"browser: {finding.found}; trying it with a small figure")
        try:
            try_browser(Path(finding.found), limits)
        except ExportError as error:
            say(f"it does not work: {error}")
        else:
            say("ready: it draws PNG, PDF and SVG")
            return True
    else:
        say(f"browser: {finding.found}")
    if settings.browser:
        say("help: BROWSER_PATH names this browser; unset it, then run `helio doctor --fix` again")
        return False
    failures: list[tuple[str, str]] = []
    for way in ways_to_get(settings, quick=quick):
        if way.obstacle:
            failures.append((way.name, way.obstacle))
            continue
        say(f"\nto install {way.name}:")
        for command in way.commands:
            say(f"  $ {command}", exact=True)
        if not yes and not can_ask():
            failures.append((way.name, "not run: nobody can be asked here; to run it, add --yes"))
            continue
        if not yes and not typer.confirm("Run this?", default=False):
            failures.append((way.name, "not run"))
            continue
        try:
            browser = install(way, settings, limits, lambda text: say(f"  … {text}"))
        except (ExportError, OutputError) as error:
            say(f"failed: {error}")
            failures.append((way.name, error.message))
        else:
            say(f"ready: {browser} draws PNG, PDF and SVG")
            return True
    say("\nthere is no browser that draws PNG, PDF and SVG; the ways to get one:")
    for name, reason in failures:
        say(f"  {name}: {reason}")
    say(f"help: {BY_HAND}")
    return False


def _print_findings(findings: Sequence[Finding]) -> None:
    width = max(len(finding.subject) for finding in findings)
    for finding in findings:
        mark = "ok  " if finding.ok else "FAIL" if finding.asked else "MISS"
        where = f"{finding.address}, asked {finding.asked}: " if finding.address else ""
        signed = f" (certificate by {finding.issuer})" if finding.issuer else ""
        say(f"{mark}  {finding.subject:<{width}}  {where}{without_long_words(finding.found)}{signed}")
        if finding.advice:
            say(f"      {'':<{width}}  help: {finding.advice}")


def _what_serve_does(settings: Settings) -> str:
    names = ("HELIO_KEEP_RUNS", "HELIO_KEEP_FIGURES", "HELIO_KEEP_FILES", "HELIO_KEEP_LOGS", "HELIO_QUOTA")
    if not settings.retention.is_set:
        return f"helio serve deletes none of this: {', '.join(names[:-1])} and {names[-1]} are not set"
    chosen = [f"{name}={settings.environ[name]}" for name in names if settings.environ.get(name)]
    return f"helio serve deletes this once a day: {', '.join(chosen)}"


def _print_collected(collected: Collected, *, done: bool, as_json: bool) -> None:
    rows: list[dict[str, Any]] = [
        {"kind": kind, "reason": reason, "count": count, "bytes": size}
        for (kind, reason), (count, size) in collected.by_reason().items()
    ]
    if as_json:
        print_json({"deleted": done, "freed": collected.freed, "kept": collected.kept, "removals": rows})
        return
    for row in rows:
        say(f"{row['count']:>6} {row['kind']:<14}  {row['bytes'] / 1e6:>9.1f} MB  {row['reason']}")
    verb = "freed" if done else "would be freed with --delete"
    say(f"{collected.freed / 1e6:.1f} MB {verb}, {collected.kept / 1e6:.1f} MB kept")
