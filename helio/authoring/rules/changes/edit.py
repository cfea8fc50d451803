"""Change a template by rules as a sentence requests, or answer a question about the template."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Container, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from itertools import takewhile

from helio.authoring.documents.source_files import SourceFile
from helio.authoring.gate import Gate
from helio.authoring.memory import Item, preferred_logs, with_names
from helio.authoring.outcome import (
    UNABLE,
    USE_A_MODEL,
    Attribution,
    AuthorReply,
    NotProved,
    NotUnderstood,
    Outcome,
    TemplateDraft,
)
from helio.authoring.recorded import Records
from helio.authoring.rules.changes.added_content import fetched_datasets
from helio.authoring.rules.changes.additions import ADDITIONS, added_inputs
from helio.authoring.rules.changes.arranging import ARRANGING, all_of, keep_inside, keep_only
from helio.authoring.rules.changes.atom_reading import grammar_words, read_atoms
from helio.authoring.rules.changes.atom_values import QUOTES, with_quoted_titles
from helio.authoring.rules.changes.atoms import PLACE, PLACES, SPELLINGS, Atom, in_plainer_words, panel_number
from helio.authoring.rules.changes.clauses import (
    PLACED_BESIDE,
    Change,
    Clause,
    Rule,
    read_clauses,
    removes_lines,
    without_old_values,
)
from helio.authoring.rules.changes.computation_changes import REPLACEMENTS
from helio.authoring.rules.changes.computed_lines import ComputedLines
from helio.authoring.rules.changes.data_changes import DATA, THRESHOLDS
from helio.authoring.rules.changes.figure import FigureEditor
from helio.authoring.rules.changes.figure_settings import SETTINGS
from helio.authoring.rules.changes.intents import retell_intents, retell_title
from helio.authoring.rules.changes.line_settings import FIXED, fill, notes_on_same_colours, style_lines
from helio.authoring.rules.changes.lines import AVERAGES
from helio.authoring.rules.changes.marks import DRAWN_MARKS, changed_marks, notes_on_marks_outside
from helio.authoring.rules.changes.meanings import Meanings
from helio.authoring.rules.changes.moments import default_span
from helio.authoring.rules.changes.panel_settings import says_panel, set_scale
from helio.authoring.rules.changes.reasons import without_reason
from helio.authoring.rules.changes.siblings import Siblings
from helio.authoring.rules.changes.sources_kept import SOURCES_KEPT
from helio.authoring.rules.changes.time_changes import time_with_data
from helio.authoring.rules.events.listed import ListedEvents
from helio.authoring.rules.harmless import IN_CHANGES
from helio.authoring.rules.misspelt import is_one_slip
from helio.authoring.rules.questions.answers import answered, fully_answered, is_whole
from helio.authoring.rules.questions.question_form import is_question, is_wish, without_question_mark
from helio.authoring.rules.reading.sentence import Sentence
from helio.authoring.rules.reading.spellings import with_symbols_in_words
from helio.authoring.rules.refusals import refuse_computation
from helio.authoring.rules.times.dates import with_dates_of
from helio.authoring.rules.times.named_times import with_plain_times
from helio.authoring.rules.times.open_times import with_whole_time
from helio.authoring.swapping import crafts_in
from helio.authoring.writing.asking import EVERY, Asks
from helio.errors import did_you_mean
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.missions import instrument_names
from helio.knowledge.quantities import spellings
from helio.patterns import ignoring_case
from helio.pipelines.template.document import Document
from helio.pipelines.template.labels import owner

BY = Attribution("rules")
RULES = (*THRESHOLDS, *SETTINGS, *SOURCES_KEPT, *ARRANGING, *DATA, *REPLACEMENTS, *ADDITIONS)
"""Turns of phrase, each with the plainer one that the rules read."""
_LISTED_BELOW_AXIS = re.compile(
    r"\b(?P<verb>add|put|show|write|print|draw|plot|move)\s+(?P<first>[^,;]+?)\s*(?:,\s*(?:and\s+)?|\s+and\s+)"
    r"(?P<others>[^;]+?)\s+(?P<place>(?:under(?:neath)?|below|beneath|along)\s+the\s+(?:(?:time|x)[- ])?axis)\b",
    re.IGNORECASE,
)
"""Pattern of several lines of which the place is named once: ``add L and MLT under the axis``."""
_PROBE = re.compile(
    r"(?<!Allen )\b(?i:(?:the\s+)?(?:probe|spacecraft|satellite|s/c))\s+#?(?P<name>[A-E]|\d)\b"
)
_SAME_SOURCE = re.compile(
    r"\b(?P<of>from|of|by|with)\s+(?:the\s+)?same\s+(?:(?P<instrument>instrument|sensor)|spacecraft|satellite|probe|mission)\b",
    re.IGNORECASE,
)
_MARKED_AT = re.compile(r"\b(?:mark|label|annotat|line)\w*\b.*\d{1,2}:\d\d", re.IGNORECASE)
"""A mark at a time of the day, beside which an event is only a name: ``mark the X9.3 flare at 12:02``."""
_QUOTE = "quoted"
_PRONOUN = re.compile(r"\b(?:it|them|this|that|both)\b", re.IGNORECASE)
_THOSE = ignoring_case(r"\b(?:those|these|them)\b")
"""Pronouns for all that a list names, and not its last name alone: ``n red, T blue, linear axes for those``."""
_POSSIBLE = re.compile(
    r"\s*(?:(?:can|could|may|should)\s+(?:i|we)\s+(?:also\s+|better\s+)?use"
    r"|(?:can|could)\s+(?:this|it)\s+(?:also\s+)?be\s+(?:done|run|made|plotted)\s+(?:for|with|in)"
    r"|(?P<work>(?:would|will|does)\s+(?:this|it)\s+(?:also\s+)?work)\s+(?:for|with|in))"
    r"\s+(?P<what>.+?)(?:\s+data)?\s*\?+\s*$",
    re.IGNORECASE,
)
"""Question whether there can be a figure for a time: ``can I use 2026 data?``."""
_ANSWERED_BY = {"time": "until when are there data?", "duration": "which cadence do the data have?"}
"""Questions whose answers say whether a time or a cadence is possible."""
_LOOKS = frozenset({"colour", "dash", "width", "relative", "mode"})
_OF_LINES = (*_LOOKS, "tool", "verb:smooth", "bound", "scale")
_OF_OTHERS = ("verb:add", "verb:remove", "verb:replace", "verb:only", "rel:instead_of", "time", "panel")
_BARE_ONLY = ignoring_case(r"\W*only\b")
"""Beginning of what only says which lines the change before it is for, if that is one `_OF_LINES`."""
_ONLY_PART = ("nothing else is drawn", "nothing else changes")
_NAMES = frozenset({"what", "craft", "panel"})
_NAMING = frozenset({"what", "craft", "verb", "rel", "line", "every"})
"""Kinds of the parts of a clause that sets no value."""
_SETTINGS = _LOOKS | {"noun", "range", "bound", "scale"}
"""Kinds of the parts of a clause that only sets how something looks that the clause before it names."""
_NTH_PANEL = rf"(?:the\s+)?(?:panel\s+\d+|(?:{PLACE})\s+panel)"
_AND_LOWER = ignoring_case(
    rf"\bfrom\s+(?P<from>{_NTH_PANEL})\s+(?:on(?:wards?)?|down(?:wards?)?|to\s+the\s+(?:bottom|end|last)(?:\s+panel)?)\b"
    rf"|\b(?:starting|beginning)\s+(?:from|with|at|in)\s+(?P<start>{_NTH_PANEL})"
    r"|\bpanels?\s+(?P<number>\d)\s+(?:(?:and\s+)?onwards?|and\s+(?:(?:all|those|the\s+ones|everything)\s+)?"
    r"(?:below|underneath|lower|later)(?:\s+(?:it|ones))?)(?=\s*(?:$|[,.;])|\s+(?:in|on|with|to|log|linear)\b)"
)
"""A panel and all below it: ``from panel 4 on``, ``panels 4 and below``."""
_BETWEEN_PANELS = ignoring_case(
    r"(?P<before>\b(?:add|put|insert|move|place|draw|plot|show|squeeze)\b[^;]*?)\bbetween\s+(?:the\s+)?"
    r"(?:panels?\s+(?P<a>\d+)\s+and\s+(?:panel\s+)?(?P<b>\d+)"
    rf"|(?P<c>{PLACE})(?:\s+(?:panel|one))?\s+and\s+(?:the\s+)?(?P<d>{PLACE})(?:\s+(?:panels?|ones?)\b|(?=\s*(?:$|[,.;]))))"
)
"""Two panels with a new one between them: ``between the first and the second panel``."""
_ALL_BUT = ignoring_case(
    r"(?P<verb>\b(?:drop|delete|remove|hide|omit|lose|keep|only|just|show|draw|plot|out)\s+)?"
    r"\b(?:(?:all|every)(?:\s+(?:of\s+)?(?:the\s+)?panels?)?|(?P<everywhere>everywhere))\s+(?:but|except)\s+(?:for\s+|in\s+)*"
    rf"the\s+(?P<place>{PLACE})(?:\s+(?:one|panel))?"
    r"(?=\s*(?:$|[.!])|\s+(?:from|to|in|log\w*|linear|on|with|should|must)\b)"
)
"""Panels without one of them, for which a setting is: ``log axes in all but the first panel``."""
_EVERY_PANEL = ignoring_case(r"\b(?:all|every|each)\s+(?:(?:of\s+)?the\s+)?panels?\b")
_BESIDE_NAME = ignoring_case(r"^(?:its|their)\s+|['’]s(?!\w)|\s+panels?$")
_THAT_PANEL = ignoring_case(r"\b(?P<to>(?:to|in|into|on|onto)\s+)(?:that|this)\s+panel\b")
"""A panel that the words before it name: ``B in GSE, and add |B| to that panel``."""
_EVENT = ignoring_case(r"\b(?:[\w-]+\s+)?(?:event|storm|flare|encounter)\s+\d+|\b(?:19|20)\d\d\b")
_KEPT = [ignoring_case(pattern) for pattern in SPELLINGS["kept"]]
_NOT_KEPT = ignoring_case(SPELLINGS["not kept"])
_MARKS_BUT = ignoring_case(SPELLINGS["all marks but"])
_INSTEAD = re.compile(r",?\s+instead\s*[.!]*$", re.IGNORECASE)
_CHANGE_OR_ANSWER = ("change the pipeline", "only an answer")


def edited(
    request: str,
    template: Document,
    *,
    catalogue: Catalogue,
    gate: Gate,
    now: datetime,
    ask: Asks,
    sources: tuple[SourceFile, ...] = (),
    records: Records | None = None,
    remembered: Sequence[Item] = (),
) -> Outcome:
    """Answer a question about a template, or change the template as the sentence requests.

    Parameters
    ----------
    remembered : sequence of Item
        What the user told helio to remember: names of their own, and preferences.
    records : Records, optional
        The records of runs and changes, for questions about them.

    Raises
    ------
    NotUnderstood
        Helio does not understand some words; the message quotes them.
    NotProved
        The changed pipeline could not run.
    """
    again = partial(
        edited, template=template, catalogue=catalogue, gate=gate, now=now, ask=ask, remembered=remembered
    )
    request, named = with_names(request, remembered)
    if possibility := "" if sources else _asked_possibility(request, ask, now):
        return AuthorReply(answered(possibility, template, catalogue, now, records), BY)
    if is_question(request):
        answer = AuthorReply(answered(request, template, catalogue, now, records), BY)
        wish = "" if sources else without_question_mark(request)
        if not wish:
            return answer
        try:
            change = again(wish)
        except UNABLE:
            if is_whole(answer.text):
                return answer
            raise
        if isinstance(change, AuthorReply):
            return change
        is_clear = not is_whole(answer.text)
        wants_change = (
            is_clear or ask(f"'{request}': what do you want?", _CHANGE_OR_ANSWER) == _CHANGE_OR_ANSWER[0]
        )
        return change if wants_change else answer
    listed = ListedEvents(request, sources, now=now, ask=ask, is_new=False)
    start = listed.drawn(template, catalogue=catalogue, ask=ask) if sources else template
    editor = FigureEditor(start, catalogue, ask, now)
    editor.notes += (*named, *listed.notes)
    editor.remembered = remembered
    editor.changed = bool(sources)
    earlier = _drawn_in_all(editor)
    try:
        change_as_said(editor, listed.rest)
    except NotUnderstood as refusal:
        bare = _INSTEAD.sub("", request)
        if bare != request:  # a new value without the old one: `make it blue instead`
            try:
                return again(bare, sources=sources, records=records)
            except UNABLE:
                raise refusal from None
        lines = _unasked(editor, start)
        for rest, note in without_reason(request, lines.lines_of, now):
            if editor.kept and not any(pattern.search(rest) for pattern in _KEPT):
                continue  # what stays as it is, is no reason
            with suppress(*UNABLE):
                outcome = again(rest, sources=sources, records=records)
                if isinstance(outcome, TemplateDraft):
                    return replace(outcome, notes=(note, *outcome.notes))
        reply = (
            "" if sources or is_wish(request) else fully_answered(request, template, catalogue, now, records)
        )
        if not reply:
            raise
        return AuthorReply(reply, BY)
    _scale_as_preferred(editor, _drawn_in_all(editor) - earlier)
    editor.notes += notes_on_same_colours(editor)
    retell_intents(editor, start)
    retell_title(editor, start)
    proved = gate.edited(template, editor.after)
    if proved.errors:
        raise NotProved("after this change the pipeline could not run", diagnostics=proved.errors)
    if proved.template == template:  # a width of 3.0 is one of 3
        known = "; ".join(editor.notes) or "the pipeline is already like this"
        raise NotUnderstood(f"the request changes nothing: {known}")
    author = Attribution("equivalence table") if editor.swapped else BY
    return TemplateDraft(proved, author, tuple(editor.notes))


def _unasked(editor: FigureEditor, template: Document) -> FigureEditor:
    """Return an editor of a template for the same sentence that asks the user nothing."""
    first = FigureEditor(
        template, editor.catalogue, lambda _, names: EVERY if EVERY in names else names[0], editor.now
    )
    first.said = editor.said
    return first


def _drawn_in_all(editor: FigureEditor) -> set[str]:
    return {line for figure in editor.figures().values() for line in editor.lines.drawn(figure)}


def _scale_as_preferred(editor: FigureEditor, new: Container[str]) -> None:
    """Make the axes of panels that have only new lines logarithmic if the user prefers it, with a note."""
    if not editor.remembered or not any(line in new for line in _drawn_in_all(editor)):
        return
    for number, panel in enumerate(editor.panels, 1):
        if all(line in new for line in panel):
            names = sorted(set[str]().union(*map(editor.lines.quantities, panel)))
            crafts = sorted(set[str]().union(*map(editor.lines.crafts, panel)))
            logarithmic, notes = preferred_logs(names, crafts, editor.said, editor.remembered)
            if len(logarithmic) == len(names) > 0:
                set_scale(editor, str(number), "log")
                editor.notes += notes


def _asked_possibility(request: str, ask: Asks, now: datetime) -> str:
    """Return a plain question for a sentence that asks whether a time or a cadence is possible; ask if it is a wish."""
    possible = _POSSIBLE.match(request)
    kinds = {atom.kind for atom in read_atoms(possible["what"], now)} if possible else set[str]()
    plain = _ANSWERED_BY.get(*kinds) if len(kinds) == 1 else None
    if possible is None or plain is None:
        return ""
    if possible["work"] or ask(f"'{request}': what do you want?", _CHANGE_OR_ANSWER) == _CHANGE_OR_ANSWER[1]:
        return plain
    return ""


def _refuse_same(text: str, atoms: Sequence[Atom]) -> None:
    """Refuse the same colours for other lines, if the lines before have several."""
    same = ignoring_case(r"\bsame\s+(?:(?:colou?r|dashe?|width|look|style)s?\s+)?(?:for|as)\b").search(text)
    if same is None:
        return
    for kind in ("colour", "dash", "width", "mode"):
        if len({str(atom.value) for atom in atoms if atom.kind == kind and atom.start < same.start()}) > 1:
            raise NotUnderstood(
                f"helio does not understand '{same[0]}'", advice="name each line with its look"
            )


def _rules(editor: FigureEditor) -> tuple[tuple[Rule, ...], tuple[Rule, ...]]:
    """Return all rules in order, and those of them for values that words mean."""
    meanings, computing = Meanings(editor), ComputedLines(editor)
    of_values = meanings.rules()
    rules = (
        *computing.rules(),
        *of_values,
        *Siblings(editor).rules(),
        added_inputs(editor),
        changed_marks(editor),
        *RULES,
        *meanings.rest(),
        *computing.rest(),
    )
    return rules, of_values


def change_as_said(editor: FigureEditor, request: str) -> None:
    """Make every change that a sentence requests; refuse the sentence if any of its words is not understood."""
    start = editor.after
    said = with_quoted_titles(request)
    quoted = [match[0] for match in QUOTES.finditer(said)]
    text = QUOTES.sub(lambda match: f'"{_QUOTE}"', said)  # names in quotes are no times
    text = _without_kept(editor, with_symbols_in_words(in_plainer_words(text, "changes")))
    while _LISTED_BELOW_AXIS.search(text):
        text = _LISTED_BELOW_AXIS.sub(r"\g<verb> \g<first> \g<place>; \g<verb> \g<others> \g<place>", text)
    text = _PROBE.sub(lambda match: _of_family(editor, match), text)
    text = _SAME_SOURCE.sub(lambda match: _of_source(editor, match), text)
    text = _THAT_PANEL.sub(lambda match: _panel_before(editor, match), text)
    text = _ALL_BUT.sub(lambda match: _numbers_but(editor, match), text)
    text = _AND_LOWER.sub(lambda match: _panels_from(editor, match), text)
    text = _BETWEEN_PANELS.sub(lambda match: _below_upper(editor, match), text)
    if unread := ignoring_case(
        r"\b(?:everywhere|(?:all|every|each)\s+(?:(?:of\s+)?the\s+)?panels?)\s+"
        r"(?:but|except|apart\s+from|other\s+than)\b|(?<=[;,.]).+[;,.]\s+(?:the\s+)?same\s+for\b"
        r"|\bi\s+mean(?:t)?\b|(?<=[,;.–—-]\s)(?:no(?=\s*,)|no\s+wait\b|actually(?=\s+the\b))"
        r"|\bno\s+\d+\s*%|\d[^,;]*\s(?:is|are)\s+not\s+(?:needed|wanted|necessary)\b"
    ).search(text):
        raise NotUnderstood(f"helio does not understand '{unread[0]}'", advice="name what changes, and how")
    if span := default_span(editor):
        text = with_dates_of(
            text, span.start.date(), (span.stop - timedelta(microseconds=1)).date() + timedelta(days=1)
        )
    crafts = " ".join(crafts_in(editor.after, editor.catalogue))
    marked = _MARKED_AT.search(text)
    stop = max(text.rfind(sign, 0, marked.start()) + 1 for sign in ",;") if marked else len(text)
    plain, named = with_plain_times(text[:stop], editor.now, editor.ask, crafts)
    text = f"{plain} {text[stop:].strip()}".strip()
    editor.notes += named
    text = with_whole_time(text, lambda span: time_with_data(editor, span), editor.now)
    editor.said = request
    text = Sentence(text).text
    for words in quoted:  # an apostrophe in a title stays
        text = text.replace(f'"{_QUOTE}"', words, 1)
    text, typos = _corrected(editor, text)
    editor.notes += typos
    names = "|".join(map(re.escape, crafts_in(editor.after, editor.catalogue)))
    if names:  # run my ACE overview for January
        text = re.sub(rf"\b(my|the|this)\s+(?:{names})\s+(?=overview|pipeline|plot|figure)", r"\1 ", text)
    atoms = without_old_values(read_atoms(text, editor.now))
    rules, of_values = _rules(editor)
    changes, left = read_clauses(text, atoms, rules)
    _refuse_same(text, atoms)
    if left or not (changes or editor.changed):
        _refuse(editor, left, atoms)
    changes = _with_all_of_those(_with_what_is_done_too(editor, changes))
    changes = _without_reassurance(editor, _without_repetition(editor, changes))
    ordered = _in_order(_with_looks_of_marks(_with_one_panel(_with_one_rest(editor, changes))))
    drawn, earlier, before = dict[str, str](), dict[str, str](), None
    keeps = any(change.rule.change is keep_only for change in ordered)
    meant = [
        (change.clause, name, editor.lines_of(name))
        for change in (ordered if keeps else ())
        for name in (change.clause.names if change.clause.has("rel:own_panel", *PLACED_BESIDE) else ())
    ]
    panels = editor.panels if len(editor.figures()) == 1 else []
    is_split = False
    for last, change in zip([None, *ordered], ordered, strict=False):
        clause, now = change.clause, _drawn_with(editor)
        is_split |= last is not None and last.clause.has("rel:own_panel", "verb:split")
        if last is None or before is None or not {atom.kind for atom in last.clause.atoms} <= _SETTINGS:
            before, drawn = last, earlier  # |B| in the same panel as B, black and thick
        if before is not None:
            clause = _without_places(clause, before.clause)
            if before.rule in of_values:  # flares from M1 up, y axis from 1e-8
                shared = [atom for atom in clause.shared if atom.kind != "what" or editor.lines_of(atom.text)]
                clause = replace(clause, shared=tuple(shared))
        if before is not None and _is_of_result(clause, before.clause, new=not drawn.keys() >= now.keys()):
            clause = _of_result(clause, before, drawn, now)
            if clause.says(r"\bin\s+both\b") and len({*clause.of("what", "panel", "craft")}) == 1:
                raise NotUnderstood("helio does not understand what 'both' means", advice="name both panels")
        elif before is not None:
            clause = _beside_result(clause, [line for line, step in now.items() if drawn.get(line) != step])
            clause = _beside_separated(editor, clause, panels) if is_split else clause
        earlier = now
        before_change, notes, used = editor.after, len(editor.notes), editor.used()
        try:
            change.rule.change(editor, clause)
            editor.prune(used)
        except NotUnderstood:
            refuse_unknown_craft(editor, [clause])
            raise
        is_alike = editor.after == before_change and len(editor.notes) == notes
        if is_alike and clause.has(*PLACED_BESIDE) and (pronoun := _PRONOUN.search(clause.text)):
            raise NotUnderstood(
                f"helio does not understand '{pronoun[0]}'", advice="name the line that moves"
            )
        if change.rule.change is keep_only:
            _refuse_those_left_out(editor, clause, meant)
        if is_alike and len(ordered) > 1:
            _refuse_without_effect(_unasked(editor, start), clause, rules, change.rule)
            editor.notes.append(f"'{clause.text.strip()}' changes nothing: the pipeline is already like this")
    _untitle(editor, [change.clause for change in ordered])
    event, moved = _EVENT.search(str(editor.spec.get("title") or "")), default_span(editor)
    if event and moved != span and event[0] not in str(moved) and ("title", "") not in editor.wished:
        editor.notes.append(f"the title still says '{event[0]}', which may not be true of the new time")
    if moved is not None and moved != span:
        editor.notes += notes_on_marks_outside(editor, moved)
    for line, before_all in editor.kept.items():
        if editor.shown(line) != before_all:
            raise NotUnderstood(
                f"the request says that {line} stays as it is, and changes it",
                advice="name the lines that change",
            )


def _refuse_without_effect(alone: FigureEditor, clause: Clause, rules: Sequence[Rule], rule: Rule) -> None:
    """Refuse a clause that changes nothing alone either, unless it sets what the pipeline has already."""
    before = alone.after
    try:
        _rules(alone)[0][rules.index(rule)].change(alone, clause)
    except UNABLE:  # only clear after the changes before it
        return
    leaves_out = clause.has("verb:only", "verb:remove") and rule not in THRESHOLDS
    if alone.after == before and not alone.notes and (leaves_out or not alone.changed):
        raise NotUnderstood(
            f"'{clause.text.strip()}' changes nothing", advice="leave it out, or name what changes, and how"
        )


def _refuse_those_left_out(
    editor: FigureEditor, clause: Clause, meant: Sequence[tuple[Clause, str, list[str]]]
) -> None:
    """Refuse a clause that keeps only some lines, if another one arranges lines that are left out by it."""
    for other, name, lines in meant:
        is_gone = lines and not set(lines) & set(editor.drawn)
        if is_gone and other.start != clause.start and not other.has("verb:remove"):
            raise NotUnderstood(
                f"'{clause.text.strip()}' leaves out '{name}', which another part of the request draws",
                advice=f"name all that stays, as in 'only {clause.names[0]} and {name}'",
            )


def _untitle(editor: FigureEditor, clauses: Sequence[Clause]) -> None:
    """Leave what clauses remove out of a title that lists it."""
    title = held = str(editor.spec.get("title") or "") if len(editor.figures()) == 1 else ""
    for name in (name for clause in clauses if clause.has("verb:remove") for name in clause.names):
        said = rf"(?<!\w){re.escape(name)}(?!\w)"
        listed = rf",\s+{said}|(?:^|(?<=[:,] )){said}(?:,|\s+and)\s+|\s+and\s+{said}"
        told = ignoring_case(listed).sub("", title, count=1)
        title = told if told != title and not editor.lines_of(name) else title
    if title != held:
        editor.set_for("title", title)


def _without_kept(editor: FigureEditor, text: str) -> str:
    """Take out what a sentence says stays as it is, and let the editor keep it: ``leave the density alone``."""

    def taken(match: re.Match[str]) -> str:
        parts = match.groupdict("")
        names = [parts["what"], *re.split(r"\s*(?:,|\band\b|\bor\b|&)\s*", parts.get("more", ""))]
        plain = [_BESIDE_NAME.sub("", ignoring_case(r"^the\s+").sub("", name)) for name in names if name]
        meant = [[] if name.casefold() in PLACES else editor.lines_of(name) for name in plain]
        lines = [line for named in meant for line in named]
        in_frame = {editor.lines.frame(line) for line in lines} <= {"", parts.get("frame") or ""}
        is_list = "every" in parts or bool(parts.get("more"))
        averaged = [editor.lines.step(line).tool in AVERAGES for line in lines]
        in_state = all(averaged) if parts.get("state") == "smoothed" else not any(averaged)
        is_true = in_frame if parts.get("frame") else in_state or not parts.get("state")
        if not is_true or (is_list and not all(meant)):
            return match[0]
        editor.kept |= {line: editor.shown(line) for line in lines}
        every = parts.get("every", "")
        if not _EVERY_PANEL.search(every):
            return every
        left_out = {number for name in plain for number in editor.numbers_of(name)}
        return _EVERY_PANEL.sub(_panels_but(editor, left_out) or match[0], every)

    if unread := _MARKS_BUT.search(text):
        raise NotUnderstood(f"helio does not understand '{unread[0]}'", advice="name each mark to remove")
    for pattern in _KEPT:
        text = pattern.sub(taken, text)
    if unread := _NOT_KEPT.search(text):
        raise NotUnderstood(f"helio does not understand '{unread['not']}'", advice="name lines of the figure")
    return re.sub(r"^\W*(?:(?:and|but|then)\b\W*)*", "", text) if editor.kept else text


def _numbers_but(editor: FigureEditor, match: re.Match[str]) -> str:
    """Return the numbers of the panels of ``all but the last panel``; the words themselves if there is none."""
    left_out = panel_number(PLACES[match["place"].casefold()], len(editor.panels))
    panels = _panels_but(editor, {left_out} - {0})
    place = "in " if match["everywhere"] else ""
    return match[0] if match["verb"] or not panels else f"{place}{panels}"


def _number_in(editor: FigureEditor, words: str) -> int:
    """Return the number of a panel that words name: ``panel 4``, ``the last panel``; 0 if there is no such panel."""
    (number,) = ignoring_case(rf"\d+$|\b(?:{PLACE})\b").findall(words)
    place = PLACES.get(number.casefold())
    return panel_number(int(number) if place is None else place, len(editor.panels))


def _panels_from(editor: FigureEditor, match: re.Match[str]) -> str:
    """Return the numbers of the panels ``from panel 4 on``; the words themselves if the figure has no such panel."""
    first = _number_in(editor, match["from"] or match["start"] or match["number"])
    return _panels_but(editor, range(1, first)) or match[0]


def _below_upper(editor: FigureEditor, match: re.Match[str]) -> str:
    """Return the place of a panel between two neighbours: below the upper one of them."""
    names = (match["a"] or match["c"], match["b"] or match["d"])
    upper, lower = sorted(_number_in(editor, name) for name in names)
    if not 0 < upper == lower - 1:
        raise NotUnderstood(
            f"helio does not understand 'between {names[0]} and {names[1]}' of a panel",
            advice="name the panel above it",
        )
    return f"{match['before']}below panel {upper}"


def _panels_but(editor: FigureEditor, left_out: Collection[int]) -> str:
    """Return the numbers of the other panels of the only figure; nothing if no panel is left out, or every panel."""
    panels = len(editor.panels) if len(editor.figures()) == 1 else 0
    numbers = [str(number) for number in range(1, panels + 1) if number not in left_out]
    return f"panels {' and '.join(numbers)}" if left_out and numbers else ""


def _panel_before(editor: FigureEditor, match: re.Match[str]) -> str:
    """Return the number of the panel of the line named just before ``that panel``; the words if no panel is meant."""
    atoms = sorted(read_atoms(match.string[: match.start()], editor.now), key=lambda atom: atom.start)
    adds = [atom.start for atom in atoms if atom.tags[-1] in ("verb:add", "rel:also")] or [match.start()]
    named = [atom.text for atom in atoms if "what" in atom.tags and atom.start < adds[0]]
    moves = any(atom.tags[-1] in ("verb:remove", "verb:move", "verb:swap", "verb:replace") for atom in atoms)
    numbers = editor.panels_with(editor.lines_of(named[-1])) if named and not moves else []
    return f"{match['to']}panel {numbers[0]}" if len(numbers) == 1 else match[0]


def _of_family(editor: FigureEditor, match: re.Match[str]) -> str:
    """Return the full name of ``probe D`` if the pipeline has data of one spacecraft that has such a sister."""
    present = crafts_in(editor.after, editor.catalogue)
    sisters = {re.sub(r"[A-E\d]$", match["name"], craft) for craft in present} - {*present}
    return sisters.pop() if len(sisters) == 1 and sisters <= set(spellings().values()) else match[0]


def _of_source(editor: FigureEditor, match: re.Match[str]) -> str:
    """Name the spacecraft and instrument of ``from the same instrument`` if the pipeline has data of one only."""
    crafts = crafts_in(editor.after, editor.catalogue)
    names = [instrument_names(dataset) for dataset in fetched_datasets(editor)]
    common = frozenset[str]().union(*names).intersection(*names)
    if len(crafts) != 1 or (match["instrument"] and not common):
        return match[0]
    return f"{match['of']} {crafts[0]}" + (f" {min(common)}" if match["instrument"] else "")


def _corrected(editor: FigureEditor, text: str) -> tuple[str, list[str]]:
    """Correct misspelt words of the grammar that can mean one word only; return the text and a note for each."""
    notes = []
    variables = (editor.after.get("variables") or {}).values()
    told = [str(variable.get("description", "")) for variable in variables]
    known = " ".join([*map(editor.lines.all_words, editor.lines.producers), *told])
    plain = " ".join(atom.text for atom in read_atoms(text, editor.now) if atom.kind == "what")
    for word in dict.fromkeys(re.findall(r"(?<![\w.|$-])[a-z]{5,}(?![\w.|-])", plain)):
        if {word, word.removesuffix("s")} & {
            *grammar_words(),
            *IN_CHANGES,
            "every",
            "short",
        } or word in known:
            continue
        near = {spelling for spelling in grammar_words() if is_one_slip(word, spelling)}
        if len(near) == 1:
            (meant,) = near
            text = re.sub(rf"\b{word}\b", meant, text)
            notes.append(f"'{word}' is read as '{meant}'")
    return text, notes


def _without_repetition(editor: FigureEditor, changes: Sequence[Change]) -> list[Change]:
    """Leave out a clause that only says again that something goes: ``I don't need the pressures, drop that panel``."""
    return [
        change
        for before, change in zip([None, *changes], changes, strict=False)
        if not (
            before is not None
            and before.clause.has("verb:remove")
            and change.clause.has("verb:remove")
            and {atom.kind for atom in change.clause.atoms} <= {"verb", "what"}
            and (_PRONOUN.search(change.clause.text) or all(map(editor.lines_of, change.clause.names)))
            and _lines_named(editor, [change.clause]) <= _lines_named(editor, [before.clause])
        )
    ]


