"""Watch the schedules while `helio serve` runs: write the heartbeat, and notify people of incidents."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from helio.errors import OutputError, RequestError
from helio.service.incidents import Message, outages, problems_of, read_incidents, write_incidents
from helio.service.notify import Address, find_addresses, send
from helio.service.status import BEAT, read_status, write_heartbeat
from helio.store.runs import Runs

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
        self._trouble = ""
        self._sender: threading.Thread | None = None
        self._due: list[Message] = []
        self._sent: list[tuple[Message, list[str], tuple[str, ...]]] = []
        """Messages that the thread has tried to send, with the addresses that did not accept them, and that did."""

    def look(self, activity: Activity) -> None:
        """Write the heartbeat, find incidents and send due messages; an error here does not end `helio serve`."""
        if self._settings.clock.monotonic() < self._next:
            return
        self._next = self._settings.clock.monotonic() + self._every
        try:
            write_heartbeat(
                self._settings.home, self._settings.clock.utc(), [*activity.running], [*activity.paused]
            )
            addresses = find_addresses(self._settings)
            if addresses:
                self._notify(addresses, self._settings.clock.utc(), activity.outage)
        except (OutputError, RequestError) as error:
            if self._trouble != error.message:
                self._on_progress(str(error))
            self._trouble = error.message
        else:
            self._trouble = ""

    def _notify(self, addresses: tuple[Address, ...], now: datetime, outage: Outage | None) -> None:
        home = self._settings.home
        before = read_incidents(home)
        status = replace(read_status(self._settings, now), served=True, seen_seconds=0.0)
        problems, quiet = problems_of(status, Runs(self._settings.runs), home, before)
        incidents = before.after([*problems, *outages(outage, now)], quiet, now)
        if self._sender is not None and not self._sender.is_alive():
            tried = [message for message, _, _ in self._sent]
            lost = [(message, ["any address"], ()) for message in self._due if message not in tried]
            for message, failed, accepted in (*self._sent, *lost):
                if not failed:
                    incidents = incidents.without(message)
                else:
                    incidents = incidents.postponed(message, accepted, now)
                    self._on_progress(
                        f"the notification '{message.title}' was not accepted by {', '.join(failed)}"
                    )
            self._sender = None
        if incidents != before:
            write_incidents(home, incidents)
        due = [message for message in incidents.messages if message.due <= now.isoformat()]
        if due and self._sender is None:
            self._due, self._sent = due, []
            self._sender = threading.Thread(target=self._send, args=(addresses, due), daemon=True)
            self._sender.start()

    def _send(self, addresses: tuple[Address, ...], messages: list[Message]) -> None:
        for message in messages:
            left = [address for address in addresses if address.name not in message.accepted]
            failed = send(left, message.title, message.body)
            accepted = tuple(address.name for address in left if address.name not in failed)
            self._sent.append((message, failed, accepted))
