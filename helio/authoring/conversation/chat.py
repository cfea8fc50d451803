"""Hold a conversation about a pipeline: sentences become proposals, and slash commands look at them, run and decide."""

from __future__ import annotations

import re
import shlex
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from helio.authoring.conversation.corrections import adds, corrected, correction, value_instead
from helio.authoring.conversation.earlier_looks import colour_operations
from helio.authoring.conversation.saved import Conversation, Progress
from helio.authoring.conversation.spoken import meaning_of
from helio.authoring.documents.source_files import read_sources
from helio.authoring.empty_panels import asks_why_empty, last_drawn, pitfalls, why_empty, with_note_on_changes
from helio.authoring.known_pipelines import asks_to_undo, changes_to_undo
from helio.authoring.memory import EVERYTHING, Item, Memory, scope_of, wishes
from helio.authoring.models.quoting import data
from helio.authoring.models.scrub import scrub_of
from helio.authoring.outcome import AuthorQuestion, AuthorReply
from helio.authoring.proposals.review import accept_in_words, change_numbers, proposal_lines, work_line
from helio.authoring.proposals.store import NeedsOthers, Proposal, Proposals
from helio.authoring.rules.questions.question_form import is_question, without_question_mark
from helio.counts import number_of
from helio.errors import Cancelled, HelioError, RequestError, UnknownPipeline, did_you_mean
from helio.notebook import printed
from helio.pipelines.changes import changes, describe_step
from helio.pipelines.dialect.parse import parse
from helio.pipelines.library import Library
from helio.pipelines.review_lines import review_lines
from helio.pipelines.template.diagnostics import InvalidTemplate
from helio.pipelines.template.document import Document
from helio.pipelines.template.files import FORMATS, Format
from helio.settings import Settings
from helio.store.files import user_path
from helio.store.runs import RunRecord, Runs

if TYPE_CHECKING:
    from helio.authoring.choice_of_author import By
    from helio.authoring.desk import Desk
    from helio.authoring.proposals.drawings import Drawings
    from helio.pipelines.runs.outcome import Run

COMMANDS = {
    "/help": "list the commands",
    "/new SENTENCE": "begin a new pipeline",
    "/from FILE…": "give files with the next sentence; none takes them back",
    "/show": "show the steps of the pipeline, with all pending changes",
    "/diff": "show all pending changes together",
    "/preview [RANGE] [FORMAT]": "draw the figures before and after the last change: html, png, pdf or svg",
    "/run [RANGE] [FORMAT]": "run the pipeline, with all pending changes; a format is written, too",
    "/accept [N,N-N]": "accept all pending changes, but of the last one only the parts with these numbers",
    "/reject [REASON]": "reject the last pending change, and say why",
    "/undo": "take the last pending change back; if none is pending, restore the pipeline's earlier text",
    "/model [rules|model|auto]": "show or choose who writes",
    "/cost": "show the tokens and the cost of this conversation",
    "/quit": "end; the conversation stays, and `helio chat --continue` resumes it",
}
"""The slash commands, each with what it does."""
_COLOURS = re.compile(
    r"\b(?:same|old|usual)\s+colou?rs?\b(?:.*\b(?:last time|before|earlier|as (?:always|usual|in \S+)))?",
    re.IGNORECASE,
)
_OF_FORMATS = frozenset(("a", "an", "and", "as", "in", "or"))
"""Words that may stand beside the formats of a slash command."""
_NEVER_MIND = re.compile(
    r"\s*(?:never ?mind|forget it|no(?: thanks)?|neither|cancel|none(?: of (?:them|these))?)\s*[.!]?\s*",
    re.IGNORECASE,
)
_MOST_SAID = 12
"""Maximum number of earlier sentences that a model gets with a request."""


@dataclass(frozen=True)
class Answer:
    """What helio says to one line of the user.

    Parameters
    ----------
    lines : tuple of str
        The text.
    is_error : bool
        Whether the line could not be carried out.
    is_last : bool
        Whether the user has ended the conversation.
    """

    lines: tuple[str, ...]
    is_error: bool = False
    is_last: bool = False

    def __str__(self) -> str:
        return "\n".join(self.lines)

    def _repr_html_(self) -> str:
        return printed(self.lines)