def _with_what_is_done_too(editor: FigureEditor, changes: Sequence[Change]) -> list[Change]:
    """Let ``too`` behind lines of the figure mean the change before it: ``B in GSM, V too``."""
    joined: list[Change] = []
    for change in changes:
        clause, before = change.clause, joined[-1] if joined else change
        own = tuple(atom for atom in clause.atoms if atom.value != "also")
        adds = before.clause.has("verb:add", "rel:also", "rel:instead_of", "verb:replace", "verb:swap")
        if len(own) < len(clause.atoms) and clause.names and before.clause.names and not adds:
            parts = [atom for atom in before.clause.all if atom.kind not in _NAMES]
            said = {(atom.kind, atom.value) for atom in own if atom.kind not in _NAMES}
            shared = tuple(atom for atom in parts if (atom.kind, atom.value) not in said)
            alike = replace(clause, atoms=own, shared=shared)
            is_same = said <= {(atom.kind, atom.value) for atom in parts} and before.rule.fits(alike)
            if is_same and (before.clause.has("verb:remove") or all(map(editor.lines_of, clause.names))):
                change = Change(alike, before.rule)
        joined.append(change)
    return joined


def _with_all_of_those(changes: Sequence[Change]) -> list[Change]:
    """Let ``those`` mean the names of all changes of one kind before it; refuse a value for lines that go."""
    joined: list[Change] = []
    for change in changes:
        clause = change.clause
        gone = joined[-1].clause.atoms if joined and removes_lines(joined[-1].clause.atoms) else ()
        is_value = {atom.kind for atom in clause.atoms} <= _SETTINGS | {"verb"}
        if is_value and not clause.has("verb:remove") and set(gone).intersection(clause.of("what")):
            raise NotUnderstood(
                f"helio does not understand '{clause.text.strip()}' of a line that is removed",
                advice="name the line or the panel that changes",
            )
        own = {tag for atom in clause.atoms for tag in atom.tags}
        if joined and _THOSE.search(clause.text) and own.isdisjoint(("what", "panel", "every")):
            alike = takewhile(lambda before: before.rule is joined[-1].rule, reversed(joined))
            named = dict.fromkeys(atom for before in alike for atom in before.clause.of("what"))
            kept = tuple(atom for atom in clause.shared if "what" not in atom.tags)
            if len(named) > len(clause.of("what")) > 0 and not clause.has("panel"):
                clause = replace(clause, shared=(*kept, *named))
        joined.append(replace(change, clause=clause))
    return joined


