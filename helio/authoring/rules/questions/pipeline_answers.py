"""Answer from a template: the facts of a property, one step, and the records of its runs and changes."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace

from helio.authoring.fetches import FETCH
from helio.authoring.rules.changes.atoms import PLACE, PLACES
from helio.authoring.rules.questions.asked import Atom, Subject, folded, stems
from helio.authoring.rules.questions.origins_asked import sources_named_by
from helio.authoring.rules.questions.pipeline_facts import AS_FETCHED, OTHER_COMPONENTS
from helio.authoring.rules.questions.question import (
    DECLINED,
    Question,
    as_sentence,
    in_words,
    kinds_of,
    quoted,
)
from helio.authoring.rules.questions.source_facts import (
    MERGED,
    OF_DATASETS,
    Fact,
    Source,
    SourceFacts,
    is_named,
    lines_of,
)
from helio.authoring.rules.questions.tool_facts import AUTHORS, tool_words, tools_with
from helio.authoring.rules.questions.values_asked import ASKS_A_VALUE, focus_words, kind_asked
from helio.counts import number_of
from helio.errors import TimeRangeError
from helio.knowledge.frame_names import FRAMES, MEANINGS
from helio.patterns import ignoring_case
from helio.pipelines.template.document import Document
from helio.pipelines.template.figures import FIGURES
from helio.pipelines.template.labels import owner
from helio.steps.signature import signatures
from helio.steps.tool_page import tool_page
from helio.time_range import parse_time_range

_LAST_RUN = re.compile(
    r"\b(?:last|latest|newest|previous) runs?\b|\b(?:was|were|did|has) (?:this|it|the pipeline) (?:last |ever )?run\b"
    r"|\bhow long did (?:it|this|the run) (?:take|run)\b|\bdid (?:it|the run) (?:fail|succeed|work|finish)\b"
    r"|\b(?:when|why) did (?:it|this|the run) (?:last )?(?:run|fail|end|finish)\b|\bdid i (?:last )?run (?:it|this)\b"
    r"|\b(?:which|what|how many) steps (?:ran|(?:were|was) (?:run|computed|executed|drawn|recomputed))\b"
    r"|\b(?:what|why) (?:was|were|did)\b(?:(?! and ).)*\b"
    r"(?:(?:computed|calculated|drawn|plotted|fetched|executed|run) (?:again|anew)|recomputed|redrawn|rerun)\b",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"\b(?:was|were|has) (?:this|it|the pipeline) (?:last )?(?:been )?(?:changed|made)\b"
    r"|\bwhat (?:has |was )?changed\b|\bwho changed\b|\blast change\b",
    re.IGNORECASE,
)
_REVISION = re.compile(
    r"\bwhat (?:did|does) (?:revision|version) (?P<number>\d+) (?:change|do)\b"
    r"|\bwhat (?:was |has )?changed in (?:revision|version) (?P<changed>\d+)\b",
    re.IGNORECASE,
)
_NOTES = re.compile(r"\b(?:notes?|warnings?|remarks?)\b", re.IGNORECASE)
_OF_RUNS = stems(
    "run ran failed succeeded worked finished ended took drawn made computed again last previous figure"
)
_RUN_TOPICS = {
    "times",
    "reasons",
    "steps",
    "coverage",
    "overview",
    "computations",
    "panels",
    "counts",
    "notes",
}
"""Properties of a run for which its record has an answer."""
_MISSING = re.compile(r"\bhow (?:many|much)\b.*\b(?:missing|nans?|gaps)\b", re.IGNORECASE)
_OF_MISSING = stems("missing values records points samples data NaN gaps")
_NUMBERED = re.compile(r"(?:revision|version) (\d+)\b", re.IGNORECASE)
_SINCE = re.compile(r"\bsince (?:the )?([^?.!]+)", re.IGNORECASE)
_HAPPENED = re.compile(
    r"\W*(?:was|were|did)\b|.*\b(?:in|during|over|within|throughout|this|that)\s+(?:(?:this|that|the|whole|entire)\s+)*"
    r"(?:interval|time|period|event|encounter|storm|days?|passage|crossing|flyby)\b",
    re.IGNORECASE,
)
"""What asks whether something happened in the time of the pipeline."""
_STEP = re.compile(
    r"(?<!which )(?<!what )\bstep\s+[\"'“‘]?(?!(?:do|does|is|in|of|for|by)\b)([\w-]+)", re.IGNORECASE
)
_FRAME_NAME = "|".join(MEANINGS)
_FRAMES_ASKED = re.compile(
    rf"\W*(?:what(?:['’]s| is| does| are| do)|define|explain|describe)?\s*"
    rf"(?:(?:the )?(?:difference|differences) between )?(?:the )?(?P<first>{_FRAME_NAME})"
    rf"(?:(?: and | or | vs\.? | from )(?:the )?(?P<second>{_FRAME_NAME}))?"
    r"(?: (?:frames?|coordinates?|systems?|mean|stand for))*\W*"
)
_TOOL_ASKED = re.compile(r"\W*what does (?:the )?(?:tool )?(?P<name>\w+)(?: tool)? do\W*", re.IGNORECASE)
_BAND = re.compile(
    rf"\b(?P<which>lowest|highest|{PLACE})\s+(?:(?:[a-z]+\s+)?(?:bands?|channels?|bins?)|energ(?:y|ies)|frequenc(?:y|ies))\b",
    re.IGNORECASE,
)
_AXIS = re.compile(
    r"\b(?:(?P<side>left|right)(?:[- ]hand)?\s+(?:y[- ]?)?(?:axis|side)|(?:which|what)\s+(?:y[- ]?)?(?:axis|side))\b",
    re.IGNORECASE,
)
_RANGE = re.compile(r"[\d.]+(?: (?:[kMG]?eV|[kM]?Hz))? to [\d.]+ (?:[kMG]?eV(?:/n\w*)?|[kM]?Hz)")
_BANDS = {"lowest": 1, "highest": -1}
_COUNTED = frozenset({"bins", "cadence", "times", "panels", "crafts", "datasets", "instruments", "steps"})
"""Properties whose answer says how many there are."""
_MANY_STEPS = 6
"""An answer about more steps names only their tools."""
_PRESENCE_COUNTED = re.compile(
    r"\b(?:how many|number of) (?:[\w-]+ )??(?P<noun>[\w-]+) (?:(?:are|is|were|was) )?"
    r"(?:there|in|inside|within|during|occur\w*|happen\w*|marked|listed|drawn)\b",
    re.IGNORECASE,
)
"""What a question counts that asks how many of it there are."""
_COUNTED_LINES = re.compile(r"\b(?:how many|number of) (?:[\w-]+ )?(?:lines|curves|traces)\b", re.IGNORECASE)
_COMPONENTS_DRAWN = re.compile(r"\bcomponents\b.*\b(?:drawn|shown|plotted|displayed)\b", re.IGNORECASE)
_HORIZONTAL = re.compile(r"\bx\b|\bhorizontal\b|\btime ax[ie]s\b", re.IGNORECASE)
_DASHES = re.compile(r"\b(?:dashed|dotted|solid|dash-?dotted|long-dashed)\b", re.IGNORECASE)
_COLOURED = re.compile(r"\bcolou?rs?\b", re.IGNORECASE)
_REASON = re.compile(r";|\b(?:because|since|so|not|only|for|as)\b", re.IGNORECASE)
"""What the purpose of a step has that says more than what the step does."""
_COUNTED_WHOLE = ("crafts", "datasets", "instruments", "panels", "steps")
"""Properties of which the number with the names is the whole answer."""
_NEEDS_A_SUBJECT = ("reasons", "methods", "meanings", "notes")
_ORDER = ("panel", "dataset", "craft", "instrument", "tool")
"""Kinds of subjects that narrow an answer one after the other; all other kinds are one group."""
_OF_DATA = re.compile(r"\b(?:fetch\w*|data\w*|uses?|used|takes?|taken)\b", re.IGNORECASE)
"""What asks for the reason of a fetch."""
_SHORT_ANSWER = 3
"""Number of lines of an answer that the nouns of the question need not narrow."""
_NOUN = re.compile(r"\b(?:the|a|an|this|these|each)\s+([a-z]+)", re.IGNORECASE)
_PRESENT = {"panels", "datasets", "crafts", "instruments", "steps"}
"""Properties of a question that only asks whether the pipeline has something."""
_USED_IN = re.compile(r"\b(?:used|included|contained|taken) (?:in|for|by)\b", re.IGNORECASE)
_EARLY = re.compile(
    r"prelim|provisional|real-?time|quick-?look|browse|key parameter|operational", re.IGNORECASE
)
_PAPER = re.compile(r"\b(?:1[89]|20)\d\d\b|OMNIWeb|NOAA|NRL")
"""What a reference has that is more than a formula."""
_SAYS_LEVEL = re.compile(r"not marked as preliminary|definitive|final|level \d", re.IGNORECASE)
_REASONED = ("frames", "units", "cadence", "computations", "level", "meanings", "datasets")
"""Properties that the purpose of a step may explain where no fact does."""


def about_topic(question: Question, topic: str) -> list[str]:
    """Return the facts of a property about everything that the question names; note if there are none."""
    pipeline = question.pipeline
    assert pipeline is not None
    collect = pipeline.topics.get(topic)
    facts = list(collect()) if collect and topic not in ASKS_A_VALUE else []  # no value has all words
    if topic in _NEEDS_A_SUBJECT and not question.present:
        if not question.asked.rest:
            question.unsaid.append(f"it does not find {in_words(topic)} in the pipeline")
        return []
    if topic == "coverage" and question.span is not None and question.is_yes_no:
        facts = list(pipeline.data.available(question.span))
    is_of_more = question.asked.rest or (
        question.asked.beyond and all(atom.topics for atom in question.present)
    )
    if topic == "times" and kind_asked(question.asked.text) in ("duration", "interval") and is_of_more:
        facts = []  # the length or the interval of something else than the time of the pipeline
    if topic == "times" and question.is_negated:
        facts = []  # when something is missing
    if topic == "times" and not question.present:
        facts = [fact for fact in facts if any(kind == "variable" for kind, _ in fact.about)]
    if topic == "bins" and _COMPONENTS_DRAWN.search(question.asked.text):
        facts = list(pipeline.line_counts())
    if topic == "axis labels":
        letter = "x" if _HORIZONTAL.search(question.asked.text) else "y"
        facts = [fact for fact in facts if f" {letter} label" in fact.text]
    chosen = narrowed(question, facts, question.present)
    if topic == "scales" and question.asked.begins("which"):
        chosen = [fact for fact in chosen if _verdicts(question, topic, [fact]) == {True}] or chosen
    if not chosen and topic in (*OF_DATASETS, "datasets") and question.present:
        behind = sources_named_by(question, question.present)
        words = stems(" ".join(atom.words for atom in question.present))
        if not any(words <= stems(source.text) for source in pipeline.data.sources if source not in behind):
            chosen = list(SourceFacts(behind, question.catalogue).topics[topic]())
    if topic in ("units", "frames"):
        panels = {int(name) for atom in question.present for kind, name in atom.subjects if kind == "panel"}
        drawn = pipeline.tables_of(panels)
        chosen = [fact for fact in chosen if fact.about & drawn] or chosen
    if topic in ("colours", "dashes"):
        named = [line for atom in question.present for line in pipeline.drawn_as(atom.words)]
        chosen = [
            fact for line in dict.fromkeys(named) for fact in _of_line(question, line, chosen)
        ] or chosen
    if topic == "reasons":
        chosen = [fact for fact in chosen if _gives_reason(question, fact)]
    if topic in ("computations", "methods"):
        lines = _computed(question, chosen)
    else:
        chosen = [fact for fact in chosen if fact.about & question.made_by] or chosen
        lines = lines_of(chosen)
        said = verdict(question, topic, chosen)
        recorded = _recorded(question, topic) if lines and "reasons" in question.asked.topics else []
        recorded = [line for line in recorded if _REASON.search(line.rpartition(" (")[2])]
        if topic in _REASONED and "reasons" in question.asked.topics and not recorded:
            said += "the pipeline records no reason; "
        lines[:1] = [as_sentence(topic, said, line) for line in lines[:1]]
        lines += [line for line in recorded if line not in lines]
    if topic == "datasets":
        lines += _alternatives(question, {fact.of for fact in chosen})
    looks = question.asked.colours if topic == "colours" else _DASHES.findall(question.asked.text)
    if topic in ("colours", "dashes") and looks:
        wanted = stems(" ".join(looks))
        such = [
            fact for fact in chosen if stems(fact.text) & wanted and not fact.text.startswith("the pipeline")
        ]
        is_set = not any(fact.text.startswith(("helio", "the pipeline")) for fact in chosen)
        if question.is_yes_no and question.present:
            said = (
                "yes" if such == chosen else "partly" if such else "no" if is_set or topic == "dashes" else ""
            )
            return [
                f"{question.verdict(said)}{line}" if not at else line
                for at, line in enumerate(lines_of(chosen))
            ]
        meant = such if "meanings" in question.asked.topics else []
        lines = [*lines_of(such), *(pipeline.described(fact.of) for fact in meant if fact.of)]
        if not lines and topic == "colours":
            others = [fact for fact in pipeline.topics[topic]() if fact.text.startswith("helio")]
            such_a = "such " if question.present else ""
            lines = [f"no {such_a}line is set to {' or '.join(looks)}", *lines_of(others)]
    if lines and "counts" in question.asked.topics:
        numbers = list(_counted(question, topic))
        if not numbers and not _COUNTED & {*question.topics}:
            question.unsaid.append("it does not find how many in the pipeline")
        lines = numbers if topic in _COUNTED_WHOLE and numbers else [*numbers, *lines]
    if not lines:
        if topic in _REASONED and question.present and (recorded := _recorded(question, topic)):
            return recorded
        about = f" of {quoted([atom.words for atom in question.present])}" if question.present else ""
        question.unsaid.append(f"it does not find {in_words(topic)}{about} in the pipeline and the catalogue")
    return lines


def _alternatives(question: Question, names: Container[str]) -> list[str]:
    """Say which of several datasets of a fetch the last run took, or that a run takes the first one with data."""
    assert question.pipeline is not None
    of_label: dict[str, dict[str, None]] = {}
    for source in question.pipeline.data.sources:
        if source.name in names:
            of_label.setdefault(source.label, {})[source.dataset.id] = None
    labels = [label for label, datasets in of_label.items() if len(datasets) > 1]
    run, taken = (
        question.records.datasets_taken(str(question.pipeline.template.get("id")))
        if question.records and labels
        else (None, {})
    )
    return lines_of(
        Fact(f"{run} took {' and '.join(taken[label])} ({{}})", of=label)
        if label in taken
        else Fact("a run takes the first of these datasets that has data ({})", of=label)
        for label in labels
    )


def _of_line(question: Question, line: str, facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts about a line: of a component those about it alone, or else about its vector."""
    assert question.pipeline is not None
    table = owner(line, question.pipeline.producers) or line
    if line == table:
        return [fact for fact in facts if (owner(fact.of, question.pipeline.producers) or fact.of) == table]
    of_vector = [
        replace(fact, text=fact.text.replace(OTHER_COMPONENTS, "{}"), of=line)
        for fact in facts
        if fact.of == table
    ]
    return [fact for fact in facts if fact.of == line] or of_vector


