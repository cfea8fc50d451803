"""Say which data and numbers the steps of a pipeline take, such as the speed that shifts a series."""

from __future__ import annotations

import re
from collections.abc import Iterator

from helio.authoring.fetches import FETCH
from helio.authoring.rules.questions.asked import Atom, Subject, folded, stems
from helio.authoring.rules.questions.pipeline_facts import PipelineFacts
from helio.authoring.rules.questions.question import Question
from helio.authoring.rules.questions.source_facts import Fact, lines_of, named_quantities
from helio.authoring.rules.questions.values import sentences
from helio.authoring.writing.computations import DERIVED
from helio.pipelines.template.figures import FIGURES, STYLE
from helio.pipelines.template.graph import StepView
from helio.pipelines.template.labels import owner
from helio.steps.signature import signatures

_INPUT = re.compile(
    r"\W*(?:(?:and|so|with|by|from|at|in|using|on|for)\s+)?(?:which|what)\s+(?P<what>[\w ]+?)"
    r"\s+(?:is|are|was|were|do|does)\b.*?\b(?:used?|taken?|shift\w*|comput\w*|need\w*)\b",
    re.IGNORECASE,
)
_SECOND = re.compile(r"\b(?:and|but) (?:how|why|when|where|which|what)\b", re.IGNORECASE)
_ALIKE = {"speed": "velocity", "velocities": "velocity", "speeds": "velocity"}


def arguments_asked(question: Question) -> list[str]:
    """Name what steps take: ``with which speed are the series shifted?``, ``what distance is assumed?``."""
    pipeline = question.pipeline
    if pipeline is None or question.asked.beyond or "panels" in question.asked.topics:
        return []
    named = [list(_numbers(pipeline, atom)) for atom in question.absent]
    if named and all(named) and not question.asked.rest:
        return lines_of(fact for facts in named for fact in facts)
    return lines_of(_inputs(question))


def _numbers(pipeline: PipelineFacts, atom: Atom) -> Iterator[Fact]:
    """Yield the arguments that are no data and whose description has the words of an atom."""
    for name, step in pipeline.steps.items():
        tool, args = signatures().get(str(step.get("tool_name"))), step.get("tool_args", {})
        if tool is None or tool.name in (FETCH, *FIGURES, STYLE):
            continue
        for argument in tool.arguments:
            described = sentences(f"{argument.name}: {argument.schema.get('description', '')}")[0].rstrip(
                ".;"
            )
            value = args.get(argument.name, argument.default)
            if value is None or argument.name.endswith(("label", "labels")):
                continue
            quantities = {("quantity", quantity) for quantity in named_quantities(described)}
            if quantities & atom.subjects or stems(atom.words) <= stems(described.replace("_", " ")):
                text = f"{argument.name} = {pipeline.with_values(str(value))} ({tool.name}, step {{}})"
                yield Fact(f"{text}{described.removeprefix(argument.name)}", of=name)


def _inputs(question: Question) -> Iterator[Fact]:
    """Yield the data that the steps which a question describes take as the quantity that it names."""
    asked, pipeline = _INPUT.match(question.asked.text), question.pipeline
    words, is_one = question.asked.rest, not _SECOND.search(question.asked.text)
    if asked is None or pipeline is None or not is_one or not {*question.asked.topics} <= {"computations"}:
        return
    *kind, noun = asked["what"].casefold().split()
    atoms = [atom for atom in question.asked.things if noun not in atom.words.casefold()]
    for step in pipeline.graph.steps:
        text = stems(f"{pipeline.steps[str(step.id)].get('intent') or ''} {step.tool.replace('_', ' ')}")
        made = [atom for atom in atoms if atom.subjects & _of_itself(step)]
        is_meant = (words or made) and all(stems(word) <= text for word in words)
        if step.tool in (FETCH, *FIGURES, STYLE) or not is_meant:
            continue
        others = [atom for atom in atoms if atom not in made and not stems(atom.words) <= text]
        if not all(_reads(pipeline, step, atom) for atom in others):
            continue
        for name, value in step.params.items():
            takes = re.sub(r"(?:_\d+)?_label$", "", name)  # position_1_label is a position
            if isinstance(value, str) and takes != name and takes == _ALIKE.get(noun, noun):
                described = pipeline.described(_origin(pipeline, value))
                if stems(" ".join(kind)) <= stems(described):
                    yield Fact(f"{name.removesuffix('_label')}: {described} (step {{}})", of=str(step.id))


def _of_itself(step: StepView) -> set[Subject]:
    """Return the names of a step, its tool and its results, and the quantities that the tool computes."""
    labels = {("label", folded(label)) for label in step.outputs}
    quantities = {("quantity", quantity) for quantity, recipe in DERIVED.items() if recipe.tool == step.tool}
    return {("step", folded(str(step.id))), ("tool", folded(step.tool)), *labels, *quantities}


def _reads(pipeline: PipelineFacts, step: StepView, atom: Atom) -> bool:
    """Return whether the first input of a step is, or is made of, what an atom names."""
    first = next(iter(step.labels), "")
    behind = [pipeline.producers[label] for label in pipeline.lines.behind(first)]
    about = pipeline.of_label(first).union(*map(_of_itself, behind))
    of_data = {subject for subject in atom.subjects if subject[0] != "label"}
    return bool(about & (of_data or atom.subjects))


def _origin(pipeline: PipelineFacts, label: str) -> str:
    """Return the table behind a label that is only aligned."""
    step = pipeline.producers.get(owner(label, pipeline.producers) or label)
    while step is not None and step.tool == "align" and step.labels:
        label = step.labels[0]
        step = pipeline.producers.get(owner(label, pipeline.producers) or label)
    return label