def _with_one_rest(editor: FigureEditor, changes: Sequence[Change]) -> list[Change]:
    """Join changes that each say what alone stays or changes: ``only Bz, Dst``, ``smooth over 1 h, only Bz``."""
    joined: list[Change] = []
    for change in changes:
        last, clause = joined[-1].clause if joined else change.clause, change.clause
        is_bare = change.rule.change is keep_only and _BARE_ONLY.match(clause.text) is not None
        is_bare &= bool(clause.names) and last.has(*_OF_LINES) and not last.has(*_OF_OTHERS)
        is_computed = last.has("tool", "verb:smooth")
        if is_bare and not last.names and not (is_computed and _draws_only_part(editor, clause)):
            joined[-1] = replace(joined[-1], clause=replace(last, shared=(*last.shared, *clause.of("what"))))
            continue
        if is_bare and set() != _lines_named(editor, [clause]) <= _lines_named(editor, [last]):
            continue
        are_rests = joined and joined[-1].clause.has("verb:only") and change.clause.has("verb:only")
        if are_rests and joined[-1].rule is change.rule and change.rule.change is not keep_inside:
            last = joined.pop().clause
            change = Change(replace(last, atoms=(*last.atoms, *change.clause.atoms)), change.rule)
        joined.append(change)
    return joined