class Tools(Protocol):
    """What a conversation uses outside the room of the authors."""

    def desk(self, by: By, ended: threading.Event) -> Desk:
        """Open a desk for one request."""

    def run(self, pipeline: str | Document, time_range: str | None, formats: Sequence[Format]) -> Run:
        """Run a pipeline with figures also in further formats, and return the run also if it failed."""

    def draw(self, proposal: Proposal, time_range: str | None, formats: Sequence[Format]) -> Drawings:
        """Draw the figures before and after a proposed change in some formats; in the usual one if none is given."""


class Chat:
    """A conversation about one pipeline at a time, with rules or a language model; it accepts nothing by itself.

    Parameters
    ----------
    conversation : Conversation
        Where every line is saved.
    settings : Settings
    tools : Tools
    by : "auto", "rules" or "model"
        The author, unless the conversation has chosen another one.
    """

    def __init__(
        self, conversation: Conversation, settings: Settings, tools: Tools, *, by: By = "auto"
    ) -> None:
        self.conversation = conversation
        self._settings = settings
        self._tools = tools
        self._by: By = by
        self._ended = threading.Event()
        self._explained = False
        self._library = Library(settings.templates)
        self._proposals = Proposals(settings.proposals, self._library)
        self._commands: dict[str, Callable[[str], Answer]] = {
            "/help": self._help,
            "/new": self._new,
            "/from": self._from,
            "/show": self._show,
            "/diff": self._diff,
            "/preview": self._preview,
            "/run": self._run,
            "/accept": self._accept,
            "/reject": self._reject,
            "/undo": self._undo,
            "/model": self._model,
            "/cost": self._cost,
            "/quit": self._quit,
        }
        self._answers: dict[str, Callable[[str], Answer]] = {
            **{name: self._commands[name] for name in ("/help", "/diff", "/show", "/cost", "/quit")},
            "what changed": self._diff,
            "what is left to do": self._work,
            "nothing": lambda _: Answer(("say what to plot or what to change; /help lists the commands",)),
        }
        """What a sentence may ask for without a slash: only what changes and runs nothing, and the end."""

    @property
    def id(self) -> str:
        """Return the name of the conversation, with which it can be resumed."""
        return self.conversation.id

    @property
    def progress(self) -> Progress:
        """Return how far the conversation has come."""
        return self.conversation.progress

    def about(self, pipeline: str) -> None:
        """Choose the pipeline, or the pending proposal, that the conversation is about.

        Raises
        ------
        UnknownPipeline
        """
        with closing(self._desk()) as desk:
            proposal = desk.proposed(pipeline)
            pending = () if proposal is None else (*desk.proposals.beneath(proposal), proposal)
        self.conversation.note("about", pipeline=pipeline)
        for proposal in pending:
            self.conversation.note("proposed", proposal=proposal.id, pipeline=proposal.pipeline)

    def give(self, sources: Sequence[str | Path]) -> Answer:
        """Give files with the next sentence.

        Raises
        ------
        RequestError
            A file cannot be read.
        """
        files = read_sources(sources, self._settings)
        paths = [str(user_path(source).absolute()) for source in sources]
        self.conversation.note("files", paths=paths)
        if not files:
            return Answer(("no file goes with the next sentence",))
        listed = (f"{file.name}: {file.kind}, {number_of(file.size, 'byte')}" for file in files)
        return Answer((*listed, "to go with the next sentence; /from none takes them back"))

    def greeting(self) -> Answer:
        """Return the first lines of a new or resumed conversation."""
        lines = [f"{self.id}, about {self._pipeline() or 'a new pipeline'}; /help lists the commands"]
        lines += [f"note: this change is lost: {error.message}" for error in self._loaded()[1]]
        pending = self._pending()
        if pending:
            lines.append(f"{number_of(len(pending), 'pending change')}; /diff shows them")
        mine = {proposal.id for proposal in pending}
        others = [
            proposal.id
            for proposal in self._proposals.list(state="pending")
            if proposal.pipeline == self._pipeline() and proposal.id not in mine
        ]
        if others:
            other = number_of(len(others), "other pending proposal")
            lines.append(f"note: {other} for it, which this conversation leaves out: {', '.join(others)}")
        return Answer((*lines, *self._open_question()))

    def say(self, text: str) -> Answer:
        """Carry out one line of the user: a sentence, the answer to a question, or a slash command.

        Raises
        ------
        Cancelled
            `cancel` was called, or the user pressed Ctrl-C; the conversation can go on.
        """
        text = text.strip()
        if not text:
            return Answer(())
        self._ended = threading.Event()
        self.conversation.refresh()
        self.conversation.note("said", text=text)
        try:
            answer = self._said(text)
        except (Cancelled, KeyboardInterrupt):
            self._ended.set()
            self.conversation.note("cancelled")
            raise
        except HelioError as error:
            answer = _refused(error, text)
        self.conversation.note("answered with", text=str(answer), is_error=answer.is_error)
        return answer

    def cancel(self) -> None:
        """Cancel the present question to a model, from any thread."""
        self._ended.set()

    # Sentences --------------------------------------------------------------------------------------------

    def _said(self, text: str) -> Answer:
        if text.startswith("/"):
            name, _, rest = text.partition(" ")
            command = self._commands.get(name)
            if command is None:
                hint = did_you_mean(name, self._commands)
                raise RequestError(
                    f"there is no command {name}", advice=hint or "use /help to list the commands"
                )
            if rest.strip() and name in COMMANDS:
                raise RequestError(f"{name} takes no argument", advice=f"type {name} alone")
            return command(rest.strip())
        return self._answered(text) if self.progress.question else self._heard(text)

    def _heard(self, text: str) -> Answer:
        if _NEVER_MIND.fullmatch(text):
            return Answer(("no question is open; /undo takes the last pending change back",))
        if count := changes_to_undo(text, len(self._pending())):
            return Answer(tuple(line for _ in range(count) for line in self._undo("").lines))
        if asks_to_undo(text):
            if not self.progress.proposals:
                raise RequestError(
                    "no change is pending", advice="/undo restores the text before the last accepted change"
                )
            return self._undo("")
        if asks_why_empty(text):
            record = self._last_drawn()
            with closing(self._desk()) as desk:
                template = desk.template(self._target())
            return Answer(tuple(with_note_on_changes(why_empty(text, record), record, template)))
        if _COLOURS.search(text):
            return self._same_colours(text)
        if what := correction(text) or value_instead(text):
            failed = self.progress.failed
            if failed and not failed.startswith("/") and not correction(failed):
                return self._requested(self._with_part(what, failed))
            if pending := self._pending():
                return (
                    self._requested(what) if adds(what, pending[-1].request) else self._corrected(text, what)
                )
        meaning = meaning_of(text)
        if meaning in self._answers and (meaning != "what changed" or self._pending()):
            return self._answers[meaning]("")
        if meaning in self._commands:
            raise RequestError(f"{text!r} is no request", advice=f"use the command {meaning}")
        return self._requested(text)

    def _corrected(self, text: str, what: str) -> Answer:
        """Put the last sentence, with one part of it replaced, in the place of the last pending change."""
        *beneath, last = self._pending()
        sentence = self._with_part(what, last.request)
        with closing(self._desk()) as desk:
            below = beneath[-1].id if beneath else self.progress.before
            outcome: Proposal | AuthorQuestion | AuthorReply
            if last.kind == "authored":
                outcome = desk.create(sentence, name=last.pipeline)
            else:
                is_copy = not beneath and last.pipeline != below
                outcome = desk.edit(below, sentence, name=last.pipeline if is_copy else "")
            if isinstance(outcome, AuthorReply):
                return self._shown(desk, outcome)
            desk.proposals.reject(last, because=text)
            self.conversation.note("rejected", proposals=[last.id])
            said = self._shown(desk, outcome)
        return replace(said, lines=(f"instead of: {last.request}", *said.lines))

    def _with_part(self, what: str, sentence: str) -> str:
        """Return a sentence with the part that the user corrects."""
        with closing(self._desk()) as desk:
            found = corrected(what, sentence, desk.now)
        if not found:
            raise RequestError(
                f"it is not clear what '{what}' replaces in '{sentence}'",
                advice="say 'undo that', and then the whole change",
            )
        return found

    def _work(self, _: str) -> Answer:
        """Say which steps the last pending change computes again."""
        pending = self._pending()
        if not pending:
            return Answer(("nothing: no change is pending",))
        with closing(self._desk()) as desk:
            return Answer((work_line(desk.work(pending[-1])),))

    def _requested(self, text: str) -> Answer:
        with closing(self._desk()) as desk:
            target = self._target()
            if not target:
                return self._shown(desk, desk.create(text, sources=self.progress.files))
            asks_only = is_question(text) and not without_question_mark(text)
            copy = "" if asks_only else self._copy_name(desk, target)
            return self._shown(desk, desk.edit(target, text, name=copy, sources=self.progress.files))

    def _answered(self, text: str) -> Answer:
        """Answer the open question, or carry out another sentence; a question of the user leaves it open."""
        if _NEVER_MIND.fullmatch(text) or asks_to_undo(text):
            return self._drop_question()
        question = self.progress.question
        with closing(self._desk()) as desk:
            choice = desk.choice(desk.questions.load(question), text)
            if choice or text.isdecimal():
                outcome = desk.answer(question, choice or text)
                self.conversation.note("answered", question=question)
                return self._shown(desk, outcome)
        try:
            said = self._heard(text)
        except HelioError as error:
            said = _refused(error, text)
        if self.progress.question != question:
            return said
        return replace(said, lines=(*said.lines, "this question is still open:", *self._open_question()))

    def _drop_question(self) -> Answer:
        self.conversation.note("dropped", question=self.progress.question)
        return Answer(("the question is dropped; nothing was proposed",))

    def _open_question(self) -> list[str]:
        """Return the lines of the question that waits for an answer; none if no question waits."""
        if not self.progress.question:
            return []
        with closing(self._desk()) as desk:
            kept = desk.questions.load(self.progress.question)
        return _question_lines(kept.text, kept.choices)

    def _shown(self, desk: Desk, outcome: Proposal | AuthorQuestion | AuthorReply) -> Answer:
        if isinstance(outcome, AuthorReply):
            self.conversation.note("replied", **desk.spent)
            return Answer(tuple(outcome.text.splitlines()))
        if isinstance(outcome, AuthorQuestion):
            kept = desk.keep(outcome)
            self.conversation.note("asked", question=kept.id, **desk.spent)
            return Answer(tuple(_question_lines(kept.text, kept.choices)))
        self.conversation.note("proposed", proposal=outcome.id, pipeline=outcome.pipeline, **desk.spent)
        said = desk.proposals.load(outcome.on).notes if outcome.on else ()
        new = replace(outcome, on="", notes=tuple(note for note in outcome.notes if note not in said))
        lines = proposal_lines(new)
        if outcome.earlier is not None:
            lines.append(work_line(desk.work(outcome)))
        if desk.tokens:
            lines.append(f"{_spent(desk.tokens, desk.cost or 0)}; transcript: {outcome.transcript}")
        lines.append(self._pending_line())
        return Answer(tuple(lines))

    def _pending_line(self) -> str:
        """Say how many changes are pending; after the first proposal of this object, also what to do with it."""
        if self._explained:
            return number_of(len(self._pending()), "pending change")
        self._explained = True
        return "Pending: /preview draws it, /accept accepts it, /undo takes it back"

    def _same_colours(self, text: str) -> Answer:
        with closing(self._desk()) as desk:
            target = self._target()
            if not target:
                raise RequestError("there is no figure yet", advice="first say what to plot")
            operations, source = colour_operations(
                desk.template(target), self._earlier_templates(desk, target)
            )
            proposal = desk.change(target, text, operations, name=self._copy_name(desk, target))
            answer = self._shown(desk, proposal)
        return Answer((answer.lines[0], f"  note: the colours of {source}", *answer.lines[1:]))

    def _earlier_templates(self, desk: Desk, target: str) -> Iterator[tuple[str, Document]]:
        """Yield the templates of other pipelines that were run or accepted, each with its name, newest first."""
        present = desk.template(target).get("id")
        for record in Runs(self._settings.runs).newest(_MOST_SAID):
            template = record.authored
            if template.get("id") != present:
                yield f"run {record.id}", template
        for proposal in desk.proposals.list(state="accepted"):
            if proposal.pipeline != present:
                yield proposal.pipeline, parse(proposal.after).plan

    def _last_drawn(self) -> RunRecord:
        pipeline = self._pipeline()
        record = last_drawn(self._settings, pipeline)
        if record is None:
            raise RequestError(f"there is no run of {pipeline or 'a pipeline'} yet", advice="use /run first")
        return record

    # Commands ---------------------------------------------------------------------------------------------

    def _help(self, _: str) -> Answer:
        width = max(map(len, COMMANDS))
        return Answer(
            (
                "Say what to plot or what to change, such as: now for Wind; undo that; same colours as last time;",
                "why is panel 3 empty?",
                *(f"{name:<{width}}  {what}" for name, what in COMMANDS.items()),
            )
        )

    def _new(self, rest: str) -> Answer:
        self.conversation.note("about", pipeline="")
        return self._requested(rest) if rest else Answer(("a new pipeline: say what to plot",))

    def _from(self, rest: str) -> Answer:
        names = _words(rest)
        if not names:
            return Answer(tuple(self.progress.files) or ("no file goes with the next sentence",))
        return self.give([] if names == ["none"] else names)

    def _show(self, _: str) -> Answer:
        template = self._template()
        lines = [f"{template.get('id', '')}: {template.get('name', '')}".rstrip(": ")]
        for name, facts in (template.get("variables") or {}).items():
            lines.append(f"  {name} = {facts.get('default', 'to be given')}")
        lines += [f"  step {step['step_id']}: {describe_step(step)}" for step in template["steps"]]
        return Answer(tuple(lines))

    def _diff(self, _: str) -> Answer:
        pending = self._pending()
        if not pending:
            return Answer(("no pending change",))
        first, last = pending[0], pending[-1]
        changed = changes(first.earlier or {}, last.template)
        lines = [f"{number_of(len(pending), 'pending change')}:"]
        lines += [f"  - {proposal.request}" for proposal in pending]
        return Answer((*lines, *review_lines(changed, new=first.earlier is None)))

    def _preview(self, rest: str) -> Answer:
        last = self._some_pending("/run draws the pipeline as it is")[-1]
        drawings = self._tools.draw(last, *_range_and_formats(rest))
        lines = [*drawings.lines(), *(f"no preview  {error}" for error in drawings.errors)]
        return Answer(tuple(lines), is_error=not drawings.files)

    def _run(self, rest: str) -> Answer:
        pending = self._pending()
        if not self._target():
            raise RequestError("there is no pipeline yet", advice="first say what to plot")
        run = self._tools.run(pending[-1].template if pending else self._target(), *_range_and_formats(rest))
        self.conversation.note("ran", run=run.id)
        lines = [
            f"{file.kind:<5} {file.path}"
            for file in run.artefacts
            if file.kind in FORMATS and file.kind != "json"
        ]
        lines += [f"error: {reason}" for reason in (*run.reasons, *run.unwritten)]
        note = " (with pending changes)" if pending else ""
        return Answer((*lines, f"{run.status}: {run.id}{note}"), is_error=run.status == "failed")

    def _accept(self, rest: str) -> Answer:
        pending = self._some_pending("first say what to change")
        with closing(self._desk()) as desk:
            try:
                lines = accept_in_words(desk.proposals, pending[-1], change_numbers(rest))
            except NeedsOthers as error:
                error.advice = f"accept them together: /accept {error.numbers}"
                raise
        self.conversation.note("accepted", proposals=[proposal.id for proposal in pending])
        return Answer(tuple(lines))

    def _reject(self, rest: str) -> Answer:
        last = self._some_pending("first say what to change")[-1]
        with closing(self._desk()) as desk:
            desk.proposals.reject(last, because=scrub_of(self._settings)(rest))
        self.conversation.note("rejected", proposals=[last.id])
        return Answer((f"rejected: {last.request}",))

    def _undo(self, _: str) -> Answer:
        if self.progress.question:
            return self._drop_question()
        if self._pending():
            return Answer((f"undone: {self._reject('').lines[0].removeprefix('rejected: ')}",))
        with closing(self._desk()) as desk:
            entry = desk.library.own(self._pipeline())
            history = desk.library.history(entry.id)
            undone = history.last_sentence()
            revision = history.undo()
        return Answer((f"undone: {undone}; {entry.id} is {revision.request}",))

    def _model(self, rest: str) -> Answer:
        chosen = next((by for by in _WRITERS if by == rest), None)
        if rest and chosen is None:
            raise RequestError(f"the author cannot be '{rest}'", advice="use rules, model or auto")
        with closing(self._desk(chosen)) as desk:
            writer = desk.writer
        if chosen is not None:
            self.conversation.note("author", by=chosen)
        return Answer((f"author: {writer}",))

    def _cost(self, _: str) -> Answer:
        spent, cost = self.progress.tokens, self.progress.cost
        said = f"a model used {_spent(spent, cost)}" if spent else "no tokens: no model was asked"
        return Answer((f"{number_of(len(self.progress.said), 'line')}; {said}",))

    def _quit(self, _: str) -> Answer:
        lines = [f"saved: {self.id}; `helio chat --continue` resumes it"]
        lines += self._propose_memory()
        pending = self._pending()
        if pending:
            lines.insert(0, f"pending: `helio accept {pending[-1].id}` accepts all changes")
        return Answer(tuple(lines), is_last=True)

    def _propose_memory(self) -> list[str]:
        """Propose to remember what the user prefers and what the last run lacked; return lines about what is new."""
        memory = Memory(self._settings.memory)
        remembered = [item.text for item in (*memory.items(), *memory.proposed.items())]
        runs = Runs(self._settings.runs)
        record = runs.load(self.progress.run) if self.progress.run in runs.ids() else None
        scope = scope_of(pipeline=self._pipeline())
        proposed = [Item("pitfall", text, scope) for text in (pitfalls(record) if record is not None else ())]
        proposed += wishes(self.progress.said, self.progress.run)
        new = [item for item in dict.fromkeys(proposed) if item.text not in remembered]
        for item in new:
            memory.proposed.add(item)
        return [
            f"to remember? {item.text}{'' if item.scope == EVERYTHING else f' ({item.scope})'}; "
            "`helio memory` lists it, and accepts or forgets it"
            for item in new
        ]

    # What the sentences and the commands share -----------------------------------------------------------

    def _desk(self, chosen: By | None = None) -> Desk:
        saved = next((by for by in _WRITERS if by == self.progress.by), self._by)
        desk = self._tools.desk(chosen or saved, self._ended)
        desk.authors.without_model = "use /model rules for simple requests, without a language model"
        earlier = [text for text in self.progress.said[:-1] if not text.startswith("/")][-_MOST_SAID:]
        desk.authors.context = data("Earlier sentences of this conversation", earlier) if earlier else ""
        return desk

    def _pending(self) -> Sequence[Proposal]:
        """Return the pending proposals of this conversation, oldest first.

        Leave out those that were decided elsewhere, and those that cannot be read, which `greeting` names.
        """
        return [proposal for proposal in self._loaded()[0] if proposal.state == "pending"]

    def _some_pending(self, advice: str) -> Sequence[Proposal]:
        """Return the pending proposals; refuse the command if there is none."""
        pending = self._pending()
        if not pending:
            raise RequestError("no change is pending", advice=advice)
        return pending

    def _loaded(self) -> tuple[Sequence[Proposal], Sequence[RequestError]]:
        """Load the proposals of this conversation that can be read, and say why the others cannot."""
        loaded, unreadable = [], []
        for name in self.progress.proposals:
            try:
                loaded.append(self._proposals.load(name))
            except RequestError as error:
                unreadable.append(error)
        return loaded, unreadable

    def _target(self) -> str:
        """Return what the next change is about: the last pending proposal, or else the pipeline."""
        pending = self._pending()
        return pending[-1].id if pending else self._pipeline()

    def _pipeline(self) -> str:
        """Return the pipeline that the conversation is about; one that nobody accepted is none."""
        name = self.progress.pipeline
        if self._pending() or name == self.progress.before:
            return name
        try:
            self._library.find(name)
        except UnknownPipeline:
            return self.progress.before
        return name

    def _template(self) -> Document:
        with closing(self._desk()) as desk:
            target = self._target()
            if not target:
                raise RequestError("there is no pipeline yet", advice="first say what to plot")
            return desk.template(target)

    def _copy_name(self, desk: Desk, target: str) -> str:
        """Return the name of the copy to change if the pipeline comes with helio; otherwise return an empty text."""
        entry = next((entry for entry in desk.library.entries() if entry.id == target), None)
        return desk.free_name(f"my-{target}") if entry is not None and entry.shipped else ""


