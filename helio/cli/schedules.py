"""Commands that start and stop the engine's server, and schedule pipelines."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from helio import interrupts
from helio.cli.app import (
    CANCELLED,
    EXIT_OF_STATUS,
    FAILED,
    SUCCESS,
    Archive,
    Assign,
    Formats,
    GalleryPort,
    Json,
    Name,
    app,
    assignments,
    chosen_formats,
    current_settings,
    errors_as_text,
    logged_settings,
    page_link,
    print_json,
    say,
    say_rows,
    say_when,
)
from helio.cli.completion import complete_schedules
from helio.cli.groups import Commands

if TYPE_CHECKING:
    from datetime import datetime

    from helio.flows.last_runs import LastRun
    from helio.flows.schedule import Schedule, Schedules
    from helio.flows.server import Server
    from helio.settings import Settings


@app.command()
def up(
    environment: Annotated[
        bool,
        typer.Option(
            "--env",
            help="Print the environment variables that the command prefect needs; to set them, run "
            'eval "$(helio up --env)". Anyone who reads them can use the engine.',
        ),
    ] = False,
) -> None:
    """Start the engine's server (Prefect), and print a link to its pages."""
    with errors_as_text(as_json=False, cancelled="`helio down` stops a server that is starting"):
        from shlex import quote

        server = _server()
        with server.used():
            server.start()
            server.wait()
            server.keep()
        if environment:
            for name, value in server.client_environment().items():
                say(f"export {name}={quote(value)}")
        else:
            say(page_link(server.link(), current_settings()))
            if lives := server.state().lives:
                say(lives, err=True)


@app.command()
def down() -> None:
    """Stop the engine's server."""
    with errors_as_text(as_json=False):
        say("stopped" if _server().stop() else "the server was not running")


schedule_app = typer.Typer(
    cls=Commands,
    help="Add, list, pause, resume or remove schedules; `helio serve` runs them.",
    rich_markup_mode=None,
)
app.add_typer(schedule_app, name="schedule")
ScheduleName = Annotated[
    str,
    typer.Argument(
        help="Name of a schedule, as `helio schedule list` shows it.",
        metavar="NAME",
        autocompletion=complete_schedules,
    ),
]


@schedule_app.callback(invoke_without_command=True)
def schedule(context: typer.Context) -> None:
    """Add, list, pause, resume or remove schedules; `helio serve` runs them."""
    if context.invoked_subcommand is None:
        list_schedules()


@schedule_app.command("add")
def add_schedule(
    pipeline: Name,
    cron: Annotated[
        str,
        typer.Option(
            "--cron",
            help="When to run: minute, hour, day of the month, month, day of the week. '10 6 * * *' is every day at "
            "06:10.",
            metavar="FIELDS",
        ),
    ],
    time_range: Annotated[
        str | None,
        typer.Option(
            "--time-range",
            "-t",
            help="Time range of each run, relative to its scheduled time: 'yesterday' is the day before. Default: the "
            "pipeline's.",
            metavar="RANGE",
        ),
    ] = None,
    assign: Assign = None,
    archive: Archive = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Folder for the files. The files of each time range are put into a subfolder. Default: "
            "scheduled/NAME in helio's home.",
            metavar="FOLDER",
        ),
    ] = None,
    formats: Formats = "",
    timezone: Annotated[
        str,
        typer.Option(
            "--timezone",
            help="Time zone of --cron, such as Europe/Berlin. Time ranges are always in UTC.",
            metavar="ZONE",
        ),
    ] = "UTC",
    name: Annotated[
        str,
        typer.Option(
            "--name", help="Name of the schedule. Default: the name of the pipeline.", metavar="NAME"
        ),
    ] = "",
    late: Annotated[
        str,
        typer.Option(
            "--late",
            help="Run an interval again whose data come late, or that nobody ran: '1h for 3d' looks every hour, for 3 "
            "days after the scheduled time.",
            metavar="RULE",
        ),
    ] = "",
    remake: Annotated[
        str,
        typer.Option(
            "--remake",
            help="Make a figure again when its data or its pipeline have changed: 'for 60d' looks once a day, for 60 "
            "days after the scheduled time.",
            metavar="RULE",
        ),
    ] = "",
    latency: Annotated[
        str,
        typer.Option(
            "--latency",
            help="How long after an interval its data usually appear, such as 3d. Until then they are 'not published "
            "yet', afterwards there is a gap; for a backfill of the same pipeline too. Default: by the dates of the "
            "files of earlier runs, otherwise by the catalogue.",
            metavar="LENGTH",
        ),
    ] = "",
    retries: Annotated[
        int,
        typer.Option(
            "--retries",
            min=0,
            help="How often to try a step again within its run after an error that may pass, such as a server that is "
            "down.",
            metavar="NUMBER",
        ),
    ] = 1,
    retry_delay: Annotated[
        str,
        typer.Option(
            "--retry-delay",
            help="Time before each further attempt, such as 5min. Default: one to three seconds.",
            metavar="LENGTH",
        ),
    ] = "",
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace the schedule of the same name.")
    ] = False,
) -> None:
    """Add a schedule: run a valid pipeline at set times."""
    with errors_as_text(as_json=False):
        from helio import api
        from helio.flows.missed import is_served
        from helio.flows.schedule import Schedule
        from helio.flows.slots import FAR

        settings = current_settings()
        now = api.read_now(None)
        schedule = _schedules(settings).add(
            Schedule(
                name,
                pipeline,
                cron,
                timezone,
                values=assignments(assign or []),
                archive=archive or settings.archive,
                formats=tuple(chosen_formats(formats)),
                output=str(output or ""),
                late=late,
                remake=remake,
                latency=latency,
                retries=retries,
                retry_delay=retry_delay,
            ),
            now=now,
            time_range=time_range,
            replace=replace,
        )
        say(_schedule_line(schedule, now))
        if fixed := schedule.fixed_range(schedule.template(settings)):
            advice = "add -t yesterday, or another time range that moves with the runs"
            say(f"warning: every run draws the same time range, {fixed}: {advice}", err=True)
        for note in schedule.clock_notes(now, FAR):
            say(f"note: {note}", err=True)
        say(
            "`helio serve` is running and will run it"
            if is_served(settings.home)
            else "start `helio serve`: it runs the schedules",
            err=True,
        )