def _draws_only_part(editor: FigureEditor, clause: Clause) -> bool:
    """Ask whether a component of a vector is all that is drawn, or all that changes: ``only the z component``."""
    if _lines_named(editor, [clause]) <= _drawn_in_all(editor):
        return False
    return editor.ask(f"What does '{clause.text.strip()}' mean?", _ONLY_PART) == _ONLY_PART[0]


def _without_reassurance(editor: FigureEditor, changes: Sequence[Change]) -> list[Change]:
    """Leave out what a sentence that removes lines keeps: ``remove BR BT BN, keep only |B|`` is of their panel."""
    removing = [change.clause for change in changes if change.clause.has("verb:remove")]
    for clause in removing:
        is_without = clause.says(r"\bwithout\b") and clause.beside("verb:remove", "what")[0]
        if is_without and any(change.clause.has("verb:only") for change in changes):  # only A and B without C
            raise NotUnderstood(
                f"helio does not understand '{clause.text.strip()}' beside 'only'",
                advice="name what to keep, or what to remove",
            )
    says_no = all(
        clause.of("verb:remove")[0].text.casefold() in ("no", "not", "without") or clause.says(r"\bones\b")
        for clause in removing
    )
    gone = _lines_named(editor, removing)
    beside = {line for panel in editor.panels if gone & set(panel) for line in panel}

    def reassures(clause: Clause) -> bool:
        if not (clause.has("verb:only") and clause.names) or {atom.kind for atom in clause.atoms} - _NAMING:
            return False
        if clause.says(r"\bones?\s") or not all(map(editor.lines_of, clause.names)):  # keep the one of Bz
            return False
        lines = _lines_named(editor, [clause])
        is_only = clause.says(r"\bonly\b")
        is_kept = clause.says(r"\bkeep")
        is_beside = bool(beside & lines) and not lines & gone  # only electrons, no SST: also of all electrons
        return (is_kept and (not is_only or is_beside)) or (is_beside and says_no)

    left = [change for change in changes if not (removing and reassures(change.clause))]
    if not all(editor.lines_of(name) for clause in removing for name in clause.names):
        return left  # only the SST, no ESA and Probe B
    kept = _lines_named(editor, [change.clause for change in changes if change not in left], but=removing)
    if kept & gone and not says_no:  # remove the spectrograms but keep that of the electrons
        return [_of_lines(change, _lines_named(editor, [change.clause]) - kept) for change in left]
    if len(left) == len(changes) or not says_no:
        return left
    beside = {line for panel in editor.panels if kept & set(panel) for line in panel}
    return [_of_lines(change, beside & _lines_named(editor, [change.clause])) for change in left]