def _recorded(question: Question, topic: str) -> list[str]:
    """Return the steps about what the question names whose purpose has the words for a property."""
    assert question.pipeline is not None
    reasons = lines_of(narrowed(question, list(question.pipeline.topics["reasons"]()), question.present))
    named = stems(" ".join(atom.words for atom in question.asked.atoms if topic in atom.topics))
    return [line for line in reasons if named & stems(line)]


def _gives_reason(question: Question, fact: Fact) -> bool:
    """Return whether the purpose of a step has every word of a question for a reason, or does what the word says."""
    operations = {("tool", folded(tool)) for _, names in question.asked.operations for tool in names}
    if ("tool", folded(FETCH)) in fact.about and not _OF_DATA.search(question.asked.text):
        return False
    named = {word: atom.subjects for atom in question.present for word in atom.words.split()}
    left = [
        word
        for word in focus_words(question.asked.text)
        if not stems(word) <= stems(fact.text) and not named.get(word, frozenset()) & fact.about
    ]
    return len(left) <= 1 and bool(operations & fact.about) if operations else not left


def lacks_count(question: Question, lines: Sequence[str]) -> bool:
    """Return whether a question asks how many events there are, such as switchbacks, and no line says it."""
    counted = _PRESENCE_COUNTED.search(question.asked.text)
    if counted is None or any(
        {*atom.topics} & _COUNTED and counted["noun"] in atom.words for atom in question.asked.atoms
    ):
        return False
    noun = re.escape(counted["noun"].removesuffix("s"))
    number = r"\d[\d.,]*"
    said = rf"\b{number}\s+(?:\w+\s+)?{noun}|\b{noun}\w*\s*(?:=|:|\bis\b)\s*{number}"
    return not any(ignoring_case(said).search(line) for line in lines)


