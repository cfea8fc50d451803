"""Files come whole or not at all, once, and are known again; every fault over real HTTP."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from helio.errors import (
    Cancelled,
    DamagedFile,
    HelioError,
    Offline,
    OutputError,
    RateLimited,
    Refused,
    ServerUnavailable,
    TooLarge,
)
from helio.sources import downloads as module
from helio.sources.allowance import in_words
from helio.sources.downloads import Downloads, FileRequest, place_of
from helio.sources.http import Hosts, Http
from helio.sources.transfers import Progress
from helio.testing import CdaWebStandIn
from tests.waiting import LONG, wait_until

pytestmark = pytest.mark.process

ACE, HET = "ac_k2_mfi_20220101_v03.cdf", "sta_l1_het_20211028_v01.cdf"


def wanted(standin: CdaWebStandIn, name: str = HET, **other) -> FileRequest:
    one = next(file for file in standin.files if file.path.name == name)
    facts = {"size": one.path.stat().st_size, "identity": "as listed"} | other
    return FileRequest(f"{standin.url}/sp_phys/data/{one.folder}/{name}", **facts)


def partial_files(root: Path) -> list[Path]:
    return list((root / "parts").rglob("*")) if (root / "parts").exists() else []


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "files"


@pytest.fixture
def downloads(root, http) -> Downloads:
    return Downloads(root, http)


@pytest.mark.parametrize(
    ("faults", "kind", "attempts"),
    [
        (["timeout"] * 3, ServerUnavailable, 3),
        (["reset"] * 3, ServerUnavailable, 3),
        (["closed"] * 3, ServerUnavailable, 3),
        (["reset midway"] * 3, ServerUnavailable, 3),
        (["stall"] * 3, ServerUnavailable, 3),
        (["truncate"] * 3, DamagedFile, 3),
        (["500"] * 3, ServerUnavailable, 3),
        (["503"] * 3, ServerUnavailable, 3),
        ([("503 retry", 1)] * 3, RateLimited, 3),
        ([("429", 1)] * 3, RateLimited, 3),
        ([("429", 3600)], RateLimited, 1),
        (["403"], Refused, 1),
        (["404"], Refused, 1),
        (["wrong length"], DamagedFile, 1),
        (["html"], DamagedFile, 1),
        (["damaged"], DamagedFile, 1),
        (["timeout", "reset", "truncate"], DamagedFile, 3),
    ],
    ids=lambda value: "+".join(map(str, value)) if isinstance(value, list) else None,
)
def test_each_fault_has_its_error_and_leaves_nothing_and_the_next_run_completes(
    standin, root, http, clock, faults, kind, attempts
):
    one = wanted(standin)
    standin.fail("/sp_phys/data/", *faults)
    with pytest.raises(HelioError) as caught:
        Downloads(root, http).get([one])
    assert type(caught.value) is kind
    assert len(standin.requests) == attempts
    assert caught.value.place == one.url
    assert [path for path in root.rglob("*") if path.is_file()] == []
    assert partial_files(root) == []
    standin.mend()
    clock.ahead += 3600
    [kept] = Downloads(root, http).get([one])
    assert kept.path.read_bytes() == (standin.files[-1].path).read_bytes()
    assert len(standin.requests) == 1


@pytest.mark.parametrize(
    "fault", ["timeout", "reset", "reset midway", "truncate", "503", ("429", 1), "stall"]
)
def test_one_fault_is_survived(standin, downloads, fault):
    standin.fail("/sp_phys/data/", fault)
    [kept] = downloads.get([wanted(standin)])
    assert kept.sha256 == hashlib.sha256(kept.path.read_bytes()).hexdigest()
    assert kept.path.read_bytes() == standin.files[-1].path.read_bytes()
    assert len(standin.requests) == 2


def test_a_cut_file_is_resumed_where_it_was_cut(standin, downloads):
    standin.fail("/sp_phys/data/", ("truncate", 100_000))
    [kept] = downloads.get([wanted(standin)])
    first, second = standin.requests
    assert "Range" not in first.headers
    assert second.headers["Range"] == "bytes=100000-"
    assert second.headers["If-Range"] == standin.files[-1].etag
    assert second.status == 206
    assert kept.sha256 == hashlib.sha256(standin.files[-1].path.read_bytes()).hexdigest()


@pytest.mark.parametrize("fault", [("truncate", 40_000), ("reset midway", 40_000), ("stall", 40_000)])
def test_much_of_a_file_is_kept_for_the_next_run_and_little_is_not(standin, root, http, monkeypatch, fault):
    for worth, range_header in ((1_000_000, None), (50_000, "bytes=120000-")):
        monkeypatch.setattr(module, "_WORTH_RESUMING", worth)
        standin.fail("/sp_phys/data/", *[fault] * 3)
        with pytest.raises(HelioError):
            Downloads(root, http).get([wanted(standin)])
        assert bool(partial_files(root)) == (range_header is not None)
        standin.mend()
        if range_header is None:
            continue
        [kept] = Downloads(root, http).get([wanted(standin)])
        assert standin.requests[0].headers["Range"] == range_header
        assert kept.sha256 == hashlib.sha256(standin.files[-1].path.read_bytes()).hexdigest()
        assert partial_files(root) == []


def test_what_nobody_came_back_for_is_forgotten_after_a_week(standin, downloads, root):
    for name, age in (("0" * 24 + ".free-00", 8), ("1" * 24 + ".free-00", 6)):
        (root / "parts" / name).mkdir(parents=True)
        then = time.time() - age * 86_400
        os.utime(root / "parts" / name, (then, then))
    downloads.get([wanted(standin)])
    assert [path.name for path in partial_files(root)] == ["1" * 24 + ".free-00"]


def test_a_file_replaced_between_two_attempts_is_begun_anew(standin, downloads, clock, published):
    other = (published / ACE).read_bytes()

    def replace_it() -> None:
        (published / HET).write_bytes(other)

    standin.fail("/sp_phys/data/", ("truncate", 10_000))
    clock.then = replace_it
    [kept] = downloads.get([wanted(standin, size=0)])
    assert standin.requests[1].headers["Range"] == "bytes=10000-"
    assert standin.requests[1].status == 200
    assert kept.path.read_bytes() == other


def test_a_file_that_is_here_is_not_asked_for(standin, downloads, root, http):
    downloads.get([wanted(standin)])
    standin.mend()
    [kept] = Downloads(root, http).get([wanted(standin)])
    assert standin.requests == []
    assert kept.etag == standin.files[-1].etag
    assert kept.last_modified == "Tue, 14 Nov 2023 22:13:20 GMT"


def test_what_stands_beside_a_file_says_where_it_came_from(standin, downloads):
    [kept] = downloads.get([wanted(standin)])
    said = json.loads(kept.path.with_name(f"{HET}.json").read_text())
    assert said["url"] == wanted(standin).url
    assert said["size"] == 215082
    assert said["sha256"] == hashlib.sha256(kept.path.read_bytes()).hexdigest()
    assert {"etag", "last_modified", "fetched_at"} <= set(said)


def test_a_byte_changed_on_this_machine_is_noticed(standin, downloads, root, http, caplog):
    [kept] = downloads.get([wanted(standin)])
    content = bytearray(kept.path.read_bytes())
    content[len(content) // 2] ^= 1
    kept.path.write_bytes(content)
    standin.mend()
    again = Downloads(root, http)
    assert again.find(wanted(standin)) is None
    [mended] = again.get([wanted(standin)])
    assert len(standin.requests) == 1
    assert mended.sha256 == kept.sha256
    assert "has changed since its download" in caplog.text


@pytest.mark.parametrize("content", ["", "{", "[]", '{"size": 1}'])
def test_a_file_of_which_nothing_is_known_is_fetched_again(standin, downloads, content):
    [kept] = downloads.get([wanted(standin)])
    kept.path.with_name(f"{HET}.json").write_text(content)
    standin.mend()
    downloads.get([wanted(standin)])
    assert len(standin.requests) == 1


def test_another_publication_is_another_file(standin, downloads):
    downloads.get([wanted(standin)])
    standin.mend()
    downloads.get([wanted(standin, identity="as listed later")])
    assert len(standin.requests) == 1


def test_revalidation_costs_a_request_and_no_bytes(standin, downloads):
    [kept] = downloads.get([wanted(standin)])
    standin.mend()
    assert downloads.get([wanted(standin)], revalidate=True) == [kept]
    [request] = standin.requests
    assert request.headers["If-None-Match"] == kept.etag
    assert request.status == 304


def test_revalidation_brings_what_was_published_since(standin, downloads, published):
    downloads.get([wanted(standin)])
    (published / HET).write_bytes((published / ACE).read_bytes())
    [kept] = downloads.get([wanted(standin)], revalidate=True)
    assert kept.path.read_bytes() == (published / ACE).read_bytes()


def test_what_came_stays_when_another_file_fails(standin, root, http):
    downloads = Downloads(root, http)
    standin.fail(HET, "404")
    with pytest.raises(Refused):
        downloads.get([wanted(standin, ACE), wanted(standin)])
    downloads.get([wanted(standin, ACE)])
    standin.mend()
    downloads.get([wanted(standin, ACE), wanted(standin)])
    assert [request.path.rpartition("/")[2] for request in standin.requests] == [HET]


def test_more_than_the_limit_is_refused_before_anything_is_asked(standin, root, http):
    with pytest.raises(TooLarge, match=r"2 files of 246 kB .* the limit of 200 kB") as caught:
        Downloads(root, http, limit=200_000).get([wanted(standin), wanted(standin, ACE)])
    assert "--max-download 247kB" in caught.value.advice
    assert standin.requests == []


def test_the_limit_holds_for_files_of_unknown_size(standin, root, http):
    with pytest.raises(TooLarge):
        Downloads(root, http, limit=100_000).get([wanted(standin, size=0)])
    assert partial_files(root) == []


def test_files_that_are_here_do_not_count_against_the_limit(standin, root, http):
    Downloads(root, http).get([wanted(standin)])
    assert len(Downloads(root, http, limit=40_000).get([wanted(standin), wanted(standin, ACE)])) == 2


def test_offline_names_what_is_missing_and_asks_nobody(standin, root, http):
    Downloads(root, http).get([wanted(standin, ACE)])
    standin.mend()
    downloads = Downloads(root, http, offline=True)
    assert len(downloads.get([wanted(standin, ACE)], revalidate=True)) == 1
    with pytest.raises(Offline, match=f"helio is offline, and 1 file is not cached: {HET}"):
        downloads.get([wanted(standin, ACE), wanted(standin)])
    assert standin.requests == []


def test_progress_counts_files_and_bytes(standin, root, http):
    told: list[Progress] = []
    Downloads(root, http, on_progress=told.append).get([wanted(standin), wanted(standin, ACE)])
    assert replace(told[-1], fetch=0) == Progress(2, 2, bytes_done=246_334, bytes=246_334)
    assert {progress.fetch for progress in told} == {told[0].fetch}
    assert [progress.bytes_done for progress in told] == sorted(progress.bytes_done for progress in told)


def test_progress_does_not_count_what_came_in_vain(standin, root, http):
    told: list[Progress] = []
    standin.fail("/sp_phys/data/", ("truncate", 50_000), "reset midway")
    Downloads(root, http, on_progress=told.append).get([wanted(standin)])
    assert told[-1].bytes_done == 215_082


def test_threads_that_want_the_same_file_ask_once(standin, downloads):
    standin.fail("/sp_phys/data/", ("slow", 0.01))
    threads = [threading.Thread(target=downloads.get, args=([wanted(standin)],)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(standin.requests) == 1


def test_a_host_gets_two_requests_at_once_at_most(standin, root, published):
    names = [f"ac_k2_mfi_2022010{day}_v03.cdf" for day in range(1, 8)]
    for name in names[1:]:
        (published / name).write_bytes((published / ACE).read_bytes())
        standin.publish(published / name)
    standin.fail("/sp_phys/data/", *[("slow", 0.005)] * 7)
    http = Http(timeout=5, hosts=Hosts())
    Downloads(root, http).get([wanted(standin, name) for name in names])
    http.close()
    assert standin.most_at_once == 2


DOWNLOAD = """
import json, resource, sys
from pathlib import Path
from helio.errors import HelioError
from helio.sources import downloads as module
from helio.sources.downloads import Downloads, FileRequest
from helio.sources.http import Http
url, size, root, limit = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4])
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    [kept] = Downloads(root, Http(timeout=20)).get([FileRequest(url, size, "as listed")])
    print(kept.sha256)