def _of_lines(change: Change, lines: set[str]) -> Change:
    """Return a change of what it names with only some lines: only the QTN density, no SPAN-I."""
    clause = change.clause
    if not lines or not clause.has("verb:remove") or clause.has("panel"):
        return change
    named = tuple(Atom("what", line, clause.start, clause.start, line) for line in sorted(lines))
    kept = tuple(atom for atom in clause.all if atom.kind not in ("what", "craft"))
    return replace(change, clause=replace(clause, atoms=(*kept, *named), shared=()))


def _lines_named(editor: FigureEditor, clauses: Sequence[Clause], but: Sequence[Clause] = ()) -> set[str]:
    """Return the lines that clauses may name; `but` has clauses that name some of several lines, which are left out."""
    named, narrower = (
        [{*editor.lines_of(all_of(editor, name))} for clause in part for name in clause.names]
        for part in (clauses, but)
    )
    return {line for lines in named for line in lines if not any(line in few < lines for few in narrower)}


def _with_one_panel(changes: Sequence[Change]) -> list[Change]:
    """Give the panel at the end of a list of looks to all of the list: ``ACE red and Wind black in the top panel``."""
    joined: list[Change] = []
    for change in reversed(changes):
        clause, after = change.clause, joined[0].clause if joined else None
        alike = joined and joined[0].rule is change.rule and change.rule.change is style_lines
        if alike and after is not None and clause.has("what") and not clause.has("panel"):
            last = max((own.start for own in after.of("what")), default=0)
            panels = [atom for atom in after.of("panel") if atom.start > last]
            change = Change(replace(clause, shared=(*clause.shared, *panels)), change.rule)
        joined.insert(0, change)
    return joined