def happened(question: Question) -> list[str]:
    """Decline to say whether something happened: ``was the wind really slow in this interval?``."""
    asked = question.asked
    words = [word for word in asked.rest if not re.search(r"\d", word)]
    is_asked = question.is_yes_no and question.pipeline is not None and _HAPPENED.match(asked.text)
    if not is_asked or not words or not {*asked.topics} <= {"times"}:
        return []
    return [
        f"{DECLINED}: {quoted(words)}: it knows nothing about the values in the data, which only a run has"
    ]


def presence(question: Question) -> list[str]:
    """Say whether the pipeline has what a question names, if the question asks nothing else: `does it use ACE?`."""
    pipeline, asked = question.pipeline, question.asked
    if pipeline is None or not question.is_yes_no or not asked.things or asked.rest or asked.beyond:
        return []
    if not {*asked.topics} <= _PRESENT or (len(asked.things) > 1 and _USED_IN.search(asked.text)):
        return []
    if question.absent:
        denied = f"the pipeline has no {quoted([atom.words for atom in question.absent])}"
        is_merged = any(source.dataset.spacecraft == MERGED for source in pipeline.data.sources)
        of_craft = any("craft" in kinds_of(atom) for atom in question.absent)
        if of_craft and (is_merged or pipeline.has_unlisted_data):
            return [f"{denied} by its name", *lines_of(pipeline.topics["crafts"]())]
        return [f"{question.verdict('no')}{denied}"]
    for topic in ("panels", "computations", "datasets"):
        facts = narrowed(question, list(pipeline.topics[topic]()), question.present)
        if lines := lines_of(facts):
            return [f"{question.verdict('yes')}{lines[0]}", *lines[1:]]
    return []


