"""Let scripted models answer the tasks: good and small ones rightly, sloppy and hostile ones with a corrupted answer.

A trial ends ``right`` (the proposal or reply is right: the model mended it, or helio did), ``refused``, ``named`` (the
proposal is wrong, and a warning above its changes says so) or ``unnamed`` (it is wrong, and only the changes show it).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.authoring.checks import judge
from benchmarks.authoring.corruptions import CHANGED, WRITTEN, Form, Kind, changed
from benchmarks.authoring.derived import good_script, small_script
from benchmarks.authoring.run import Bench, Result, asked, put
from benchmarks.authoring.scripted import KEY, ScriptedModel, good_scripts
from benchmarks.authoring.tasks import Task
from helio.authoring.comparison.differences import differences
from helio.authoring.outcome import AuthorQuestion, NotInTable, NotUnderstood, Outcome, TemplateDraft
from helio.authoring.rules.reading.figure_parts import read_parts
from helio.authoring.rules.reading.looks import take_looks
from helio.authoring.rules.reading.sentence_reading import read_request
from helio.authoring.writing.asking import no_question
from helio.authoring.writing.writer import write_template
from helio.errors import HelioError
from helio.knowledge.catalogue import Catalogue

Script = dict[str, Any]
RIGHT = ("good", "small")
"""Kinds of models that answer rightly."""
PER_TASK = 2
"""How many kinds of corruption of a group each task gets, in turn."""
CHOSEN = "check the time range"
"""How the note begins that asks a person to check a time that only the model could resolve."""


@dataclass(frozen=True)
class Trial:
    """One corrupted answer to a task, and how it ended.

    Parameters
    ----------
    ends : frozenset of str
        How the kind of corruption may end.
    why : tuple of str
        What is wrong with the proposal.
    """

    kind: str
    task: str
    meaning: bool
    ends: frozenset[str]
    end: str
    why: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Return whether it ended as it has to."""
        return self.end in self.ends

    @staticmethod
    def table(trials: Sequence[Trial]) -> str:
        """Return all trials as text."""
        return trial_table(trials)


def answered(tasks: Sequence[Task], kind: str, home: Path, provider: str) -> Iterator[Result]:
    """Put each task to a model that answers rightly; leave out tasks for which no right answer is known."""
    bench = Bench(home)
    with ScriptedModel(home, provider) as model:
        for task in tasks:
            script = right_script(task, put(task, bench.rules(task)), kind, bench.catalogue)
            if script is not None:
                yield asked(task, bench, model.play(script), small=kind == "small")


def right_script(task: Task, came: Outcome | HelioError, kind: str, catalogue: Catalogue) -> Script | None:
    """Return the script of a right answer: that of the rules where it is right, otherwise the written one, if any."""
    if judge(task, came):
        return good_scripts().get(task.id) if kind == "good" else None
    if kind == "good":
        return good_script(task, came)
    if task.kind != "create" or not isinstance(came, TemplateDraft):
        return None
    script = small_script(task, catalogue)
    is_lacking = script["answer"]["json"]["left_out"] or not _is_in_table(task, catalogue)
    return None if is_lacking or _has_parts(task, catalogue) else script


def _has_parts(task: Task, catalogue: Catalogue) -> bool:
    """Return whether the rules read a request in several parts, which the form cannot tell apart."""
    with suppress(NotUnderstood):
        return read_parts(task.request, catalogue, task.now, no_question) is not None
    return False


def _is_in_table(task: Task, catalogue: Catalogue) -> bool:
    """Return whether the table of quantities has the data; the form cannot name what only the catalogue describes."""
    rest, _ = take_looks(task.request, task.now)
    try:
        write_template(
            read_request(rest, catalogue, task.now).request,
            catalogue=catalogue,
            now=task.now,
            ask=no_question,
        )
    except NotInTable:
        return False
    except NotUnderstood:
        return True  # a question, which helio asks of a model's request too
    return True


def corrupted(tasks: Sequence[Task], group: str, home: Path, provider: str) -> Iterator[Trial]:
    """Put each task that the rules draft rightly to models that corrupt the answer, each in some ways.

    Raises
    ------
    RuntimeError
        A model made helio write something else than transcripts, or a transcript has the key.
    """
    bench = Bench(home)
    with ScriptedModel(home, provider) as model:
        for number, task in enumerate(tasks):
            right = put(task, bench.rules(task))
            if (
                isinstance(right, TemplateDraft)
                and task.kind in ("create", "edit")
                and not judge(task, right)
            ):
                yield from trials_of(task, right, group, bench, model, number)
    if leaked := leaks(home):
        raise RuntimeError(f"no author may write {', '.join(map(str, leaked))}")