def _with_looks_of_marks(changes: Sequence[Change]) -> list[Change]:
    """Give the look behind a mark to the mark: ``a line at 0.5, dashed``, ``mark 04:45 and make it red``."""
    joined: list[Change] = []
    for change in changes:
        last, atoms = joined[-1] if joined else change, change.clause.atoms
        looks = tuple(
            atom for atom in atoms if atom.kind in ("colour", "dash", "width") or atom.value in FIXED
        )
        others = {tag for atom in atoms if atom not in looks for tag in atom.tags}
        is_of_mark = last.rule.change in DRAWN_MARKS or (
            last.rule.change is fill and all(look.kind == "colour" for look in looks)
        )
        is_of_mark &= change.rule.change is style_lines
        is_new = looks and not last.clause.has(*(atom.kind for atom in looks))
        if is_of_mark and is_new and others <= {"line", "line:line"}:
            joined.pop()
            change = Change(replace(last.clause, atoms=(*last.clause.atoms, *looks)), last.rule)
        joined.append(change)
    return joined


_KEEPS = 2
"""Place in the order of a change that keeps only what it names."""


def _in_order(changes: Sequence[Change]) -> list[Change]:
    """Order changes as `_order` says; what follows on ``only`` is of what stays: ``only Bz, red`` of the component."""
    orders = [_order(change) for change in changes]
    only = orders.index(_KEEPS) if _KEEPS in orders else len(orders)
    for at, change in enumerate(changes):
        if at > only and not change.clause.has("panel", "verb:remove"):
            orders[at] = max(orders[at], _KEEPS)
    return [changes[at] for at in sorted(range(len(changes)), key=orders.__getitem__)]


