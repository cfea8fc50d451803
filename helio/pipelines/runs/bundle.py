"""Move runs to another home: their records and files in one ZIP file, without their tables and data.

The file of a bundle has the same bytes for the same runs::

    bundle.json              form, ids of the runs, sha256 of every other member
    records/RUN/run.json     the files of each record
    files/RUN/figure.png     the files that the run wrote; the points of an HTML page as one file

A bundle may come from a stranger. Adding it writes only records and files whose digests are right, and neither results
nor keys of work: a run in this home never uses what somebody else computed.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypedDict

from helio.errors import DamagedRecord, OutputError, RequestError
from helio.pipelines.runs.artefacts import write_scripts
from helio.pipelines.template.files import DETAIL
from helio.steps.render.detail import Detail, is_detail_folder, read_detail
from helio.store.files import json_bytes, write_whole
from helio.store.records import WrongShape, convert, read_json
from helio.store.runs import FINISHED, HEADER, STEPS, ArtefactRecord, RunRecord, Runs

FORM = "helio-bundle/1"
LARGEST = 1024**3
"""Maximum bytes of the content of a bundle."""
_INDEX = "bundle.json"
_LARGEST_INDEX = 64 * 1024**2
_EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The time of every member: a ZIP file knows no earlier time."""
_ENDED = (*FINISHED, "cancelled")
_RUN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")
_MEMBER = re.compile(rf"(?P<kind>records|files)/(?P<run>{_RUN.pattern})/(?P<name>[^/\\\x00-\x1f]{{1,200}})")
_RECORD_FILE = re.compile(r"[a-z]{1,40}\.jsonl?")


class _Index(TypedDict):
    """The content of ``bundle.json``."""

    form: str
    runs: list[str]
    files: dict[str, str]


@dataclass(frozen=True)
class Bundled:
    """What was written to a bundle, or added from one.

    Parameters
    ----------
    runs : tuple of str
        Ids of the runs.
    files : tuple of Path
        The bundle, or the files of the runs that were added.
    notes : tuple of str
        What is not in it, and why.
    """

    runs: tuple[str, ...]
    files: tuple[Path, ...]
    notes: tuple[str, ...] = ()


def write_bundle(records: Sequence[RunRecord], file: Path) -> Bundled:
    """Write runs with their records and files into one file.

    Raises
    ------
    RequestError
        A run has not ended, or the file exists.
    DamagedRecord
    OutputError
    """
    if file.exists():
        raise RequestError(f"{file} exists already", advice="choose another name")
    members: dict[str, bytes] = {}
    notes: list[str] = []
    for record in records:
        _read(record)
        for path in sorted(record.folder.iterdir()):
            if _RECORD_FILE.fullmatch(path.name):
                members[f"records/{record.id}/{path.name}"] = path.read_bytes()
        for artefact in _artefacts(record):
            path = Path(artefact["file"])
            content = _content(artefact)
            if content is None:
                notes.append(
                    f"{path} of run {record.id} is not there any more, or has changed; it is left out"
                )
            else:
                members[f"files/{record.id}/{path.name}"] = content
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in members.items()}
    index = {"form": FORM, "runs": [record.id for record in records], "files": dict(sorted(digests.items()))}
    write_whole(file, _zipped({_INDEX: json_bytes(index), **dict(sorted(members.items()))}))
    return Bundled(tuple(record.id for record in records), (file,), tuple(notes))


def _zipped(members: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, content in members.items():
            member = zipfile.ZipInfo(name, _EARLIEST)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = 0o600 << 16
            bundle.writestr(member, content)
    return packed.getvalue()


def is_bundle(file: Path) -> bool:
    """Return whether a file is a ZIP file, and not the JSON of a pipeline."""
    with file.open("rb") as opened:
        return opened.read(4) == b"PK\x03\x04"


def add_bundle(file: Path, runs: Runs, folder: Path, now: datetime) -> Bundled:
    """Add the runs of a bundle to a home.

    Every digest and every record is checked before anything is written. A run that is there already stays as it is.

    Parameters
    ----------
    folder : Path
        Gets a folder for the files of each run.
    now : datetime
        When the runs are added, naive UTC; the records say so.

    Raises
    ------
    RequestError
        The file is no bundle, is damaged, or has another run of the same id as one of this home.
    OutputError
        A folder for files exists already, or cannot be written.
    """
    try:
        with zipfile.ZipFile(file) as bundle:
            index, members = _members(bundle)
    # zipfile raises each of these for a file that it cannot read: damaged, encrypted, or compressed otherwise
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, RuntimeError, ValueError) as error:
        raise _damaged(file, str(error)) from error
    digest = hashlib.sha256(json.dumps(index["files"], sort_keys=True).encode()).hexdigest()
    contents = {run: _of_run(members, "records", run) for run in index["runs"]}
    files = {run: _of_run(members, "files", run) for run in index["runs"]}
    artefacts = {run: _checked(file, run, contents[run], files[run]) for run in index["runs"]}
    known = set(runs.ids())
    written: list[Path] = []
    notes: list[str] = []
    for run in index["runs"]:
        if run in known and not _is_same(RunRecord(runs.root / run), contents[run]):
            raise RequestError(
                f"another run of this home has the id '{run}'",
                advice=f"if you do not need that run, remove it with `helio runs delete {run}`",
            )
        if run not in known and (folder / run).exists():
            raise OutputError(
                f"the folder {folder / run} exists already", advice="choose another folder with --output"
            )
    for run in index["runs"]:
        if run in known:
            notes.append(f"run {run} is here already")
            continue
        moved = [_write(folder / run, artefact, files[run]) for artefact in artefacts[run]]
        header = read_json(contents[run][HEADER])
        header |= {"artefacts": moved, "added": {"bundle": digest, "at": now.isoformat()}}
        runs.add(run, {**contents[run], HEADER: json_bytes(header)})
        written += [Path(artefact["file"]) for artefact in moved]
    return Bundled(tuple(index["runs"]), tuple(written), tuple(notes))


