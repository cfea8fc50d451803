"""A HAPI server that answers with whatever bytes a test gives it."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlsplit

from helio.testing import Handler, StandIn

OK = {"code": 1200, "message": "OK"}
TIME = {"name": "Time", "type": "isotime", "units": "UTC", "fill": None, "length": 24}
FIELD = {"name": "B", "type": "double", "units": "nT", "fill": "-1e31", "description": "Field strength"}


def info_reply(*parameters: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Describe one day of hourly records of the parameters, or of `FIELD`; a change of None removes a member."""
    said = {
        "HAPI": "3.2",
        "status": OK,
        "startDate": "2021-10-28T00:00:00Z",
        "stopDate": "2021-10-29T00:00:00Z",
        "cadence": "PT1H",
        "modificationDate": "2022-01-01Z",
        "parameters": [TIME, *(parameters or (FIELD,))],
    }
    return {name: value for name, value in (said | changes).items() if value is not None}


def csv_lines(count: int = 24) -> list[str]:
    """Hourly records of `FIELD`, as lines without their ends."""
    return [f"2021-10-28T{hour:02d}:00:00.000Z,{hour + 0.5}" for hour in range(count)]


def csv_reply(count: int = 24) -> bytes:
    """Hourly records of `FIELD`."""
    return "".join(f"{line}\n" for line in csv_lines(count)).encode()


class OddHapi(StandIn):
    """Answers below ``/hapi`` with what `replies` holds for the endpoint: bytes as they are, or JSON of the value.

    Parameters
    ----------
    replies : dict
        ``capabilities``, ``catalog``, ``info`` and ``data``; what is left out is as a plain server would answer.
    """

    def __init__(self, **replies: Any) -> None:
        self.replies: dict[str, Any] = {
            "capabilities": {"HAPI": "3.2", "status": OK, "outputFormats": ["csv"]},
            "catalog": {"HAPI": "3.2", "status": OK, "catalog": [{"id": "ODD"}]},
            "info": info_reply(),
            "data": csv_reply(),
        } | replies
        self.reasons: dict[str, str] = {}
        self.http_status = 200
        super().__init__()
        self.url += "/hapi"


class _Handler(Handler):
    def route(self) -> None:
        served = self.standin
        assert isinstance(served, OddHapi)
        endpoint = urlsplit(self.path).path.removeprefix("/hapi/")
        reply = served.replies.get(endpoint)
        if reply is None:
            self.answer(404, b"", "text/plain")
            return
        content = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
        kind = "application/json"
        if endpoint == "data":
            kind = (
                "text/csv"
                if isinstance(reply, bytes) and "format=csv" in self.path
                else "application/octet-stream"
            )
        self.answer(served.http_status, content, kind, reason=served.reasons.get(endpoint))


OddHapi.handler = _Handler