def _order(change: Change) -> int:
    """Return when a change is made: panels keep their numbers, and lines their places, until all else is done."""
    clause = change.clause
    if clause.has("verb:remove", "verb:only") and clause.has("panel"):
        return 3
    if clause.has("verb:only") and clause.has("what") and change.rule not in THRESHOLDS:
        return _KEEPS  # protons only, drop the electrons
    return int(clause.has("every", "panel:others", "line:lines") and not clause.has("what"))


def _without_places(clause: Clause, before: Clause) -> Clause:
    """Leave out names and panels that only said where, in the clause from which they are taken: ``n below V, red``."""
    names = [atom for atom in clause.shared if not {"what", "panel"}.isdisjoint(atom.tags)]
    beside = [relation.stop for relation in before.of("rel:above", "rel:below", "rel:before", "rel:after")]
    places = [
        atom
        for atom in names
        if any(atom.start >= stop for stop in beside)
        or ("what" in atom.tags and says_panel(before, atom.text))
    ]
    kept = tuple(atom for atom in clause.shared if atom not in places)
    if beside and any("panel" in atom.tags for atom in kept):  # move panel 5 below panel 1, log axis
        raise NotUnderstood(
            f"helio does not understand '{clause.text.strip()}' of a panel that moves",
            advice="name the line of which it is",
        )
    return replace(clause, shared=kept) if len(places) < len(names) else clause


