"""Where the numbers of each step come from: fetched data, or values that the author of the template wrote."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from helio.pipelines.diagnostics import pointer
from helio.pipelines.labels import owner, produced_labels, read_labels
from helio.pipelines.maps import Place, args_of, places, signature_of
from helio.pipelines.template import Document
from helio.pipelines.variables import TOKEN
from helio.pipelines.work import is_code
from helio.steps.sandbox.allow_list import input_names, names_in_scope
from helio.steps.sandbox.number_sources import DROWNED, number_sources
from helio.steps.signature import Signature


@dataclass(frozen=True)
class Origin:
    """Where the numbers of a table, a figure or a file come from, each by the label of the step that gives them.

    Parameters
    ----------
    fetched : frozenset of str
        Fetched tables.
    written : frozenset of str
        Tables whose numbers the author wrote: literals, constants, random numbers.
    doubtful : frozenset of str
        Tables of code some of whose numbers may be the author's.
    """

    fetched: frozenset[str] = frozenset()
    written: frozenset[str] = frozenset()
    doubtful: frozenset[str] = frozenset()

    def __or__(self, other: Origin) -> Origin:
        return Origin(
            self.fetched | other.fetched, self.written | other.written, self.doubtful | other.doubtful
        )


def origins(plan: Document, signatures: Mapping[str, Signature]) -> dict[str, Origin]:
    """The origin of what each step gives, by the step's JSON Pointer; the steps may stand in any order."""
    used = [
        (place, signature)
        for place in places(plan)
        if (signature := signature_of(place.step, signatures)) is not None
    ]
    producers: dict[str, list[str]] = {}
    for place, signature in used:
        for label in produced_labels(signature, args_of(place.step)):
            producers.setdefault(label, []).append(pointer(*place.path))
    found: dict[str, Origin] = {}
    for _ in range(len(used) + 1):  # a chain of steps is at most as long as there are steps
        before = dict(found)
        for (
            place,
            signature,
        ) in used:  # what an earlier step gives is known at once: steps in order need two rounds
            found[pointer(*place.path)] = _origin(place, signature, producers, found)
        if found == before:
            break
    return found


def _origin(
    place: Place, signature: Signature, producers: Mapping[str, list[str]], known: Mapping[str, Origin]
) -> Origin:
    args = args_of(place.step)
    own = produced_labels(signature, args)
    itself = frozenset(own or [f"step {place.step.get('step_id', pointer(*place.path))}"])
    if signature.gives == "tables":
        return Origin(fetched=itself)
    labels = list(dict.fromkeys(label for _, label in read_labels(signature, args)))

    def of(chosen: Iterable[str]) -> Origin:
        every = Origin()
        for label in chosen:
            for producer in _producers(label, producers):
                every |= known.get(producer, Origin())
        return every

    code = next(
        (
            args[argument.name]
            for argument in signature.arguments
            if is_code(argument.schema) and argument.name in args
        ),
        None,
    )
    if isinstance(code, str):
        open_labels = any(TOKEN.search(label) or "*" in label for label in labels)
        sources = number_sources(code, input_names(labels))
        if not sources.names:
            return Origin(written=itself)
        origin = of(labels if open_labels else _named(sources.names, labels))
        return origin | Origin(doubtful=itself) if sources.doubtful else origin
    one_table = signature.name == "arithmetic" and args.get("left_label") == args.get("right_label")
    if one_table and args.get("operation") in ("subtract", "divide"):
        return Origin(written=itself)
    factor, offset = args.get("factor", 1.0), args.get("offset", 0.0)
    numbers = all(isinstance(one, (int, float)) for one in (factor, offset))
    if signature.name == "rescale" and numbers and abs(factor) < DROWNED * abs(offset):
        return of(labels) | Origin(doubtful=itself)
    return of(labels)


def _named(names: Iterable[str], labels: list[str]) -> list[str]:
    """The labels of the tables that code calls by these names."""
    meant = dict.fromkeys(("df", "da"), labels[:1])
    for label, name in zip(labels, names_in_scope(labels), strict=True):
        for kind in ("df", "da"):
            meant.setdefault(f"{kind}_{name}", []).append(label)
    return [label for name in names for label in meant.get(name, labels)]


def _producers(label: str, producers: Mapping[str, list[str]]) -> list[str]:
    """The steps that give what a label means: a table, a component of it, or the items of a map."""
    exact = owner(label, producers)
    if exact is not None:
        return producers[exact]
    wanted = _pattern(label)
    found = []
    for other, steps in producers.items():
        given = _pattern(other)
        if fnmatchcase(label, given) or fnmatchcase(label, f"{given}.*") or fnmatchcase(other, wanted):
            found += steps
    return found


def _pattern(label: str) -> str:
    """A label with a ``*`` for each variable in it."""
    return TOKEN.sub("*", label.replace("[", "[[]").replace("?", "[?]"))