def _members(bundle: zipfile.ZipFile) -> tuple[_Index, dict[str, bytes]]:
    """Read a bundle, and check the names, sizes and digests of its members.

    Raises
    ------
    ValueError
        With the reason.
    """
    listed = bundle.infolist()
    if sum(member.file_size for member in listed) > LARGEST:
        raise ValueError(f"its content is larger than {LARGEST // 1024**3} GB")
    if not listed or listed[0].filename != _INDEX or listed[0].file_size > _LARGEST_INDEX:
        raise ValueError(f"it does not begin with {_INDEX}")
    try:
        index: _Index = convert(read_json(bundle.read(listed[0])), _Index)
    except WrongShape as error:
        raise ValueError(f"{_INDEX}: {error}") from error
    if index["form"] != FORM:
        raise ValueError(f"its form is '{index['form'][:40]}', not '{FORM}'")
    if not all(map(_RUN.fullmatch, index["runs"])):
        raise ValueError("it names a run that cannot be one")
    names = [member.filename for member in listed[1:]]
    if sorted(names) != sorted(index["files"]) or len(set(index["runs"])) != len(index["runs"]):
        raise ValueError(f"its members are not those that {_INDEX} lists")
    members: dict[str, bytes] = {}
    for member in listed[1:]:
        match = _MEMBER.fullmatch(member.filename)
        if match is None or match["run"] not in index["runs"] or match["name"].startswith("."):
            raise ValueError(f"'{member.filename[:100]}' is not the name of a member")
        if match["kind"] == "records" and not _RECORD_FILE.fullmatch(match["name"]):
            raise ValueError(f"'{member.filename[:100]}' is not a file of a record")
        content = bundle.read(member)
        if hashlib.sha256(content).hexdigest() != index["files"][member.filename]:
            raise ValueError(f"{member.filename} has changed since the bundle was written")
        members[member.filename] = content
    return index, members


def _of_run(members: Mapping[str, bytes], kind: str, run: str) -> dict[str, bytes]:
    prefix = f"{kind}/{run}/"
    return {
        name.removeprefix(prefix): content for name, content in members.items() if name.startswith(prefix)
    }


def _checked(
    file: Path, run: str, contents: Mapping[str, bytes], files: Mapping[str, bytes]
) -> list[ArtefactRecord]:
    """Check a record by reading it as helio reads its own, and return those of its files that the bundle has."""
    with tempfile.TemporaryDirectory(prefix="helio-bundle-") as folder:
        try:
            record = Runs(Path(folder)).add(run, contents)
            _read(record)
            listed = list(_artefacts(record))
        except (DamagedRecord, RequestError, ValueError) as error:
            raise _damaged(file, f"run {run}: {error}") from error
    kept = []
    for artefact in listed:
        content = files.get(Path(artefact["file"]).name)
        if content is None:
            continue
        if hashlib.sha256(content).hexdigest() != artefact["sha256"]:
            raise _damaged(file, f"{artefact['file']} of run {run} is not the file that the run wrote")
        if artefact["kind"] == DETAIL and not _is_detail(Path(artefact["file"]).name, content):
            raise _damaged(file, f"{artefact['file']} of run {run} cannot be the points of a page")
        kept.append(artefact)
    return kept


def _read(record: RunRecord) -> None:
    """Read all of a record, so that its errors are found.

    Raises
    ------
    RequestError
        The run has not ended.
    DamagedRecord
    """
    status = record.whole_header["status"]
    if status not in _ENDED:
        raise RequestError(
            f"run {record.id} has not ended: it is {record.status}", advice="wait until it ends"
        )
    _ = record.step_records, record.plan, record.authored, record.normalised, record.edits


def _artefacts(record: RunRecord) -> Iterator[ArtefactRecord]:
    yield from record.whole_header.get("artefacts", ())


def _content(artefact: ArtefactRecord) -> bytes | None:
    """Return the content of a file that a run wrote; None if the file is gone or has changed."""
    path = Path(artefact["file"])
    if artefact["kind"] == DETAIL:
        detail = read_detail(path)
        content = None if detail is None else detail.content
    else:
        content = path.read_bytes() if path.is_file() else None
    if content is None or hashlib.sha256(content).hexdigest() != artefact["sha256"]:
        return None
    return content


def _is_detail(name: str, content: bytes) -> bool:
    try:
        detail = Detail(content)
        return is_detail_folder(name) and len(b"".join(detail.files)) <= len(content) and bool(detail.panels)
    except (ValueError, LookupError, TypeError):
        return False


def _is_same(record: RunRecord, contents: Mapping[str, bytes]) -> bool:
    """Return whether the record of this home is that of the bundle, apart from its header."""
    return (record.folder / STEPS).read_bytes() == contents.get(STEPS)


def _write(folder: Path, artefact: ArtefactRecord, files: Mapping[str, bytes]) -> dict[str, Any]:
    """Write a file of a run into its new folder, and return its record."""
    path = folder / Path(artefact["file"]).name
    content = files[path.name]
    if artefact["kind"] == DETAIL:
        Detail(content).write(path)
    else:
        write_whole(path, content)
    if artefact["kind"] == "html":
        write_scripts(folder, shared=True)
    return {**artefact, "file": str(path)}


def _damaged(file: Path, reason: str) -> RequestError:
    return RequestError(
        f"{file} is not a whole bundle of runs: {reason}",
        advice="ask for the file again, and check its sha256",
    )