def _computed(question: Question, facts: Sequence[Fact]) -> list[str]:
    """Say which steps do what the question asks for, or that no step does."""
    assert question.pipeline is not None
    present = [atom for atom in question.present if not atom.topics]  # no property such as the window
    subject = quoted([atom.words for atom in present]) or "the data"
    if operations := question.asked.operations:
        tools = {("tool", folded(tool)) for _, names in operations for tool in names}
        steps = [fact for fact in question.pipeline.topics["computations"]() if fact.about & tools]
        steps = narrowed(question, steps, present)
        verbs = " or ".join(dict.fromkeys(verb for verb, _ in operations))
        if not steps:
            fetched = [fact for fact in facts if fact.text.startswith(AS_FETCHED)] if question.present else []
            named = ", ".join(dict.fromkeys(tool for _, names in operations for tool in names))
            done = f"; tools that do: {named}" if question.asked.begins("how") else ""
            return [
                f"{question.verdict('no')}no step {verbs} {subject}{done}",
                *lines_of(fetched),
            ]
        lines = lines_of(steps)
        said = "" if question.asked.rest else question.verdict("yes")
        return [f"{said}{lines[0]}", *lines[1:]]
    if not facts and question.present:
        facts = narrowed(question, list(question.pipeline.topics["computations"]()), question.present)
    steps = [fact for fact in facts if not fact.text.startswith(AS_FETCHED)]
    if (
        not question.present
        and len(steps) > _MANY_STEPS
        and len(facts) == len(list(question.pipeline.topics["computations"]()))
    ):
        return [
            fact.text for fact in question.pipeline.topics["overview"]() if fact.text.startswith("computed: ")
        ]
    if facts and not steps and question.present:
        return [f"no step computes {subject}: {line}" for line in lines_of(facts)]
    return lines_of(steps or facts)


