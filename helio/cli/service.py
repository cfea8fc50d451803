"""Commands that watch a helio that runs for a long time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from helio.cli.app import FAILED, SUCCESS, Json, app, current_settings, errors_as_text, print_json, say
from helio.cli.groups import Commands

if TYPE_CHECKING:
    from helio.service.status import ScheduleStatus, Status


@app.command()
def status(as_json: Json = False) -> None:
    """Say how the schedules do: last success, lag, failures in a row, next run, and whether helio serve runs.

    Exit code 0: all is well. 1: something needs a person, such as a schedule whose last run failed, a run that has not
    begun, `helio serve` that does not run, or a disk that is nearly full. Needs no engine and no server.
    """
    with errors_as_text(as_json):
        from helio.service.status import read_status

        found = read_status(current_settings())
        if as_json:
            print_json(found.to_json())
        else:
            _print_status(found)
    raise typer.Exit(FAILED if found.problems else SUCCESS)


def _print_status(status: Status) -> None:
    from helio.service.status import in_words

    seen = "" if status.seen_seconds is None else f", last seen {in_words(status.seen_seconds)} ago"
    say(f"serve   {'running' if status.served else 'not running'}{seen}")
    say(f"engine  {'running' if status.engine_up else 'not running'}")
    say(f"disk    {status.disk_free / 1e9:.1f} GB free, {status.home}")
    if status.housekeeping is not None or status.quota is not None:
        say(f"home    {_home_of(status)}")
    say(f"runs    {status.running} running, {status.queued} waiting to begin")
    width = max((len(schedule.name) for schedule in status.schedules), default=0)
    for schedule in status.schedules:
        say(f"{schedule.name:<{width}}  {schedule.state:<9}  {_facts(schedule)}")
        if schedule.reason:
            say(f"{'':<{width}}  {'; '.join(schedule.reason.splitlines())}")
    if not status.schedules:
        say("no schedules")
    for subject, what, remedy in status.problems:
        say(f"problem: {subject}: {what}", err=True)
        if remedy:
            say(f"  help: {remedy}", err=True)


def _home_of(status: Status) -> str:
    from helio.service.status import in_gigabytes

    quota = f"quota {in_gigabytes(status.quota)}" if status.quota is not None else "no quota"
    if status.housekeeping is None:
        return f"{quota}, not measured yet: `helio serve` does its housekeeping once a day"
    at = _shown(status.housekeeping.at)
    following = _shown(status.housekeeping.next.isoformat())
    used = in_gigabytes(status.housekeeping.used)
    return f"{used} used at {at}, {quota}, next housekeeping {following}"


def _facts(schedule: ScheduleStatus) -> str:
    from helio.counts import number_of
    from helio.service.status import in_words

    success = _shown(schedule.last_success) if schedule.last_success else "never"
    facts = [f"last success {success}"]
    if schedule.due_since:
        due = number_of(schedule.due_since, "run")
        facts.append(f"{due} due since, {in_words(schedule.lag_seconds)} behind")
    if schedule.failures:
        facts.append(f"{number_of(schedule.failures, 'failure')} in a row")
    if schedule.next_run:
        facts.append(f"next {_shown(schedule.next_run)}")
    return ", ".join(facts)


def _shown(moment: str) -> str:
    return f"{moment[:16].replace('T', ' ')} UTC"


notify_app = typer.Typer(
    cls=Commands,
    help="Show to which addresses helio serve sends notifications, or send one to try them.",
    rich_markup_mode=None,
)
app.add_typer(notify_app, name="notify")


@notify_app.callback(invoke_without_command=True)
def show_notify(context: typer.Context, as_json: Json = False) -> None:
    """Show to which addresses helio serve sends notifications, without their passwords."""
    if context.invoked_subcommand is not None:
        return
    with errors_as_text(as_json):
        from helio.service.incidents import read_incidents
        from helio.service.notify import shown

        settings = current_settings()
        addresses, incidents = shown(settings), read_incidents(settings.home)
        if as_json:
            waiting = [message.title for message in incidents.messages]
            print_json({"addresses": addresses, "open": sorted(incidents.open), "waiting": waiting})
            return
        for address in addresses:
            say(f"{address['address']}  from {address['from']}")
        for incident in incidents.open.values():
            say(f"open: {incident.title}, since {_shown(incident.begun)}")
        for message in incidents.messages:
            say(f"not sent yet: {message.title}")
        if not addresses:
            say(
                "no addresses; set HELIO_NOTIFY, or write them, one in each line, into notify.urls in helio's home"
            )


@notify_app.command("test")
def test_notify() -> None:
    """Send a message to every address, and say which ones did not accept it, and why."""
    with errors_as_text(as_json=False):
        from helio.errors import RequestError
        from helio.service.notify import find_addresses, send

        addresses = find_addresses(current_settings())
        if not addresses:
            raise RequestError(
                "no addresses for notifications are set",
                advice="set HELIO_NOTIFY, or write them, one in each line, into notify.urls in helio's home",
            )
        failed = send(addresses, "helio: test", "This is a test. Notifications of helio arrive here.")
        for address in addresses:
            reason = failed.get(address.name)
            say(f"sent    {address.name}" if reason is None else f"failed  {address.name}  {reason}")
    raise typer.Exit(FAILED if failed else SUCCESS)