_WRITERS: tuple[Literal["auto", "rules", "model"], ...] = ("auto", "rules", "model")


def _refused(error: HelioError, text: str) -> Answer:
    """Return the answer to a line that could not be carried out."""
    remembered = tuple(wishes([text]))
    if remembered and all(item.kind != "preference" for item in remembered):  # a name is no change
        return Answer(tuple(f"after /quit, helio proposes to remember: {item.text}" for item in remembered))
    findings = [str(finding) for finding in getattr(error, "diagnostics", ())]
    # the message of an invalid template is its findings
    lines = (error.place if isinstance(error, InvalidTemplate) else f"error: {error}").splitlines()
    lines += findings
    if remembered:
        lines.append("note: after /quit, helio proposes to remember this sentence")
    return Answer(tuple(lines), is_error=True)


def _range_and_formats(text: str) -> tuple[str | None, list[Format]]:
    """Return the time range of a slash command, without quotes, and the formats that it names.

    >>> _range_and_formats("2022-01-01, as a png"), _range_and_formats("svg or pdf"), _range_and_formats("")
    (('2022-01-01', ['png']), (None, ['pdf', 'svg']), (None, []))
    """
    words = " ".join(_words(text)).replace(",", " ").split()
    formats = [name for name in FORMATS if name in [word.lower() for word in words]]
    while formats and words and words[-1].lower() in _OF_FORMATS | {*formats}:
        del words[-1]
    return " ".join(words) or None, formats


def _words(text: str) -> list[str]:
    """Split a slash command into words; quotes join several words into one.

    Raises
    ------
    RequestError
        A quote is not closed.
    """
    try:
        return shlex.split(text)
    except ValueError as error:
        raise RequestError(
            f"a quote in '{text}' is not closed", advice="close it, or leave it out"
        ) from error


def _question_lines(text: str, choices: Sequence[str]) -> list[str]:
    lines = [" ".join(text.split())]
    lines += [f"  {number}  {' '.join(choice.split())}" for number, choice in enumerate(choices, 1)]
    return [*lines, "answer with a number or a choice, or with 'never mind'"]


def _spent(tokens: int, cost: float) -> str:
    """Write tokens and their cost; without prices in the settings, the tokens alone.

    >>> _spent(1, 0), _spent(2500, 0.00314)
    ('1 token', '2,500 tokens, cost 0.00314')
    """
    return number_of(tokens, "token") + (f", cost {cost:.3g}" if cost else "")
