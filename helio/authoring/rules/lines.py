"""What a figure draws, and which of its lines a word means."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from helio.authoring.rules.reading import FRAMES, QUANTITIES, spellings
from helio.authoring.swapping import fetched
from helio.knowledge.catalogue import Catalogue
from helio.pipelines.figures import complete_labels, figures_meant, spec_of
from helio.pipelines.labels import owner, produced_labels
from helio.pipelines.template import Document
from helio.steps.signature import signatures

Asks = Callable[[str, Sequence[str]], str]


_FRAMES = "|".join(one.casefold() for one in FRAMES)


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
        meant = figures_meant(self.template["steps"])
        found: Document = dict(spec_of(figure) or {})
        for one in self.template["steps"]:
            if meant.get(one.get("step_id")) == [figure["step_id"]]:
                found |= spec_of(one) or {}
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

    def known_as(self, label: str) -> str:
        """The words by which a label is known: its own, its step's intent, what it fetches or computes."""
        gives = self.gives()
        base = owner(label, gives) or label
        step = gives.get(base, {})
        args = step.get("tool_args") or {}
        kind = "magnitude" if step.get("tool_name") == "magnitude" else ""
        described = []
        if step.get("tool_name") == "fetch_data":
            for dataset, parameter in fetched(args):
                if dataset in self.catalogue:
                    entry = self.catalogue.dataset(dataset)
                    described += [
                        entry.spacecraft,
                        *(one.description for one in entry.parameters if one.name == parameter),
                    ]
        return " ".join(
            [label, str(step.get("intent", "")), kind, str(args.get("parameter_id", "")), *described]
        ).casefold()

    def meant(self, what: str, figure: Document, among: list[str] | None = None) -> list[str]:
        """The lines that a word means, as a figure addresses them."""
        plain = what.casefold().strip()
        drawn = self.drawn(figure) if among is None else among
        exact = [label for label in drawn if label.casefold() == plain]
        if exact:
            return exact
        names = "|".join(re.escape(one) for one in sorted(spellings(), key=len, reverse=True))
        of_craft = re.fullmatch(rf"({names})\s+(.+)", plain)
        if of_craft:
            craft = spellings()[of_craft[1]].casefold()
            there = [one for one in drawn if craft in self.known_as(one)]
            return self.meant(of_craft[2], figure, among=there)
        component = re.fullmatch(r"(b|v)_?([xyzrtn])", plain)
        if component:
            stem = component[1]
            lone = [
                label
                for label in drawn
                if re.search(rf"(?:^|[_.]){stem}_?{component[2]}(?:_(?:{_FRAMES}))?$", label.casefold())
            ]
            if lone:
                return lone
            wanted = "magnetic" if stem == "b" else "veloc"
            vectors = [
                label
                for label in drawn
                if self.is_vector(label)
                and (
                    wanted in self.known_as(label)
                    or re.search(rf"(?:^|[_.]){stem}(?:[a-z]*)$", label.casefold())
                )
            ]
            vectors = vectors or [label for label in drawn if self.is_vector(label)]
            if len(vectors) > 1:
                vectors = [self.ask(f"{what} of which one?", vectors)]
            return [f"{label}.{component[2]}" for label in vectors]
        if plain in ("magnitude", "|b|", "total field", "field strength", "magnitude line"):
            found = [label for label in drawn if self.gives().get(label, {}).get("tool_name") == "magnitude"]
            found = found or [
                label
                for label in drawn
                if re.search(r"mag(?:nitude)?$|total|strength", self.known_as(label).split(" ")[0])
            ]
        else:
            named = spellings().get(plain)
            texts = {label: self.known_as(label) for label in drawn}
            looked = (named or plain).casefold()
            found = [label for label, text in texts.items() if looked in text]
            if named:  # the lines by which spacecraft are told apart, if there are such
                found = [label for label in found if not self.is_vector(label)] or found
            if not found:
                for quantity, pattern in QUANTITIES:
                    if re.fullmatch(pattern, plain, re.IGNORECASE):
                        found = [
                            label
                            for label, text in texts.items()
                            if re.search(rf"(?<!\w)(?:{pattern})(?!\w)", text, re.IGNORECASE)
                            or quantity in text
                        ]
        return found

    def is_vector(self, label: str) -> bool:
        """Whether a label has components, as far as can be known without running anything."""
        step = self.gives().get(label, {})
        tool, args = step.get("tool_name"), step.get("tool_args") or {}
        if tool == "fetch_data":
            for dataset, parameter in fetched(args):
                if dataset in self.catalogue:
                    entry = self.catalogue.dataset(dataset)
                    found = next((one for one in entry.parameters if one.name == parameter), None)
                    if found is not None:
                        return found.size in ((3,), (4,))
            return False
        if tool in ("magnitude", "components", None):
            return False
        source = args.get("source_label")
        return tool == "join_components" or (isinstance(source, str) and self.is_vector(source))