def _is_of_result(clause: Clause, before: Clause, *, new: bool) -> bool:
    """Return whether a clause is about what the change before it makes, perhaps `new` lines: ``add AE, thick red``."""
    kinds = {atom.kind for atom in clause.atoms}
    if kinds & {"what", "panel", "craft"} or clause.start < before.start:
        return False
    looks = kinds <= {*_LOOKS, "line"} and not clause.has("line:lines")
    limits = kinds <= _SETTINGS - _LOOKS and not clause.has("noun:x_axis")
    return (
        _PRONOUN.search(clause.text) is not None
        or (looks and before.has("verb:add", "rel:also", "rel:above", "rel:below", "rel:same_panel"))
        or (looks and (new or before.has("duration")) and not before.has("craft", "verb:only"))
        or (limits and before.has("verb:replace", "rel:instead_of") and not before.has("craft"))
    )


def _beside_result(clause: Clause, results: Sequence[str]) -> Clause:
    """Let a pronoun behind ``below`` mean the last line that the change before it draws: ``below it the speed``."""
    relation = next(iter(clause.of(*PLACED_BESIDE)), None)
    pronoun = relation and _PRONOUN.match(clause.text, relation.stop - clause.start + 1)
    if not (relation and pronoun and results):
        return clause
    start, stop = (clause.start + end for end in pronoun.span())
    line = Atom("what", results[-1], start, stop, results[-1])
    return replace(clause, atoms=tuple(sorted((*clause.atoms, line), key=lambda atom: atom.start)))


def _beside_separated(editor: FigureEditor, clause: Clause, panels: Sequence[Sequence[str]]) -> Clause:
    """Let ``above`` behind lines that get panels of their own mean the others: ``A and B separately, B above``.

    `panels` are those of the figure before the sentence.
    """
    relation = next(iter(clause.of("rel:above", "rel:below")), None)
    if relation is None:
        return clause
    moved = {line for name in clause.names for line in editor.lines_of(name)}
    new = {at: {*panel} for at, panel in enumerate(editor.panels, 1) if panel not in panels}
    others = [at for at, panel in new.items() if not panel & moved]
    is_bare = not clause.beside(relation.tags[-1], "what", "panel")[1]
    if not (is_bare and others and len(others) < len(new)):
        return clause
    number = min(others) if relation.value == "above" else max(others)
    other = Atom("panel", (number,), relation.stop, relation.stop, f"panel {number}")
    return replace(clause, atoms=tuple(sorted((*clause.atoms, other), key=lambda atom: atom.start)))


def _drawn_with(editor: FigureEditor) -> dict[str, str]:
    """Return each line of the figure with the step that makes it; nothing if there is no or more than one figure."""
    producers = editor.lines.producers
    steps = {str(step["step_id"]): json.dumps(step["tool_args"]) for step in editor.after["steps"]}
    return {
        line: steps.get(str(producers[made].id), "")
        for line in (editor.drawn if len(editor.figures()) == 1 else ())
        if (made := owner(line, producers)) is not None
    }


def _of_result(clause: Clause, change: Change, before: Mapping[str, str], after: Mapping[str, str]) -> Clause:
    """Let a pronoun mean the lines that the change before it draws or computes; refuse it if there are none."""
    results = [line for line, step in after.items() if before.get(line) != step]
    if len(results) == 1 and clause.has("every:lines"):  # add AE, 3 h bins for all of them
        return clause
    if results and len(results) < len(after):
        named = tuple(Atom("what", line, clause.start, clause.start, line) for line in results)
        kept = tuple(atom for atom in clause.shared if atom.kind not in ("what", "panel", "craft", "every"))
        return replace(clause, shared=(*kept, *named))
    pronoun = _PRONOUN.search(clause.text)
    is_placed = change.clause.has("rel:above", "rel:below", "rel:before", "rel:after") or change.clause.says(
        r"\bsame\s+(?:panel|plot|axes)\s+(?:as|with)\b"
    )
    targets = [atom for atom in clause.shared if atom.kind in ("what", "craft", "panel")]
    is_one = pronoun is None or pronoun[0].casefold() == "it"
    if len(targets) > 1 and is_placed and is_one:  # put T above n, and colour it
        return replace(clause, shared=tuple(atom for atom in clause.shared if atom not in targets[1:]))
    named = tuple(atom for atom in change.clause.all if atom.kind in ("what", "craft"))
    if pronoun and named and not targets and not clause.has("every"):
        return replace(clause, shared=(*clause.shared, *named))
    if pronoun and change.clause.has("verb:add", "verb:replace"):
        raise NotUnderstood(f"helio does not understand '{pronoun[0]}'", advice="name a line of the figure")
    return clause


def _refuse(editor: FigureEditor, left: Sequence[Clause], atoms: Sequence[Atom]) -> None:
    """Refuse a sentence, and name the words without which it could be read."""
    refuse_unknown_craft(editor, left)
    words = [word for clause in left for word in re.findall(r"[^\s,;:.?!()\"'“”‘’]+", clause.text)]
    unread = list(dict.fromkeys(word for word in words if word.casefold() not in IN_CHANGES))
    refuse_computation(" ".join(clause.text for clause in left), unread)
    quoted = ", ".join(f"'{word}'" for word in unread[:8])
    raise NotUnderstood(
        f"helio does not understand {quoted}"
        if quoted
        else "the request names no change that helio can make without a language model",
        advice="say in simple words which colour, title, window, panel, spacecraft or time you want; or "
        f"{USE_A_MODEL}",
    )


def refuse_unknown_craft(editor: FigureEditor, clauses: Sequence[Clause]) -> None:
    """Refuse a spacecraft that is not in helio's table of quantities, or a name that comes near one."""
    missions = {
        name.casefold()
        for _, craft in editor.catalogue.crafts()
        for name in (craft.mission, craft.spacecraft)
    }
    known = set(spellings().values())
    for clause in clauses:
        instead = clause.has("craft", "rel:instead", "rel:instead_of", "verb:replace")
        for name in clause.names:
            words = re.findall(r"[A-Z][\w-]*(?:\s+[A-Z0-9][\w-]*)*", name)
            for word in () if name.casefold() in spellings() else words:
                near = did_you_mean(word, known) if instead else ""
                if word.casefold() in missions:
                    near = (
                        f"use one of {', '.join(sorted(known))}; or find a dataset with `helio datasets search "
                        f"'{word}'`, and write a new pipeline with it"
                    )
                if near and word.casefold() not in spellings():
                    raise NotUnderstood(f"helio knows no quantities of a spacecraft '{word}'", advice=near)
