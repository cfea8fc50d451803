"""What a figure draws, and which of its lines a word means."""

from __future__ import annotations

import re
from collections.abc import Callable

from helio.authoring.outcome import NotUnderstood
from helio.authoring.rules.named import names_of_spacecraft
from helio.authoring.swapping import fetched
from helio.authoring.writing.writer import EVERY, Asks
from helio.errors import UnknownParameter
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.frame_names import FRAMES, TURNABLE
from helio.knowledge.quantities import ABS_B, SOURCES, B, spellings
from helio.knowledge.quantities import VECTOR_V as VELOCITY
from helio.knowledge.quantity_words import WORDS
from helio.pipelines.dialect.template_in import template_in
from helio.pipelines.dialect.walk import spec_of
from helio.pipelines.template.document import Document
from helio.pipelines.template.figures import complete_labels, figures_meant
from helio.pipelines.template.labels import owner, produced_labels, read_labels
from helio.steps.signature import signatures

_FRAMES = "|".join(frame.casefold() for frame in FRAMES)
PRONOUNS = ("it", "this", "that", "them", "these", "those")


class Lines:
    """The lines of a template's figures.

    Parameters
    ----------
    template : Document
    catalogue : Catalogue
        Tells vectors from scalars, and what a parameter is.
    ask : callable
        Asks which of several is meant.
    """

    def __init__(self, template: Document, catalogue: Catalogue, ask: Asks) -> None:
        self.template = template
        self.catalogue = catalogue
        self.ask = ask

    def spec(self, figure: Document) -> Document:
        """Everything that is said of a figure's looks, its styles included."""
        meant = figures_meant(template_in(self.template).steps)
        found: Document = dict(spec_of(figure) or {})
        for step in self.template["steps"]:
            if meant.get(step.get("step_id")) == [figure["step_id"]]:
                found |= spec_of(step) or {}
        return found

    def drawn(self, figure: Document) -> list[str]:
        """Every label that a figure draws."""
        spec = self.spec(figure)
        labels = complete_labels(spec)
        if isinstance(spec.get("panels"), list):
            labels += [label for panel in spec["panels"] if isinstance(panel, list) for label in panel]
        return list(dict.fromkeys(labels)) or list(self.gives())

    def gives(self) -> dict[str, Document]:
        """Every label that a step gives, and the step."""
        found: dict[str, Document] = {}
        for step in self.template["steps"]:
            signature = signatures().get(str(step.get("tool_name")))
            args = step.get("tool_args")
            if signature is not None and isinstance(args, dict):
                found |= dict.fromkeys(produced_labels(signature, args), step)
        return found

    def meant(self, what: str, figure: Document, *, telling: bool = False) -> list[str]:
        """The lines that words mean, as a figure addresses them.

        What a line is itself comes before what its step says, for a step may give many, and that before what it
        is made from. Words are whole words.

        Parameters
        ----------
        telling : bool
            Whether a spacecraft's name means the lines by which spacecraft are told apart, where there are such:
            one colour for a vector would make its components alike.
        """
        return self._meant(what.casefold().strip(), what, self.drawn(figure), telling)

    def one_or_all(self, what: str, figure: Document, *, telling: bool = False) -> list[str]:
        """The lines that words mean; one of them where the words are of one thing and several could be it."""
        lines = self.meant(what, figure, telling=telling)
        plain = what.casefold().strip()
        plural = re.search(r"^(?:both|all|every)\b|s$", plain) or plain in spellings()
        if len(lines) < 2 or plural or plain in PRONOUNS:
            return lines
        answer = self.ask(f"Which one is '{what}'?", [*lines, EVERY])
        return lines if answer == EVERY else [answer]

    def frame(self, label: str) -> str:
        """The frame of a label, as far as the table of quantities or its own step says it."""
        step = self.gives().get(label, {})
        args = step.get("tool_args") or {}
        if step.get("tool_name") == "fetch_data":
            known = {
                source.frame
                for source in SOURCES
                for pair in self._pairs(label)
                if (source.dataset, source.parameters) == (pair[0], (pair[1],))
            }
            return known.pop() if len(known) == 1 else ""
        for key in ("to", "frame"):
            if str(args.get(key, "")).upper() in FRAMES:
                return str(args[key]).upper()
        return next((frame for source in self._sources(label) if (frame := self.frame(source))), "")

    def crafts(self, label: str) -> set[str]:
        """The spacecraft of the data that a label is made of."""
        found = {
            self.catalogue.summary(dataset).spacecraft
            for dataset, _ in self._pairs(label)
            if dataset in self.catalogue
        }
        return found.union(*(self.crafts(source) for source in self._sources(label)))

    def _meant(self, plain: str, what: str, drawn: list[str], telling: bool) -> list[str]:
        plain = re.sub(r"^(?:both|all|the|of)\s+", "", plain).strip()
        exact = [label for label in drawn if label.casefold() == plain]
        if exact:
            return exact
        if plain in PRONOUNS:
            if len(drawn) < 2:
                return drawn
            return [self.ask(f"Which one is '{what}'?", drawn)]
        of_craft = re.fullmatch(rf"({names_of_spacecraft()})(?:\s+(.+))?", plain)
        if of_craft:
            there = self._of_craft(spellings()[of_craft[1]], drawn)
            if of_craft[2]:
                return self._meant(of_craft[2], what, there, telling)
            lone = [label for label in there if not self.is_vector(label)] if telling else []
            return lone or there
        component = re.fullmatch(r"(b|v)_?([xyzrtn])", plain)
        if component:
            return self._component_of(what, component[1], component[2], drawn)
        if plain in ("magnitude", "magnitudes", "|b|", "total field", "field strength", "magnitude line"):
            return self._magnitudes(drawn)
        quantity = next(
            (row.quantity for row in WORDS if re.fullmatch(row.pattern, plain, re.IGNORECASE)),
            B if plain in ("field", "fields") else "",
        )
        return _first(
            drawn,
            lambda label: quantity in self._quantities(label),
            lambda label: _says(self._own(label), plain),
            lambda label: _says(self._said(label), plain),
            lambda label: quantity in self._quantities(label, inherited=True),
            lambda label: _says(f"{self._own(label)} {self._said(label)} {self._inherited(label)}", plain),
        )

    def _of_craft(self, craft: str, drawn: list[str]) -> list[str]:
        """The lines of one spacecraft alone, else those that it has a part in, else those that are called so."""
        of = {label: self.crafts(owner(label, self.gives()) or label) for label in drawn}
        return (
            [label for label in drawn if of[label] == {craft}]
            or [label for label in drawn if craft in of[label]]
            or [label for label in drawn if _says(self._own(label), craft.casefold())]
        )

    def _component_of(self, what: str, stem: str, letter: str, drawn: list[str]) -> list[str]:
        lone = [
            label
            for label in drawn
            if re.search(rf"(?:^|[_.]){stem}_?{letter}(?:_(?:{_FRAMES}))?$", label.casefold())
        ]
        if lone:
            return lone if len(lone) == 1 else [self.ask(f"Which {what}?", lone)]
        wanted = B if stem == "b" else VELOCITY
        vectors = [
            label
            for label in drawn
            if self.is_vector(label)
            and (
                (kinds := self._quantities(label, inherited=True)) & {wanted}
                or (not kinds and re.search(rf"(?:^|[_.]){stem}(?:[a-z]*)$", label.casefold()))
                or (not kinds and _says(self._own(label), "magnetic" if stem == "b" else "velocity"))
            )
        ]
        fitting = [label for label in vectors if self.frame(label) in ("", *_frames_with(letter))]
        if vectors and not fitting:
            has = ", ".join(f"{label} in {self.frame(label)}" for label in vectors)
            raise NotUnderstood(f"there is no {what}: {has} has no {letter} component")
        if len(fitting) > 1:
            fitting = [self.ask(f"{what} of which one?", fitting)]
        return [f"{label}.{letter}" for label in fitting]

    def _magnitudes(self, drawn: list[str]) -> list[str]:
        return _first(
            drawn,
            lambda label: self.gives().get(label, {}).get("tool_name") == "magnitude",
            lambda label: ABS_B in self._quantities(label),
            lambda label: bool(re.search(r"mag(?:nitude)?$|total$|strength$|abs_?b$", label.casefold())),
            lambda label: _says(self._own(label), "magnitude"),
            lambda label: ABS_B in self._quantities(label, inherited=True),
        )

    def _pairs(self, label: str) -> list[tuple[str, str]]:
        """The datasets and parameters that a fetched label may be."""
        step = self.gives().get(label, {})
        args = step.get("tool_args") or {}
        if step.get("tool_name") != "fetch_data":
            return []
        parameters = args.get("parameters")
        if isinstance(parameters, list):
            dataset = str(args.get("dataset_id", ""))
            return [
                (dataset, name) for name in parameters if label == f"{dataset}.{name}" or len(parameters) == 1
            ]
        return list(fetched(args))

    def _sources(self, label: str) -> list[str]:
        """The labels from which a label is made."""
        gives = self.gives()
        step = gives.get(label, {})
        signature = signatures().get(str(step.get("tool_name")))
        if signature is None or step.get("tool_name") == "fetch_data":
            return []
        found = (owner(read, gives) for _, read in read_labels(signature, step.get("tool_args") or {}))
        return [source for source in dict.fromkeys(found) if source is not None and source != label]

    def _quantities(self, label: str, *, inherited: bool = False) -> set[str]:
        """What the table of quantities calls a label."""
        step, sources = self.gives().get(label, {}), self._sources(label)
        if step.get("tool_name") == "magnitude":
            of_field = any(B in self._quantities(source, inherited=True) for source in sources)
            return {ABS_B} if of_field else set()
        pairs = self._pairs(label)
        found = {
            source.quantity
            for source in SOURCES
            if any(source.dataset == dataset and name in source.parameters for dataset, name in pairs)
        }
        if inherited and not found:
            found = found.union(*(self._quantities(source, inherited=True) for source in sources))
        if step.get("tool_name") == "join_components":
            stem = str((step.get("tool_args") or {}).get("name", ""))
            found |= {"B": {B}, "V": {VELOCITY}}.get(stem, set())
        return found

    def _own(self, label: str) -> str:
        """The words of a label itself: its name, and what the catalogue says of the parameter."""
        pairs = self._pairs(label)
        described = []
        for dataset, parameter in pairs:
            if dataset in self.catalogue:
                try:
                    described.append(self.catalogue.dataset(dataset).parameter(parameter).description)
                except UnknownParameter:
                    continue  # it has its name alone, and the gate tells of it
        # the words of a dataset's id are of all its parameters
        name = "" if any(label == f"{dataset}.{parameter}" for dataset, parameter in pairs) else label
        return " ".join([name, *(parameter for _, parameter in pairs), *described]).casefold()

    def _said(self, label: str) -> str:
        """The words of the step that gives a label, where it gives no other."""
        gives = self.gives()
        step = gives.get(label, {})
        if sum(given is step for given in gives.values()) > 1:
            return ""
        return f"{step.get('intent', '')} {step.get('tool_name', '')}".replace("_", " ").casefold()

    def _inherited(self, label: str) -> str:
        return " ".join(
            f"{self._own(source)} {self._said(source)} {self._inherited(source)}"
            for source in self._sources(label)
        )

    def is_vector(self, label: str) -> bool:
        """Whether a label has components, as far as can be known without running anything."""
        step = self.gives().get(label, {})
        tool, args = step.get("tool_name"), step.get("tool_args") or {}
        if tool == "fetch_data":
            for dataset, parameter in self._pairs(label):
                if dataset in self.catalogue:
                    entry = self.catalogue.dataset(dataset)
                    found = next((known for known in entry.parameters if known.name == parameter), None)
                    if found is not None:
                        return found.size in ((3,), (4,))
            return False
        if tool in ("magnitude", "components", None):
            return False
        source = args.get("source_label")
        return tool == "join_components" or (isinstance(source, str) and self.is_vector(source))


def _first(drawn: list[str], *ways: Callable[[str], bool]) -> list[str]:
    """Return the lines that pass the first test that any line passes."""
    return next((found for way in ways if (found := list(filter(way, drawn)))), [])


def _frames_with(letter: str) -> tuple[str, ...]:
    return ("RTN",) if letter in "rtn" else TURNABLE


def _says(text: str, words: str) -> bool:
    """Whether a text has all of some words, each a whole word, in the singular or the plural.

    >>> _says("proton density", "densities"), _says("proton density", "it")
    (True, False)
    """
    return all(
        re.search(rf"(?<![a-z0-9]){stem}(?:s|es|y|ies)?(?![a-z0-9])", text)
        for word in words.split()
        for stem in [re.escape(re.sub(r"(?<=\w\w\w)(?:ies|y|s)$", "", word))]
    )