def trials_of(
    task: Task,
    right: TemplateDraft,
    group: str,
    bench: Bench,
    model: ScriptedModel,
    number: int,
    most: int = PER_TASK,
) -> Iterator[Trial]:
    """Yield the trials of one task; `number` says with which kind of corruption to begin."""
    for name, script in scripts_of(task, right, group, bench.catalogue, number, most):
        kind = kinds_of(group)[name]
        came = put(task, bench.model(task, model.play(script)))
        end, why = end_of(task, came, right, bench.catalogue)
        yield Trial(name, task.id, isinstance(kind, Kind) and kind.meaning, kind.ends, end, why)


def kinds_of(group: str) -> dict[str, Kind | Form]:
    """Return the kinds of corruption of a group, by name."""
    every: dict[str, Kind | Form] = {**CHANGED, **WRITTEN}
    return {name: kind for name, kind in every.items() if kind.group == group}


def scripts_of(
    task: Task, right: TemplateDraft, group: str, catalogue: Catalogue, number: int, most: int
) -> Iterator[tuple[str, Script]]:
    """Yield scripts of a task for some kinds of a group, with each kind's name; `number` says where to begin."""
    kinds = list(kinds_of(group).items())
    start = number * most % len(kinds)
    found = 0
    for name, kind in kinds[start:] + kinds[:start]:
        script = _script(kind, task, right, catalogue, Random(f"{task.id} {name}"))
        if script is not None:
            yield name, script
            found += 1
        if found == most:
            return


def _script(
    kind: Kind | Form, task: Task, right: TemplateDraft, catalogue: Catalogue, dice: Random
) -> Script | None:
    good = good_script(task, right)
    if isinstance(kind, Kind):
        answer = changed(kind, task, right.template, catalogue, dice)
        return None if answer is None else {"looks_at": good["looks_at"], "answer": answer}
    if kind.searches and task.kind != "create":
        return None
    entries = kind.replies(ScriptedModel.written(good["answer"]))
    if kind.searches:
        return {"discovery": [*entries, {"text": "I have seen enough."}], "answer": good["answer"]}
    return {"looks_at": good["looks_at"], "answers": [*entries, *([good["answer"]] if kind.mends else ())]}


def end_of(
    task: Task, came: Outcome | HelioError, right: TemplateDraft, catalogue: Catalogue
) -> tuple[str, tuple[str, ...]]:
    """Return how a trial ended, and what is wrong with what was proposed."""
    if isinstance(came, (HelioError, AuthorQuestion)):
        return "refused", ()
    wrong = tuple(judge(task, came))
    if not wrong:
        return "right", ()
    if not isinstance(came, TemplateDraft):
        return "unnamed", wrong
    told = _warnings(task, came, catalogue) - _warnings(task, right, catalogue)
    asked = any(note.startswith(CHOSEN) for note in came.notes)
    return ("named" if told or asked else "unnamed"), wrong


def _warnings(task: Task, draft: TemplateDraft, catalogue: Catalogue) -> set[str]:
    before = task.template if task.text else None
    compared = differences(task.request, draft.template, catalogue, task.now, before=before)
    return {finding.message for finding in (*compared, *draft.proved.warnings)}


def leaks(home: Path) -> list[Path]:
    """Return the files of a home that no author may write: all but transcripts, and transcripts with the key."""
    files = [file for file in home.rglob("*") if file.is_file()]
    return [
        file for file in files if file.parent.name != "transcripts" or KEY in file.read_text(encoding="utf-8")
    ]


def trial_table(trials: Sequence[Trial]) -> str:
    """Count the ends of each kind, the share of changed meanings that are named, and list those that end wrongly."""
    ends = ("right", "refused", "named", "unnamed")
    lines = [f"{'':32}" + "".join(f"{end:>9}" for end in ends)]
    for name in dict.fromkeys(one.kind for one in sorted(trials, key=lambda one: one.kind)):
        counted = Counter(one.end for one in trials if one.kind == name)
        lines.append(f"{name:32}" + "".join(f"{counted[end]:9}" for end in ends))
    wrong = Counter(one.end for one in trials if one.meaning)
    proposed = wrong["named"] + wrong["unnamed"]
    if proposed:
        share = wrong["named"] / proposed
        lines.append(f"other meanings that were proposed: {proposed}, of which named: {share:.0%}")
    failed = [one for one in trials if not one.passed]
    lines += ["", *(f"{one.task}: {one.kind} ends {one.end}: {'; '.join(one.why)}"[:300] for one in failed)]
    return "\n".join(lines)
