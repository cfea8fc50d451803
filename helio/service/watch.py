"""Watch the schedules while `helio serve` runs: write the heartbeat, and notify people of incidents."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from helio.errors import OutputError, RequestError
from helio.flows.last_runs import forget_new_runs, new_runs
from helio.flows.schedule import Schedules
from helio.service.incidents import Incidents, Message, outages, problems_of, read_incidents, write_incidents
from helio.service.notify import Address, find_addresses, send
from helio.service.status import BEAT, read_status, write_heartbeat

if TYPE_CHECKING:
    from helio.flows.serve import Activity, Outage
    from helio.settings import Settings

log = logging.getLogger(__name__)


class Watch:
    """Watch of one home folder, which `helio serve` calls after each of its checks.

    Messages are sent in a thread of their own, so that a server that is down stops nothing.

    Parameters
    ----------
    on_progress : callable
        Called with a line for what cannot be written or sent.
    every : timedelta
        Time between two looks.
    """

    def __init__(
        self, settings: Settings, *, on_progress: Callable[[str], None], every: timedelta = BEAT
    ) -> None:
        self._settings = settings
        self._on_progress = on_progress
        self._every = every.total_seconds()
        self._next = 0.0
        self._troubles: set[str] = set()
        self._unwritten: Incidents | None = None
        """Incidents that could not be written, because the disk is full."""
        self._sender: threading.Thread | None = None
        self._due: list[Message] = []
        self._sent: list[tuple[Message, dict[str, str], tuple[str, ...]]] = []
        """Messages that the thread has tried to send, the addresses that refused them with reasons, and the others."""

    def look(self, activity: Activity) -> None:
        """Write the heartbeat, find incidents and send due messages; an error here does not end `helio serve`."""
        if self._settings.clock.monotonic() < self._next:
            return
        self._next = self._settings.clock.monotonic() + self._every
        troubles: dict[str, str] = {}
        # Each by itself: on a full disk there is no heartbeat, but messages are sent.
        for action in (self._beat, self._find_incidents):
            try:
                action(activity)
            except (OutputError, RequestError) as error:
                troubles[error.message] = str(error)
        for message, words in troubles.items():
            if message not in self._troubles:
                self._on_progress(words)
        self._troubles = set(troubles)

    def _beat(self, activity: Activity) -> None:
        now = self._settings.clock.utc()
        write_heartbeat(self._settings.home, now, [*activity.running], [*activity.paused])

    def _find_incidents(self, activity: Activity) -> None:
        addresses = find_addresses(self._settings)
        if addresses:
            self._notify(addresses, self._settings.clock.utc(), activity.outage)
        else:  # addresses that are set later get no messages about what was before
            for name in Schedules(self._settings).names():
                forget_new_runs(self._settings.home, name, new_runs(self._settings.home, name))

    def _notify(self, addresses: tuple[Address, ...], now: datetime, outage: Outage | None) -> None:
        home = self._settings.home
        before = self._unwritten or read_incidents(home)
        status = replace(read_status(self._settings, now), served=True, seen_seconds=0.0)
        new = {schedule.name: new_runs(home, schedule.name) for schedule in status.schedules}
        problems, quiet = problems_of(status, self._settings, before, new)
        incidents = before.after([*problems, *outages(outage)], quiet, now)
        if self._sender is not None and not self._sender.is_alive():
            tried = [message for message, _, _ in self._sent]
            lost = [
                (message, {"any address": "it was not sent"}, ())
                for message in self._due
                if message not in tried
            ]
            for message, failed, accepted in (*self._sent, *lost):
                if not failed:
                    incidents = incidents.without(message)
                else:
                    incidents = incidents.postponed(message, accepted, now)
                    reasons = ", ".join(f"{name} ({reason})" for name, reason in failed.items())
                    self._on_progress(f"the notification '{message.title}' was not accepted by {reasons}")
            self._sender = None
        is_new = incidents != before or self._unwritten is not None
        self._unwritten = incidents
        due = [message for message in incidents.messages if message.is_due(now)]
        if due and self._sender is None:
            self._due, self._sent = due, []
            self._sender = threading.Thread(
                target=self._send, args=(addresses, due), name="helio-notify", daemon=True
            )
            self._sender.start()
        if is_new:
            write_incidents(home, incidents)
        self._unwritten = None
        for name, runs in new.items():
            forget_new_runs(home, name, runs)

    def _send(self, addresses: tuple[Address, ...], messages: list[Message]) -> None:
        for message in messages:
            left = [address for address in addresses if address.name not in message.accepted]
            failed = send(left, message.title, message.body)
            accepted = tuple(address.name for address in left if address.name not in failed)
            self._sent.append((message, failed, accepted))