def verdict(question: Question, topic: str, facts: Sequence[Fact]) -> str:
    """Return the first word of the answer to a question that asks for yes or no."""
    said = _verdicts(question, topic, facts)
    return question.verdict("partly" if len(said) > 1 else "yes" if said == {True} else "no") if said else ""


def _verdicts(question: Question, topic: str, facts: Sequence[Fact]) -> set[bool | None]:
    words = [atom.words for atom in question.asked.atoms if {topic, f"named {topic[:-1]}"} & {*atom.topics}]
    texts = [fact.text for fact in facts]
    for axis, named in (("x axis", _HORIZONTAL), ("colour scale", _COLOURED)) if topic == "scales" else ():
        if named.search(question.asked.text):
            texts = [text if axis in text else "" for text in texts]
            texts = [part for text in texts for part in text.split("; ") if axis in part or not text]
    return {_affirms(topic, word, text) for word in words for text in texts} - {None}


def _affirms(topic: str, word: str, text: str) -> bool | None:
    """Return whether a fact says that the data have a property that a word names; None if it does not say."""
    if topic in ("frames", "units"):
        named = word.split()[-1]
        return text.startswith(f"{named} ") if topic == "units" or named in FRAMES else None
    if topic == "scales":
        asked = ignoring_case("log|linear").match(word)
        if asked is None or "by the data" in text:
            return None
        return ("is logarithmic" in text) == (asked[0].casefold() != "linear")
    if topic != "level":
        return None
    early = bool(_EARLY.search(text.replace("not marked as preliminary", "")))
    if _EARLY.search(word):
        return early if early or _SAYS_LEVEL.search(text) else None
    if number := re.search(r"\d", word):
        stated = re.findall(r"level (\d)", text)
        return number[0] in stated if stated else None
    if ignoring_case("definitive|final").match(word):
        return False if early else True if text.startswith(("definitive", "final")) else None
    return None