except HelioError as error:
    print(type(error).__name__, error.message)
"""


def process(one: FileRequest, root: Path, limit: int = 0) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-c", DOWNLOAD, one.url, str(one.size), str(root), str(limit)],
        stdout=subprocess.PIPE,
        text=True,
    )


def test_a_full_disk_is_said_and_nothing_is_left(standin, downloads, root):
    with process(wanted(standin), root, limit=100_000) as child:
        said, _ = child.communicate(timeout=LONG)
    assert said.startswith("OutputError")
    assert "the disk is full" in said
    assert HET in said
    assert [path for path in root.rglob("*") if path.is_file()] == []
    [kept] = downloads.get([wanted(standin)])
    assert kept.size == 215_082


def test_a_folder_that_cannot_be_written_is_said(standin, tmp_path, http):
    (tmp_path / "files").write_text("in the way")
    with pytest.raises(OutputError):
        Downloads(tmp_path / "files", http).get([wanted(standin)])


def test_processes_that_want_the_same_file_all_get_it_whole(standin, root):
    standin.fail("/sp_phys/data/", *[("slow", 0.02)] * 3)
    children = [process(wanted(standin), root) for _ in range(3)]
    said = {child.communicate(timeout=LONG)[0].strip() for child in children}
    assert said == {hashlib.sha256(standin.files[-1].path.read_bytes()).hexdigest()}
    assert sorted(path.name for path in root.rglob("*") if path.is_file()) == [HET, f"{HET}.json"]


def test_what_a_killed_process_had_is_taken_up(standin, root, downloads):
    standin.fail("/sp_phys/data/", ("stall", 150_000))
    with process(wanted(standin), root) as child:
        try:
            part = _wait_for(root / "parts", 150_000)
        finally:
            os.kill(child.pid, signal.SIGKILL)
    assert part.exists()
    [kept] = downloads.get([wanted(standin)])
    assert standin.requests[-1].headers["Range"] == "bytes=150000-"
    assert standin.requests[-1].status == 206
    assert kept.sha256 == hashlib.sha256(standin.files[-1].path.read_bytes()).hexdigest()
    assert partial_files(root) == []


def test_a_cancelled_download_ends_at_once_and_is_resumed_by_the_next_run(
    standin, root, downloads, monkeypatch
):
    monkeypatch.setattr(module, "_WORTH_RESUMING", 50_000)
    standin.fail("/sp_phys/data/", ("stall", 150_000))
    slow = Http(hosts=Hosts())
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(Downloads(root, slow).get, [wanted(standin)])
        _wait_for(root / "parts", 150_000)
        slow.cancel()
        with pytest.raises(Cancelled):
            future.result(timeout=LONG)
    slow.close()
    [kept] = downloads.get([wanted(standin)])
    assert standin.requests[-1].headers["Range"] == "bytes=150000-"
    assert kept.sha256 == hashlib.sha256(standin.files[-1].path.read_bytes()).hexdigest()
    assert partial_files(root) == []


def _wait_for(parts: Path, size: int) -> Path:
    come: list[Path] = []

    def has_come() -> bool:
        come[:] = [body for body in parts.glob("*/body") if body.stat().st_size >= size]
        return bool(come)

    wait_until(has_come, "a part of the file")
    return come[0]


@pytest.mark.parametrize(
    "url",
    [
        "http://host/../../etc/passwd",
        "http://host/a/..%2f..%2fetc/passwd",
        "http://host/%2e%2e/%2e%2e/x.cdf",
        "http://host/a/.hidden",
        "http://host/a\\b.cdf",
        "http://host/" + "x" * 400,
        "http://host/a%00b.cdf",
        "http://..:80/x.cdf",
    ],
)
def test_no_url_leads_out_of_the_folder(url, tmp_path):
    place = place_of(url)
    assert (tmp_path / place).resolve().is_relative_to(tmp_path.resolve())
    assert not any(part.startswith(".") or len(part) > 200 for part in place.split("/"))


@pytest.mark.parametrize(
    "url", ["ftp://host/a.cdf", "file:///a.cdf", "http:///a.cdf", "http://host/", "a.cdf"]
)
def test_what_is_no_file_on_a_server_is_refused(url):
    with pytest.raises(Refused):
        place_of(url)


def test_queries_tell_files_apart():
    assert place_of("http://host/a.cdf?x=1") != place_of("http://host/a.cdf?x=2")


def test_a_limit_is_said_so_that_it_would_do():
    assert in_words(1_000_000_001, up=True) == "2 GB"
    assert in_words(12) == "12 B"


def test_a_file_that_is_used_is_dated_so_for_the_collection_of_what_is_not(standin, downloads, root, http):
    [kept] = downloads.get([wanted(standin)])
    beside = kept.path.with_name(f"{HET}.json")
    os.utime(beside, (0, 0))
    os.utime(kept.path, (0, 0))
    Downloads(root, http).get([wanted(standin)])
    assert beside.stat().st_mtime > 1e9
    assert kept.path.stat().st_mtime == 0  # what is remembered of its digest holds on