@schedule_app.command("list")
def list_schedules(as_json: Json = False) -> None:
    """List the schedules, their next runs, and how their last runs ended."""
    with errors_as_text(as_json):
        from dataclasses import asdict

        from helio import api
        from helio.errors import HelioError
        from helio.flows.missed import is_served, missed_notes
        from helio.service.status import read_heartbeat

        settings = current_settings()
        schedules, now = _schedules(settings), api.read_now(None)
        served = is_served(settings.home)
        paused = beat.paused if served and (beat := read_heartbeat(settings.home)) else ()
        sound, damaged = [], {}
        for name in schedules.names():
            try:
                sound.append(schedules.load(name))
            except HelioError as error:  # one damaged record does not hide the others
                damaged[name] = error
        if as_json:
            listed = [
                asdict(schedule)
                | {
                    "next": schedule.next_after(now).isoformat(),
                    "folder": str(schedule.root(settings)),
                    "served": served,
                    "last_run": last.to_json() if (last := _last_run(schedule, settings, now)) else None,
                    "paused_on_pages": schedule.name in paused,
                    "notes": [*schedule.clock_notes(now), *missed_notes(schedule, settings.home, now)],
                }
                for schedule in sound
            ]
            print_json(
                [*listed, *({"name": name, "damaged": str(damage)} for name, damage in damaged.items())]
            )
            return
        for name, damage in damaged.items():
            say(f"{name}  damaged")
            say(f"error: {damage}", err=True)
        for schedule in sound:
            say(_schedule_line(schedule, now))
            say_rows(_facts_of(schedule, settings, now), indent=4)
            if schedule.name in paused:
                say(f"note: {schedule.name}: paused on the engine's page", err=True)
            for note in (*schedule.clock_notes(now), *missed_notes(schedule, settings.home, now)):
                say(f"note: {schedule.name}: {note}", err=True)
            for notice in schedule.notices(settings):
                say(f"note: {notice}", err=True)
        if not schedules.names():
            say(
                "no schedules yet; to add one: `helio schedule add PIPELINE --cron '10 6 * * *' -t yesterday`"
            )
        elif not served:
            say("`helio serve` is not running: no schedule runs until you start `helio serve`", err=True)


@schedule_app.command("pause")
def pause_schedule(name: ScheduleName) -> None:
    """Pause a schedule; helio schedule resume continues it."""
    with errors_as_text(as_json=False):
        from helio import api

        say(_schedule_line(_schedules(current_settings()).pause(name), api.read_now(None)))


@schedule_app.command("resume")
def resume_schedule(name: ScheduleName) -> None:
    """Resume a paused schedule."""
    with errors_as_text(as_json=False):
        from helio import api

        say(_schedule_line(_schedules(current_settings()).pause(name, paused=False), api.read_now(None)))


@schedule_app.command("again")
def run_again(context: typer.Context, name: ScheduleName) -> None:
    """Run the intervals of a schedule again that its rules --late and --remake name; helio serve does it by itself."""
    with errors_as_text(as_json=False, cancelled="run the command again to continue"):
        from helio import api
        from helio.flows.again import Slot
        from helio.flows.again import run_again as again
        from helio.flows.serve import SlotRun

        settings = logged_settings(context)

        def report(slot: Slot, ended: SlotRun) -> None:
            say_when(f"{name}: {slot.span}: {slot.reason}")
            say_when(str(ended))
            ran.append(slot)

        ran: list[Slot] = []
        failed = again(name, settings, api.read_now(None), report)
        if not ran:
            say(f"{name}: there is nothing to run again")
    raise typer.Exit(FAILED if failed else SUCCESS)


