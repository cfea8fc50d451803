"""Requests of several processes at one host."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from helio.errors import Cancelled
from helio.sources.host_places import HostPlaces
from helio.testing import CdaWebStandIn
from tests.waiting import LONG

HOLD = """
import sys, threading
from pathlib import Path
from helio.sources.host_places import HostPlaces
with HostPlaces(Path(sys.argv[1]), 1).place("host", threading.Event()):
    print("held", flush=True)
    sys.stdin.read()
"""
FETCH = """
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from helio.sources.archives import Archives
archives = Archives(None, "cdaweb", cache=Path(sys.argv[1]), addresses={'cdaweb': sys.argv[2]})
client = archives._http()
with ThreadPoolExecutor(4) as pool:
    list(pool.map(lambda n: client.get(f"{sys.argv[2]}/WS/cdasr/1/dataviews/sp_phys/datasets?n={n}"), range(4)))
"""


def has_place(places: HostPlaces) -> bool:
    """Whether a place is free at once."""
    ended = threading.Event()
    ended.set()
    try:
        with places.place("host", ended):
            return True
    except Cancelled:
        return False


@pytest.mark.process
def test_a_place_is_taken_for_all_processes_until_its_own_dies(tmp_path: Path):
    places = HostPlaces(tmp_path, 1)
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        assert not has_place(places)
        child.kill()
        child.wait()
        assert has_place(places)


def test_threads_share_the_places_and_leave_them(tmp_path: Path):
    places = HostPlaces(tmp_path, 2)
    never = threading.Event()
    with places.place("host", never):
        assert has_place(places)
        with places.place("host", never):
            assert not has_place(places)
            with places.place("another", never):
                pass
    assert has_place(places)


def test_who_waited_long_goes_without(tmp_path: Path):
    never = threading.Event()
    with (
        HostPlaces(tmp_path, 1).place("host", never),
        HostPlaces(tmp_path, 1, patience=0.0).place("host", never),
    ):
        pass


def test_a_folder_that_cannot_be_is_done_without(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with HostPlaces(tmp_path / "file" / "hosts", 1).place("host", threading.Event()):
        pass


@pytest.mark.slow
@pytest.mark.parametrize("processes", [3])
def test_three_processes_together_make_two_requests_at_once(tmp_path: Path, processes: int):
    (tmp_path / "served").mkdir()
    with CdaWebStandIn(tmp_path / "served") as server:
        server.fail("datasets?n", *[("slow", 0.02)] * 100)
        command = [sys.executable, "-c", FETCH, str(tmp_path / "cache"), server.url]
        children = [subprocess.Popen(command) for _ in range(processes)]
        assert [child.wait(LONG) for child in children] == [0] * processes
        assert len(server.requests) == 4 * processes
        assert server.most_at_once <= 2