def narrowed(question: Question, facts: Sequence[Fact], atoms: Sequence[Atom]) -> list[Fact]:
    """Return the facts about all that the question names; each kind of subject narrows them further."""
    groups: dict[str, list[frozenset[Subject]]] = {}
    for atom in [atom for atom in atoms if not {*atom.topics} & {*question.topics}] or atoms:
        kinds = kinds_of(atom)
        kind = next((name for name in _ORDER if name in kinds), "thing")
        groups.setdefault(kind, []).append(atom.subjects)
    for kind, subjects in groups.items():
        wanted = frozenset[Subject]().union(*subjects)
        labels = frozenset(subject for subject in wanted if subject[0] == "label")
        # the name of a spacecraft that is also a line means all its data
        if kind not in ("thing", "tool") or not all(labels & each for each in subjects):
            labels = frozenset()
        facts = (
            [fact for fact in facts if fact.about & labels]
            or [fact for fact in facts if fact.about & wanted]
            or [fact for fact in facts if not fact.about]
        )
    return list(facts) if groups else _with_nouns(question, facts)


def _with_nouns(question: Question, facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts of a long answer that have a noun of the question: `how do you calculate the difference`."""
    if len(lines_of(facts)) <= _SHORT_ANSWER or not {*question.topics} & {"computations", "methods", "bins"}:
        return list(facts)
    topics = stems(" ".join(atom.words for atom in question.asked.atoms if atom.topics))
    nouns = frozenset[str]().union(*map(stems, _NOUN.findall(question.asked.text))) - topics
    return [fact for fact in facts if nouns & stems(fact.text)] or list(facts)


def _counted(question: Question, topic: str) -> Iterator[str]:
    """Yield how many panels, steps, spacecraft, datasets or instruments there are, and their names."""
    assert question.pipeline is not None
    sources = question.pipeline.data.sources
    wanted = frozenset[Subject]().union(*(atom.subjects for atom in question.present))
    datasets = [source.dataset for source in sources if not wanted or source.about & wanted]
    datasets = datasets or [source.dataset for source in sources]
    if topic == "panels" and _COUNTED_LINES.search(question.asked.text):
        facts = narrowed(question, list(question.pipeline.line_counts()), question.present)
        about = [fact for fact in facts if fact.about & wanted] if wanted else facts
        yield from lines_of(about) or [f"{DECLINED}: it cannot tell how many lines the data have"]
    elif topic == "panels":
        yield from lines_of(question.pipeline.panel_names())
    elif topic == "steps":
        yield f"{number_of(len(question.pipeline.steps), 'step')}: {', '.join(question.pipeline.steps)}"
    elif topic == "crafts":
        names = dict.fromkeys(dataset.spacecraft for dataset in datasets)
        if MERGED in names:
            yield from lines_of(question.pipeline.data.topics["crafts"]())
        else:
            yield f"{number_of(len(names), 'spacecraft', 'spacecraft')}: {', '.join(names)}"
    elif topic == "datasets":
        names = dict.fromkeys(dataset.id for dataset in datasets)
        yield f"{number_of(len(names), 'dataset')}: {', '.join(names)}"
    elif topic == "instruments":
        named = [f"{dataset.instrument} of {dataset.spacecraft}" for dataset in datasets if is_named(dataset)]
        names = dict.fromkeys(named)
        yield f"{number_of(len(names), 'instrument')}: {', '.join(names)}"
        unnamed = [Source(dataset) for dataset in datasets if not is_named(dataset)]
        yield from lines_of(SourceFacts(unnamed, question.catalogue).topics["instruments"]())


def band_asked(question: Question) -> list[str]:
    """Name the band that a question asks for: ``energy range of the lowest proton band``."""
    asked, pipeline = _BAND.search(question.asked.text), question.pipeline
    if pipeline is None or asked is None or not {*question.asked.topics} <= {"bins", "meanings"}:
        return []
    at = _BANDS.get(asked["which"].casefold()) or PLACES.get(asked["which"].casefold(), 0)
    lines = []
    for fact in narrowed(question, list(pipeline.topics["bins"]()), question.present):
        bands = sorted(pipeline.steps.get(fact.of, {}).get("tool_args", {}).get("bands") or ())
        if bands and at and abs(at) <= len(bands):
            low, high = bands[at - (at > 0)]
            lines.append(f"{low:g} to {high:g} {pipeline.unit_of_bands(fact.of)}: {pipeline.line(fact.of)}")
    if lines or asked["which"].casefold() not in _BANDS:
        return lines if len(lines) == 1 else []
    facts = narrowed(question, list(pipeline.topics["bins"]()), question.present)
    return [line for line in lines_of(facts) if _RANGE.search(line)] or [
        f"{DECLINED}: the catalogue gives no range of these data"
    ]


def side_asked(question: Question) -> list[str]:
    """Say at which side of its panel a line has its axis: ``is the density on the right axis?``."""
    asked, pipeline = _AXIS.search(question.request), question.pipeline
    if pipeline is None or asked is None or not question.present:
        return []
    lines = lines_of(narrowed(question, list(pipeline.sides()), question.present))
    are_there = {line.endswith(f"at the {asked['side'].casefold()}") for line in lines if asked["side"]}
    said = "" if not are_there else "partly" if len(are_there) > 1 else "yes" if True in are_there else "no"
    return [f"{question.verdict(said) if said else ''}{line}" if line is lines[0] else line for line in lines]


def critical_asked(question: Question) -> list[str]:
    """List the steps without which a run fails, and those without which it goes on: ``which steps are critical?``."""
    pipeline = question.pipeline
    if pipeline is None or {word.casefold() for word in question.asked.rest} != {"critical"}:
        return []
    aside = [name for name, step in pipeline.steps.items() if step.get("critical") is False]
    critical = [name for name in pipeline.steps if name not in aside]
    told = f"critical, so that a run fails without them: {', '.join(critical)}" if critical else ""
    left = f"not critical, so that a run goes on without them: {', '.join(aside)}" if aside else ""
    return [line for line in (told, left) if line]


def about_step(question: Question) -> list[str]:
    """Describe the step that the question names by `step NAME`."""
    named, pipeline = _STEP.search(question.request), question.pipeline
    if pipeline is None or named is None:
        return []
    steps, name = pipeline.steps, named[1]
    if name not in steps and name.isdecimal() and 1 <= int(name) <= len(steps):
        name = list(steps)[int(name) - 1]
    if name not in steps:
        return [f"No step is called '{name}'. The steps are {', '.join(steps)}."]
    others = {*question.asked.topics} - {"steps", "meanings", "reasons", "computations"}
    if others or {*question.asked.rest} - {name, named[1]} or question.asked.beyond:
        return []
    return [pipeline.line(name), summary_of(steps[name])]


def tool_asked(question: Question) -> list[str]:
    """Say what the tool does that a question names, ``what does resample do?``, and which steps use it."""
    asked, pipeline = _TOOL_ASKED.fullmatch(question.request), question.pipeline
    tool = signatures().get(asked["name"].casefold()) if asked else None
    if tool is None or pipeline is None:
        return []
    used = [
        pipeline.line(name) for name, step in pipeline.steps.items() if step.get("tool_name") == tool.name
    ]
    used = used or ["no step of the pipeline uses it"]
    return [f"{tool.name}: {tool.summary}", *used, f"`helio tools {tool.name}` shows its page"]


def authors_named(question: Question) -> list[str]:
    """Name the papers behind the step that computes what the question names: ``whose model predicts Dst*?``."""
    pipeline, asked = question.pipeline, question.asked
    if pipeline is None or question.topics != ["methods"] or not AUTHORS.search(asked.text):
        return []
    asking = {word for atom in asked.atoms if "methods" in atom.topics for word in atom.words.split()}
    words = [word for word in focus_words(asked.text) if word not in asking]
    used = {str(step.get("tool_name")) for step in pipeline.steps.values()} & {*signatures()} - {*FIGURES}
    named = tools_with(words, sorted(used))
    named = tools_with([*words, *sorted(asking)], named) or named
    unread = [word for word in asked.rest if not any(stems(word) <= tool_words()[name][1] for name in named)]
    papers = [f"{name}: {' '.join(tool_page(signatures()[name]).references.split())}" for name in named]
    papers = [paper for paper in papers if _PAPER.search(paper)]
    are_fetched = [
        kinds_of(atom) & {"parameter", "dataset", "craft"} and not question.is_computed(atom)
        for atom in question.present
    ]
    if not papers or unread or asked.beyond or any(are_fetched):
        return [f"{DECLINED}: the pipeline names no paper for {quoted(unread or words) or 'it'}"]
    return papers


def frames_defined(question: Question) -> list[str]:
    """Say what the axes of the frames are that a question asks to explain: ``what is GSM?``."""
    asked = _FRAMES_ASKED.fullmatch(question.request)
    names = [asked["first"], asked["second"]] if asked else []
    return [f"{name}: {MEANINGS[name]}" for name in names if name]


def from_records(question: Question) -> Iterator[str]:
    """Yield the answer from the records of runs and changes, if the question is about them."""
    records = question.records
    about_run, about_change = _LAST_RUN.search(question.request), _CHANGED.search(question.request)
    if question.template is None:
        return
    name = str(question.template.get("id"))
    if records is not None and _MISSING.search(question.request):
        yield from _missing(question, list(records.missing(name)))
    revision = _REVISION.search(question.request)
    if not about_run and not about_change and not revision:
        return
    if records is None:
        yield f"{DECLINED}; `helio runs` lists the runs, and `helio history` the changes of a pipeline"
        return
    if revision:
        yield from records.revision(name, int(revision["number"] or revision["changed"]))
        return
    since = _SINCE.search(question.request)
    if about_change and about_run:
        yield from records.changed_since_run(name, question.template)
    elif about_change and since and (number := _NUMBERED.match(since[1])):
        yield from records.changed(name, int(number[1]))
    elif about_change and since:
        try:
            yield from records.changed(name, parse_time_range(since[1], question.now).start)
        except TimeRangeError:
            yield f"{DECLINED}: it does not understand the time '{since[1]}'"
    elif about_change:
        yield from records.changed(name)
    elif _NOTES.search(question.request):
        yield from records.notes(name)
    elif left := [word for word in question.asked.rest if not stems(word) <= _OF_RUNS]:
        yield f"{DECLINED}: helio does not understand {quoted(left)}; `helio runs show last` shows the record of a run"
    elif {*question.asked.topics} <= _RUN_TOPICS:
        yield from records.last_run(name)


def _missing(question: Question, lines: Sequence[str]) -> list[str]:
    """Return the recorded numbers of missing values of all that the question names; none if it says anything else."""
    if question.absent or not all(stems(word) <= _OF_MISSING for word in question.asked.rest):
        return []
    labels = [name for atom in question.present for kind, name in atom.subjects if kind == "label"]
    if not labels:
        return [] if question.present else list(lines)
    return [line for line in lines if any(label in folded(line) for label in labels)]


def summary_of(step: Document) -> str:
    """Say in one sentence what the tool of a step does."""
    tool = signatures().get(str(step.get("tool_name")))
    return tool.summary if tool else "helio has no such tool"