@schedule_app.command("remove")
def remove_schedule(name: ScheduleName) -> None:
    """Remove a schedule; the results of its runs stay."""
    with errors_as_text(as_json=False):
        _schedules(current_settings()).remove(name)
        say(f"removed {name}")


@app.command()
def serve(
    context: typer.Context,
    limit: Annotated[
        int, typer.Option("--limit", min=1, help="Maximum number of runs at the same time.", metavar="NUMBER")
    ] = 2,
    port: GalleryPort = None,
    flow_run: Annotated[str, typer.Option("--flow-run", hidden=True)] = "",
) -> None:
    """Run the schedules, and serve the gallery, until Ctrl-C.

    Prints a link that opens the gallery in your browser: what happened for each day of each schedule, and the figures.
    For a new link, run helio gallery serve. The gallery links to the engine's pages.
    """
    stays = "the run is scheduled again" if flow_run else "the schedules stay"
    with errors_as_text(as_json=False, cancelled=f"{stays}; start `helio serve` to continue"):
        settings = logged_settings(context)
        from helio.flows import serve as serving

        if not flow_run:
            from helio.service.housekeeping import Housekeeper
            from helio.service.watch import Watch
            from helio.web.serve import serving as serving_gallery

            gallery = serving_gallery(settings, port=port, on_terminal=sys.stdout.isatty())
            watch = Watch(settings, on_progress=say_when)
            housekeeper = Housekeeper(settings)

            def look(activity: serving.Activity) -> None:
                watch.look(activity)
                housekeeper.look(activity, settings.clock.utc())

            try:
                serving.serve(settings, limit=limit, on_progress=say_when, gallery=gallery, on_look=look)
            finally:
                housekeeper.end()
            if not interrupts.was_terminated():
                raise KeyboardInterrupt
            interrupts.ended_as_asked()  # a service manager has stopped it, which is no failure
            return
        from helio.errors import Cancelled, HelioError
        from helio.pipelines.reread import plan_notices

        try:
            ended = serving.run_scheduled(flow_run, settings)
        except Cancelled as error:
            raise typer.Exit(CANCELLED) from error
        except HelioError as error:
            say_when(f"failed: {error.message}")
            raise typer.Exit(FAILED) from error
        say_when(str(ended))
        for notice in plan_notices(ended.run.plan, settings.home):
            say_when(f"note: {notice}")
    raise typer.Exit(EXIT_OF_STATUS[ended.run.status])


def _server() -> Server:
    from helio.flows.server import Server

    settings = current_settings()
    return Server(settings.home, settings.environ, idle=settings.engine_idle, keep=settings.retention.engine)


def _schedules(settings: Settings) -> Schedules:
    from helio.flows.schedule import Schedules

    return Schedules(settings)


def _schedule_line(schedule: Schedule, now: datetime) -> str:
    following = f"next {schedule.next_after(now):%Y-%m-%d %H:%M} UTC"
    state = "paused" if schedule.paused else following
    return f"{schedule.name}  {schedule.cron} {schedule.timezone}  {state}"


def _last_run(schedule: Schedule, settings: Settings, now: datetime) -> LastRun | None:
    from helio.flows.last_runs import judged, last_run

    last = last_run(settings.home, schedule.name)
    return last and judged(last, settings.home, now)


def _facts_of(schedule: Schedule, settings: Settings, now: datetime) -> list[tuple[str, str]]:
    """Return what a schedule runs, with which values, its output folder, and how its last run ended."""
    last = _last_run(schedule, settings, now)
    succeeded = last.last_success if last is not None else ""
    values = [f"{name.removeprefix('$')}='{value}'" for name, value in schedule.values.items()]
    return [
        ("pipeline", schedule.pipeline),
        ("values", ", ".join(values) or "the pipeline's defaults"),
        ("archive", schedule.archive or "the provider named in each step, otherwise the catalogue's"),
        ("formats", ", ".join(("those of the pipeline", *schedule.formats))),
        *([("late data", f"try again every {schedule.late}")] if schedule.late else []),
        *([("retries", f"{schedule.retries}, every {schedule.retry_delay}")] if schedule.retry_delay else []),
        *([("latency", f"data usually appear after {schedule.latency}")] if schedule.latency else []),
        *([("changed data", f"look every {schedule.remake}")] if schedule.remake else []),
        ("output", str(schedule.root(settings))),
        ("last run", str(last or "never")),
        ("success", f"{succeeded[:16].replace('T', ' ')} UTC" if succeeded else "never"),
    ]
