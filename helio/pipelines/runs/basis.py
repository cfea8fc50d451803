"""What the result of a run rests on: its steps, the versions of its tools, and the files of its data."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any

from helio.counts import number_of
from helio.errors import DamagedFile, DamagedRecord, Offline, TimeRangeError, TransientError
from helio.pipelines.analyses.work import work_of
from helio.sources.local import LocalArchive, parse_file_name
from helio.sources.provider import Provider, Providers
from helio.steps.fetch.choices import ABSENT, choices_of
from helio.steps.signature import signatures
from helio.store.records import WrongShape, read_bytes, read_json
from helio.store.runs import RunRecord, StepRecord
from helio.store.source_file import SourceFile
from helio.time_range import TimeRange, parse_time_range

log = logging.getLogger(__name__)

_ABSENT = frozenset(kind.__name__ for kind in ABSENT)
_MOST_NAMED = 3
"""Maximum number of files that a reason names."""
_SHORT = 12
"""Number of hexadecimal digits that identify a step or a file here; whole digests would fill the file of known runs."""

_UNUSED = "-"
"""Mark before the identity of a file that gave no records: a provider also lists the neighbours of an interval."""

Files = Mapping[str, str]
"""Short identities of the files that a provider lists for an interval, by name; empty if it has no data."""


@dataclass(frozen=True)
class Basis:
    """What determines the result of a run besides its interval and its values.

    Parameters
    ----------
    steps : mapping
        A short digest of each step, by its id: the tool and the arguments, without words for people.
    tools : mapping
        The version of each tool, by its name.
    files : mapping
        The files of each dataset, by ``"PROVIDER DATASET START/STOP"``, where PROVIDER is the one that the step names.
        Datasets after the one that a fetch used are left out.
    """

    steps: Mapping[str, str] = field(default_factory=dict)
    tools: Mapping[str, int] = field(default_factory=dict)
    files: Mapping[str, Files] = field(default_factory=dict)


def differences(before: Basis, now: Basis) -> tuple[str, ...]:
    """Say in words why a run on the basis `now` could give another result than the run on the basis `before`.

    Datasets that only one of the two knows are not compared, because a provider may be out of reach.

    Examples
    --------
    >>> old = Basis({"b": "1"}, {"magnitude": 1}, {" AC_H2_MFI 2024-05-10/2024-05-11": {"a.cdf": "1"}})
    >>> new = Basis({"b": "2"}, {"magnitude": 2}, {" AC_H2_MFI 2024-05-10/2024-05-11": {"a.cdf": "2"}})
    >>> for reason in differences(old, new):
    ...     print(reason)
    the template has changed: step b differs
    the tool magnitude has changed: version 1 → 2
    AC_H2_MFI: a.cdf was republished
    """
    return tuple(_differences(before, now))


def _differences(before: Basis, now: Basis) -> Iterator[str]:
    if before.steps != now.steps:
        changes = _changes(before.steps, now.steps, ("is new", "is gone", "differs"))
        steps = [f"step {name} {change}" for name, change in changes]
        yield f"the template has changed: {_listed(steps)}"
    for tool in sorted(before.tools.keys() & now.tools.keys()):
        if before.tools[tool] != now.tools[tool]:
            yield f"the tool {tool} has changed: version {before.tools[tool]} → {now.tools[tool]}"
    for name in sorted(before.files.keys() & now.files.keys()):
        changed = [f"{file} {change}" for file, change in file_changes(before.files[name], now.files[name])]
        if changed:
            yield f"{parts_of(name)[1]}: {_listed(changed)}"


def file_changes(before: Files, now: Files) -> tuple[tuple[str, str], ...]:
    """Return the names of the files that differ, each with what happened to it in words.

    Examples
    --------
    >>> old = {"ac_h2_mfi_20240510_v01.cdf": "1", "ac_h2_mfi_20240511_v01.cdf": "1"}
    >>> new = {"ac_h2_mfi_20240510_v02.cdf": "2", "ac_h2_mfi_20240511_v01.cdf": "2"}
    >>> for change in file_changes(old, new):
    ...     print(*change)
    ac_h2_mfi_20240510_v01.cdf was replaced by version 02
    ac_h2_mfi_20240511_v01.cdf was republished
    """
    before, now = files_with_records(before), files_with_records(now)
    versions = replacements(before.keys() - now.keys(), now.keys() - before.keys())
    followers = set(versions.values())
    return tuple(
        (name, _successor_in_words(versions[name]) if name in versions else change)
        for name, change in _changes(before, now, ("is new", "is gone", "was republished"))
        if name not in followers
    )


def replacements(gone: Iterable[str], new: Iterable[str]) -> dict[str, str]:
    """Return the new file that has another version of each file that is gone: of the same dataset and start."""
    by_start = {
        (named.dataset_id, named.start): name for name in sorted(new) if (named := parse_file_name(name))
    }
    pairs: dict[str, str] = {}
    for name in sorted(gone):
        named = parse_file_name(name)
        successor = by_start.pop((named.dataset_id, named.start), None) if named else None
        if successor is not None:
            pairs[name] = successor
    return pairs


def _successor_in_words(name: str) -> str:
    named = parse_file_name(name)
    return (
        f"was replaced by version {named.version}" if named and named.version else f"was replaced by {name}"
    )


def files_with_records(files: Files) -> Files:
    """Return the files that gave records, without their neighbours, which a provider also lists."""
    return {name: identity for name, identity in files.items() if not identity.startswith(_UNUSED)}


def _changes(
    before: Mapping[str, str], now: Mapping[str, str], words: tuple[str, str, str]
) -> Iterator[tuple[str, str]]:
    new, gone, different = words
    for name in sorted(before.keys() | now.keys()):
        if name not in before:
            yield name, new
        elif name not in now:
            yield name, gone
        elif before[name] != now[name]:
            yield name, different


def _listed(changes: Sequence[str]) -> str:
    others = len(changes) - _MOST_NAMED
    rest = f", and {number_of(others, 'other change')}" if others > 0 else ""
    return ", ".join(changes[:_MOST_NAMED]) + rest


def steps_of(normalised: Mapping[str, Any]) -> dict[str, str]:
    """Return a short digest of each step of a normalised template, by its id."""
    return dict(_steps_of(json.dumps(normalised, sort_keys=True)))


@lru_cache(maxsize=16)
def _steps_of(text: str) -> tuple[tuple[str, str], ...]:
    known = signatures()
    return tuple(
        (str(step["step_id"]), _short(work_of({"steps": [step]}, known)))
        for step in json.loads(text)["steps"]
    )


def tools_of(normalised: Mapping[str, Any]) -> dict[str, int]:
    """Return the present version of each tool that a normalised template uses."""
    return {
        name: signature.version for name, signature in signatures().items() if name in set(_tools(normalised))
    }


def _tools(template: Any) -> Iterator[str]:
    """Find the names of tools in a template, also in the blocks of its maps."""
    for step in template.get("steps", template.get("block", ())):
        yield str(step.get("tool_name"))
        yield from _tools({"block": step.get("block") or ()})


def read_basis(record: RunRecord, now: datetime) -> Basis | None:
    """Read what a run rests on from its record; return None, which is logged, if the record does not say it.

    Parameters
    ----------
    now : datetime
        The clock of the run, naive UTC.
    """
    try:
        normalised = read_json(read_bytes(record.folder / "normalised.json"))
        steps = steps_of(normalised)
        records = {str(step["step_id"]): step for step in record.readable_steps[0]}
        files: dict[str, Files] = {}
        for step in record.plan["steps"]:
            done = records.get(str(step["step_id"]))
            if done is not None:
                files |= _files_of(step.get("tool_args") or {}, done, now)
    except (OSError, WrongShape, DamagedRecord, KeyError, TypeError, AttributeError, TimeRangeError) as error:
        log.info("the record of run '%s' does not say what the run rests on: %r", record.id, error)
        return None
    tools = {step["tool_name"]: int(step["tool_version"]) for step in records.values()}
    return Basis(steps, tools, files)


def _files_of(args: Mapping[str, Any], done: StepRecord, now: datetime) -> Iterator[tuple[str, Files]]:
    """Yield the datasets of a fetch with the files that the run found; nothing for other steps."""
    choices = choices_of(args)
    if not choices or "time_range" not in args:
        return
    span = parse_time_range(str(args["time_range"]), now)
    listed: dict[str, Files] = {}
    if done["error"] is not None and done["error"]["kind"] in _ABSENT:
        listed = {choice.dataset_id: {} for choice in choices}
    chosen = [choice for output in done["outputs"] for choice in output["recipe"].get("choices", ())]
    for choice in (*chosen, *done.get("sought", ())):
        files = choice["files"]
        listed[choice["dataset"]] = {} if isinstance(files, str) else _identified(files)
    read = {source.file for output in done["outputs"] for source in output["sources"]}
    if len(choices) == 1 and read and read.isdisjoint(*listed.values()):
        read = set().union(*listed.values())  # a service names what it gave otherwise than what it lists
    if done["error"] is not None and done["error"]["kind"] == DamagedFile.__name__:
        # perhaps the file beside the interval, which has no records of it once it is repaired
        read |= {name for files in listed.values() for name in files if name in done["error"]["message"]}
    for option in choices:
        if option.dataset_id not in listed:
            continue
        found = listed[option.dataset_id]
        is_used = not read.isdisjoint(found)
        yield (
            _name(option.provider, option.dataset_id, span),
            {name: identity if name in read else _UNUSED + identity for name, identity in found.items()},
        )
        if is_used:
            return  # the other datasets would be used only without this one


def present_basis(
    before: Basis, steps: Mapping[str, str], tools: Mapping[str, int], providers: Providers
) -> Basis:
    """Return what a new run of the interval of an earlier run would rest on.

    Parameters
    ----------
    before : Basis
        The basis of the earlier run.
    steps, tools : mapping
        From `steps_of` and `tools_of`, for the present template.
    providers : Providers
        They name the present files, if the steps are the same; otherwise the files do not matter. Datasets whose
        provider cannot be reached are left out.
    """
    files: dict[str, Files] = {}
    if before.steps == steps:
        for name, earlier in before.files.items():
            provider, dataset_id, span = parts_of(name)
            try:
                chosen, time_range = providers.choose(provider), span_of(span)
                located = chosen.locate(dataset_id, time_range)
                files[name] = present_files(chosen, dataset_id, time_range, located, earlier)
            except ABSENT:
                files[name] = {}
            except (TransientError, Offline) as error:
                log.info("the present files of %s are unknown: %s", name, error.message)
            except DamagedFile as error:  # a run reports it
                files[name] = {f"{dataset_id} ({error.message})": "damaged"}
    return Basis(steps, tools, files)


def present_files(
    provider: Provider, dataset_id: str, span: TimeRange, located: Sequence[SourceFile], earlier: Files
) -> Files:
    """Return the files that a provider lists now. A file that is new, or gave no records and has changed, counts if it
    has records.

    Parameters
    ----------
    located : sequence of SourceFile
        What `Provider.locate` returned.
    earlier : mapping
        The files of the earlier run.
    """
    present = _identified((file.file, file.identity) for file in located)
    known = {name: identity.removeprefix(_UNUSED) for name, identity in earlier.items()}
    changed = {name for name, identity in present.items() if known.get(name) != identity}
    without: Set[str] = frozenset()
    neighbours = changed - files_with_records(earlier).keys()
    if neighbours and isinstance(provider, LocalArchive):
        without = neighbours - provider.files_with_records(dataset_id, span)
    return {
        name: earlier[name] if name not in changed else _UNUSED + identity if name in without else identity
        for name, identity in present.items()
    }


def _identified(files: Iterable[Sequence[str]]) -> Files:
    return {str(name): _short(str(identity)) for name, identity in files}


def _name(provider: str, dataset_id: str, span: TimeRange) -> str:
    return f"{provider} {dataset_id} {'/'.join(span.as_iso())}"


def parts_of(name: str) -> tuple[str, str, str]:
    """Return the provider, the dataset and the time range in a name of `Basis.files`.

    Only a dataset may contain blanks.
    """
    provider, _, rest = name.partition(" ")
    dataset_id, _, span = rest.rpartition(" ")
    return provider, dataset_id, span


def span_of(text: str) -> TimeRange:
    """Read the time range in a name of `Basis.files`."""
    return TimeRange.from_iso(*text.split("/"))


def _short(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:_SHORT]
