"""Find the lines that a figure draws, and the lines that words of a sentence mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping, Sequence
from functools import cached_property
from itertools import chain, groupby
from operator import attrgetter
from typing import Any

from helio.authoring.fetches import FETCH, fetch_choices, fetch_pairs
from helio.authoring.outcome import NotUnderstood
from helio.authoring.rules.changes.atom_values import DASHES
from helio.authoring.rules.changes.atoms import COUNT
from helio.authoring.rules.changes.line_names import (
    COLOURED,
    COMPONENT,
    DESCRIBED,
    FRAME_WORDS,
    GENERAL_NOUN,
    INSTRUMENT,
    MOMENTS,
    ORIGIN,
    PART,
    QUALIFIED,
    SPECTROGRAMS,
    SYMBOL,
    first,
    says,
)
from helio.authoring.rules.reading.named import names_of_spacecraft
from helio.authoring.writing.asking import EVERY, Asks
from helio.authoring.writing.computations import DERIVED, MAGNITUDE_OF
from helio.errors import UnknownParameter
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.missions import instrument_names
from helio.knowledge.quantities import ABS_B, SOURCES, B, QuantitySource, spellings
from helio.knowledge.quantities import VECTOR_V as VELOCITY
from helio.knowledge.quantities import V as SPEED
from helio.knowledge.quantity_words import INDICES, VECTORS, WORDS
from helio.patterns import ignoring_case
from helio.pipelines.analyses.quantities import tables_read
from helio.pipelines.dialect.template_in import template_in, view_in
from helio.pipelines.dialect.written import object_of, spec_of
from helio.pipelines.template.diagnostics import StepId
from helio.pipelines.template.document import Document
from helio.pipelines.template.figures import complete_labels, figures_meant
from helio.pipelines.template.graph import Graph, StepView, graph_of
from helio.pipelines.template.labels import owner
from helio.pipelines.template.template import Step
from helio.steps.foreseen import EVERY_KIND, NOTHING_KNOWN, Foreseen, foreseen
from helio.steps.signature import signatures

PRONOUNS = ("it", "this", "that", "them", "these", "those")
_MAGNITUDES = (
    "magnitude", "magnitudes", "|b|", "total field", "field strength", "magnitude line", "strength", "strengths",
    "field strengths",
)  # fmt: skip
AVERAGES = ("running_average", "running_median", "resample")
"""Tools that people call by the same words: averages."""
_CLEANING = ("mask_by_flag", "mask", "despike", "convert_units")
"""Tools that leave out values or convert their unit; what they give is the quantity of their first input."""
_KEEPING = (*_CLEANING, *AVERAGES, "align", "transform_frame", "interpolate")
"""Tools that give the quantity of their first input."""
_OF_ANY_QUANTITY = ("arithmetic", "rescale", "magnitude")
"""Tools that compute some of helio's quantities, and much else."""
JOINED = {"B": B, "V": VELOCITY}
"""Quantities of vectors that are joined of components, by the name that they get."""
_LETTERS = {"RTN": "rtn", "LMN": "LMN", "": "xyzrtn"}
"""Names of the components of vectors in frames; in all others they are x, y and z."""
_NOTHING = view_in({}, {})
_KINDS = {(): "scalar", (1,): "scalar", (2,): "vector", (3,): "vector", (4,): "vector"}
"""Kinds of parameters by the sizes of their records; all others are spectra."""


_ROWS = {
    dataset: [*rows]
    for dataset, rows in groupby(sorted(SOURCES, key=attrgetter("dataset")), key=attrgetter("dataset"))
}
"""Rows of helio's table of quantities by their datasets."""
_MOMENT_OF = {"n": "density", "t": "temperature"}
"""The moments that single letters mean, if no line has this name."""
_FIELD_IN = re.compile(r"B_?(?P<frame>GSE|GSM|RTN)")
"""Names of magnetic fields in a frame, of datasets that the catalogue lacks: ``BGSM``."""
_NO_LINE = ignoring_case(
    rf"all\s+(?:{COUNT})|(?:the\s+)?(?:(?:away|towards?)\s+sectors?|(?:(?:milli)?second|minute|hour|day|epoch)s?|data)"
)
"""Words that name no line: numbers, units of time, sectors of the field, and ``data``."""
_STARRED = re.compile(r"\b(Dst|SYM-?H)\s?\*", re.IGNORECASE)
_MAGNITUDE = re.compile(r"\b(?:magnitude|strength)s?\b")
_SMOOTHED = re.compile(r"(?:smoothed|averaged|running (?:average|mean) of(?: the)?)(?:\s+(.+))?")


class Lines:
    """The lines in a template's figures, and functions that find lines by words.

    Parameters
    ----------
    template : Document
    catalogue : Catalogue
        Describes parameters and their sizes.
    ask : callable
        Asks which of several lines is meant.
    """

    def __init__(self, template: Document, catalogue: Catalogue, ask: Asks) -> None:
        self.catalogue = catalogue
        self.ask = ask
        self._template = template

    @cached_property
    def _steps(self) -> tuple[Step, ...]:
        return template_in(self._template).steps

    @cached_property
    def _figures_meant(self) -> dict[StepId, list[StepId]]:
        return figures_meant(self._steps)

    @cached_property
    def graph(self) -> Graph[StepView]:
        """The steps of the template and the tables between them."""
        return graph_of(self._steps, signatures())

    @cached_property
    def producers(self) -> dict[str, StepView]:
        """Map each label to the step that makes it."""
        return {label: steps[-1] for label, steps in self.graph.producers.items()}

    def styles(self, figure: Document) -> list[Document]:
        """Return the style steps that change the settings of a figure."""
        return [
            step
            for step in self._template["steps"]
            if self._figures_meant.get(step.get("step_id")) == [figure["step_id"]]
        ]

    def spec(self, figure: Document) -> Document:
        """Return the settings of a figure, including the changes that style steps make."""
        spec: Document = {}
        for step in (figure, *self.styles(figure)):
            spec |= spec_of(step) or {}
        return spec

    def panels(self, figure: Document) -> list[list[str]]:
        """Return the labels that each panel of a figure draws; empty if the figure has no list of panels."""
        panels: Any = self.spec(figure).get("panels")
        return panels if isinstance(panels, list) else []

    def drawn(self, figure: Document) -> list[str]:
        """Return every label that a figure draws."""
        return list(dict.fromkeys(complete_labels(self.spec(figure)))) or list(self.producers)

    def meant(self, what: str, figure: Document, *, by_craft: bool = False) -> list[str]:
        """Find the lines in a figure that the words `what` mean, and return the labels of these lines.

        The line's own words count first, then those of its step, then those of its sources. Only whole words count.

        Parameters
        ----------
        by_craft : bool
            Let a spacecraft's name mean its scalar lines, where it has some: one colour for a vector would make its
            components alike.
        """
        if _NO_LINE.fullmatch(what.strip()):
            return []
        what = _STARRED.sub(r"pressure-corrected \1", what)
        drawn, names = self.drawn(figure), self.spec(figure).get("trace_names") or {}
        shown = [line for line in drawn if str(names.get(line, "")).casefold() == what.casefold().strip()]
        if shown and what.casefold().strip() not in spellings():
            return shown
        if listed := self._listed(what, figure, self._titled):
            return listed
        if spectrograms := SPECTROGRAMS.fullmatch(what.strip()):
            of, lines = (spectrograms["of"] or "").casefold(), self._spectrograms(figure)
            if spectrograms["power"]:
                lines = [line for line in lines if self.step(line).tool == "power_spectrogram"]
            if coloured := [line for line in lines if not of or says(self.own_words(line), of)]:
                return coloured
        if origin := ORIGIN.fullmatch(what.strip()):
            how, of = (origin["how"] or origin["by"]).casefold(), origin["what"] or origin["of"]
            if found := self._of_origin(how, of, figure):
                return found
            what = of if how == "measured" and origin["how"] else what
        described = DESCRIBED.fullmatch(what.strip())
        if described is None:
            meant = self._meant(what.casefold().strip(), what, drawn, by_craft)
            meant = meant or self._shown_as(what.casefold().strip(), figure)
            return meant or self._listed(what, figure, self.meant)
        words = described["look"] or described["words"]
        return self._of_look(words.casefold(), self.spec(figure), drawn) or self._described(
            words, drawn, by_craft
        )

    def _listed(self, what: str, figure: Document, find: Callable[[str, Document], list[str]]) -> list[str]:
        """Return the lines that a list such as ``AE/AL/AU`` or ``AL AU`` names; nothing if a name fits no line."""
        symbols = all(map(SYMBOL.search, what.split()))
        names = re.split(r"\s*[/,]\s*|\s+" if symbols else r"\s*[/,]\s*", what)
        named = [find(name, figure) for name in names if len(names) > 1]
        return list(dict.fromkeys(line for lines in named for line in lines)) if all(named) else []

    def _titled(self, name: str, figure: Document) -> list[str]:
        """Return the lines with a label or a name in the legend, which is that of no spacecraft and no instrument."""
        drawn, names = self.drawn(figure), self.spec(figure).get("trace_names") or {}
        if name.casefold() in spellings() or self.of_instrument(name, drawn):
            return []
        return [
            line for line in drawn if name.casefold() in f"{line}\n{names.get(line)}".casefold().split("\n")
        ]

    def _shown_as(self, words: str, figure: Document) -> list[str]:
        """Return the lines with a name in the legend, or of the panels with a name at the axis, that has all words."""
        spec = self.spec(figure)
        names = spec.get("trace_names") or {}
        axes = object_of(spec.get("y_label"))
        plain = {str(number): re.sub(r"\[.*\]", "", str(axis)).casefold() for number, axis in axes.items()}
        named = [line for line, name in names.items() if says(str(name).casefold(), words)]
        return named or [
            line
            for number, panel in enumerate(self.panels(figure), 1)
            if says(plain.get(str(number), ""), words)
            for line in panel
        ]

    def _of_origin(self, how: str, what: str, figure: Document) -> list[str]:
        """Return the lines of which their words, or the legend, say how they are known: ``the assumed beta``."""
        names = self.spec(figure).get("trace_names") or {}
        told = {
            line: f"{self.own_words(line)} {names.get(line, '')}".casefold() for line in self.drawn(figure)
        }
        return [line for line, text in told.items() if says(text, f"{how} {what}".casefold())]

    def _spectrograms(self, figure: Document) -> list[str]:
        """Return the lines of the panels that a figure draws as spectrograms."""
        types = self.spec(figure).get("panel_types")
        panels = self.panels(figure)
        if not isinstance(types, list):
            return [line for panel in panels if any(map(self._is_spectrogram, panel)) for line in panel]
        pairs = zip(panels, types, strict=False)
        return [line for panel, kind in pairs if kind == "spectrogram" for line in panel]

    def _is_spectrogram(self, label: str) -> bool:
        """Return whether a label is a spectrum, or may be one because it is computed from one."""
        of_spectrum = self.may_have_colours(label) and any(map(self.has_colours, self.behind(label)))
        return self.has_colours(label) or of_spectrum

    def _described(self, words: str, drawn: list[str], by_craft: bool) -> list[str]:
        """Return the lines that a word before ``one`` means: those in a frame, or those that it names."""
        framed = [line for line in drawn if self.frame(owner(line, self.producers) or line) == words.upper()]
        return framed or self._meant(words.casefold(), words, drawn, by_craft)

    def _of_look(self, look: str, spec: Document, drawn: list[str]) -> list[str]:
        """Return the lines that a figure draws in a colour or with dashes."""
        colours, styles = spec.get("trace_colors") or {}, spec.get("line_styles") or {}
        colour = re.sub(r"[\s-]+", "", look)
        return [
            line
            for line in drawn
            if str(colours.get(line, "")).casefold() == colour
            or (look in DASHES and (styles.get(line) or {}).get("dash") == DASHES[look])
        ]

    def one_or_all(self, what: str, figure: Document, *, by_craft: bool = False) -> list[str]:
        """Return the lines that words mean; ask the user if a singular noun could mean several lines."""
        lines = self.meant(what, figure, by_craft=by_craft)
        plain = what.casefold().strip()
        plural = (
            re.search(r"^(?:both|all|every)\b|s$", plain)
            or plain in spellings()
            or self.of_instrument(what, lines)
        )
        if len(lines) < 2 or plural or plain in PRONOUNS or lines == self._listed(what, figure, self.meant):
            return lines
        answer = self.ask(f"Which line do you mean by '{what}'?", [*lines, EVERY])
        return lines if answer == EVERY else [answer]

    def of_instrument(self, what: str, drawn: Sequence[str]) -> list[str]:
        """Return the lines of the data of an instrument that words name, as ids of datasets do."""
        name = what.strip()
        others = {*spellings(), *FRAME_WORDS.split("|")}
        if not INSTRUMENT.fullmatch(name) or name.casefold() in others:
            return []
        return [
            label
            for label in drawn
            if any(
                name in re.split("[_-]", dataset) or name.upper() in instrument_names(dataset)
                for dataset in self._measured(label)
            )
        ]

    def _measured(self, label: str) -> set[str]:
        """Return the datasets that a line shows: those behind the first input of each step."""
        table = owner(label, self.producers) or label
        step = self.step(table)
        if step.tool == FETCH:
            return {dataset for dataset, _ in self.pairs(table)}
        main = step.signature.tables[:1] if step.signature else ()
        reads = [read.label for given in main for read in step.inputs.get(given.parameter, ())]
        return set[str]().union(*map(self._measured, reads))

    def frame(self, label: str) -> str:
        """Return the frame of a label's data if it is known before a run; otherwise an empty text."""
        return self._foreseen(label).frame or ""

    def crafts(self, label: str) -> set[str]:
        """Return the spacecraft from which the data of a label come."""
        datasets = [dataset for dataset, _ in self.pairs(label) if dataset in self.catalogue]
        crafts = {self.catalogue.summary(dataset).spacecraft for dataset in datasets}
        clock = owner(str(self.step(label).params.get("onto_label")), self.producers)  # gives only its epochs
        sources = [source for source in self._sources(label) if source != clock]
        return crafts.union(*(self.crafts(source) for source in sources))

    def quantities(self, label: str) -> set[str]:
        """Return the quantities of helio's table from which the data of a label come."""
        return self._quantities(label) | self._quantities(label, inherited=True)

    def unit(self, label: str) -> str:
        """Return the unit of a label's data if it is known before a run; otherwise an empty text."""
        return self._foreseen(label).unit or ""

    def behind(self, line: str) -> list[str]:
        """Return the labels from which a line is computed, and its own label."""
        labels, queue = [], [owner(line, self.producers) or line]
        while queue:
            label = queue.pop()
            if label in labels or label not in self.producers:
                continue
            labels.append(label)
            queue += [owner(read, self.producers) or read for read in self.producers[label].labels]
        return labels

    def own_quantities(self, label: str) -> set[str]:
        """Return the quantities that a label's data are, not those of its sources."""
        return self._quantities(owner(label, self.producers) or label)

    def is_vector(self, label: str) -> bool:
        """Return whether the table of a label is a vector, if this is known before a run."""
        return self._foreseen(label).kinds == {"vector"}

    def has_colours(self, label: str) -> bool:
        """Return whether a figure draws a label in colours, as it draws a spectrogram; false if this is not known."""
        return self._foreseen(label).kinds == {"spectrum"}

    def may_have_colours(self, label: str) -> bool:
        """Return whether a figure may draw a label in colours, as it draws a spectrogram; true if this is not known."""
        return "spectrum" in self._foreseen(label).kinds

    def _foreseen(self, label: str) -> Foreseen:
        table = owner(label, self.foreseen)
        if table is None:
            return NOTHING_KNOWN
        return self.foreseen[table] if table == label else self.foreseen[table].component()

    @cached_property
    def foreseen(self) -> Mapping[str, Foreseen]:
        """The unit, frame and kind of every table of the template, as far as they are known before a run."""
        known: dict[str, Foreseen] = {}
        for step in self.graph.order:
            tool = step.signature
            if step.tool == FETCH:
                known |= {label: self._fetched(label) for label in step.outputs}
            elif tool is not None and tool.gives == "table" and step.step.for_each is None:
                tables = {
                    parameter: [read.known for read in reads]
                    for parameter, reads in tables_read(step, known).items()
                }
                known |= dict.fromkeys(step.outputs, foreseen(tool, step.params, tables))
        return known

    def _fetched(self, label: str) -> Foreseen:
        """Return what the catalogue and the table of quantities say alike of all choices of a fetch."""
        pairs = self.pairs(label)
        rows = self._rows(pairs)
        frames = {row.frame for row in rows}
        parameters = [
            parameter
            for dataset, name in pairs
            if dataset in self.catalogue
            for parameter in self.catalogue.dataset(dataset).parameters
            if parameter.name == name
        ]
        fields = [match for match in map(_FIELD_IN.fullmatch, self._unlisted(pairs)) if match]
        frames |= {match["frame"] for match in fields}
        units = {parameter.canonical_unit for parameter in parameters}
        kinds = {_KINDS.get(parameter.size, "spectrum") for parameter in parameters}
        kinds = kinds or {"vector" for row in rows if row.quantity in VECTORS} or {"vector" for _ in fields}
        return Foreseen(
            units.pop() if len(units) == 1 else None,
            frames.pop() if len(frames) == 1 else None,
            frozenset(kinds) or EVERY_KIND,
        )

    def _unlisted(self, pairs: Sequence[tuple[str, str]]) -> list[str]:
        """Return the parameters of datasets that the catalogue lacks, such as real-time data."""
        return [name for dataset, name in pairs if dataset not in self.catalogue]

    def _meant(self, plain: str, what: str, drawn: list[str], by_craft: bool) -> list[str]:
        every = re.match(r"(?:both|all)\s", plain)
        plain = re.sub(r"^(?:(?:both|all|the|of)\s+)+", "", plain).strip()
        bare = GENERAL_NOUN.sub("", plain)
        exact = [label for label in drawn if label.casefold() in (plain, bare)] or [
            label
            for label in drawn
            if plain not in _MAGNITUDES and any(name.casefold() == plain for _, name in self.pairs(label))
        ]
        if exact:
            plural = plain.endswith("s") and not re.search(r"\w[A-Z]", what)  # VBs is a symbol
            alike = [label for label in drawn if says(self.own_words(label), plain)]
            if plural and not every:
                alike = [label for label in alike if self.has_colours(label) is self.has_colours(exact[0])]
            return (alike or exact) if every or plural else exact
        moments = MOMENTS.fullmatch(_MOMENT_OF.get(plain, plain))
        of_moment = self._of_moment(moments["stem"], drawn) if moments else []
        if moments and moments["plural"] and len(of_moment) > 1:
            return of_moment
        if plain in PRONOUNS:
            return drawn if len(drawn) < 2 else [self.ask(f"Which line do you mean by '{what}'?", drawn)]
        if measured := self.of_instrument(what, drawn):
            return measured
        by = re.fullmatch(r"(?P<what>.+?)\s+of\s+(?:the\s+)?(?P<instrument>\S+)", what.strip())
        if by and (measured := self.of_instrument(by["instrument"], drawn)):
            return self._meant(by["what"].casefold(), by["what"], measured, by_craft)
        if craft := re.fullmatch(rf"({names_of_spacecraft()})(?:\s+(.+))?", plain):
            lines = self._of_craft(spellings()[craft[1]], drawn)
            if craft[2]:
                return self._meant(craft[2], what, lines, by_craft)
            scalars = [label for label in lines if not self.is_vector(label)] if by_craft else []
            return scalars or lines
        if smoothed := _SMOOTHED.fullmatch(plain):
            lines = [label for label in drawn if self.step(label).tool in AVERAGES]
            if not smoothed[1]:
                return lines
            if letter := re.fullmatch(r"[bv]_?([xyzrtn])", smoothed[1]):
                return [label for label in lines if self._reads(label, smoothed[1], letter[1])]
            return self._meant(smoothed[1], smoothed[1], lines, by_craft) if lines else []
        if framed := re.fullmatch(rf"(?P<what>.+?)\s+(?:in\s+)?(?P<frame>{FRAME_WORDS})", plain):
            lines = self._meant(framed["what"], framed["what"], drawn, by_craft)
            return [line for line in lines if self._is_in(line, framed["frame"].upper())]
        if component := re.fullmatch(r"(b|v)_?([xyzrtnlm])", plain):
            if plain == "bt" and not any(self.frame(label) == "RTN" for label in drawn):
                return self._magnitudes(drawn)
            return self._component_of(what, component[1], component[2], drawn)
        if component := re.fullmatch(r"(j|e)_?([xyzlmn])", plain):
            return self._parts(what, component[2], self._meant(component[1], component[1], drawn, False))
        if part := PART.fullmatch(plain):
            words = part["of"] or part["what"] or part["along"]
            of = self._meant(words, words, drawn, False) if words else drawn
            return self._parts(what, (part["axis"] or part["radial"] or plain)[0], of)
        if re.fullmatch(r"(?:(?:three|vector|field|b|single|individual)\s+)*(?:components?|vectors?)", plain):
            of_field = re.search(r"\b(?:field|b)\b", plain) is not None
            tables = {label: owner(label, self.producers) or label for label in drawn}
            lines = [label for label in drawn if not of_field or self._is_of(tables[label], "b")]
            vectors = [label for label in lines if self.is_vector(tables[label])]
            whole = [label for label in lines if "vector" in self._foreseen(label).kinds] if of_field else []
            return vectors or [label for label in lines if COMPONENT.search(label.casefold())] or whole
        if plain in _MAGNITUDES:
            return self._magnitudes(drawn)
        if plain in ("indices", "geomagnetic indices"):
            return [label for label in drawn if self.quantities(label) & set(INDICES)]
        if re.fullmatch(r"plasma(?: (?:parameters?|data|moments?|quantities))?", plain):
            return []  # no single line: beta, whose name has the word, is not what it means
        texts = (plain, what.strip())
        spelt = (row.quantity for row in WORDS if any(map(ignoring_case(row.pattern).fullmatch, texts)))
        quantity = next(spelt, B if plain in ("field", "fields") else "")
        if "spectrogram" in quantity:  # that of electrons is not that of ions
            others = {row.quantity for row in SOURCES if "spectrogram" in row.quantity} - {quantity}
            drawn = [label for label in drawn if not self.own_quantities(label) & others]
        found = first(
            drawn,
            lambda label: quantity in self._quantities(label),
            lambda label: says(self.own_words(label), plain),
            lambda label: quantity == VELOCITY and SPEED in self._quantities(label),
            lambda label: says(f"{self.own_words(label)} {self._datasets(label, own=True)}", plain),
            lambda label: self.step(label).tool in _KEEPING and self._comes_from(label, quantity),
        )
        found = found or self._of_species(plain, drawn)
        found = found or first(
            [label for label in drawn if self._is_of_one(label) or quantity not in self.quantities(label)],
            lambda label: says(self._step_words(label), plain),
            lambda label: self._comes_from(label, quantity),
            lambda label: says(self.all_words(label), plain),
            lambda label: says(f"{self.all_words(label)} {self._datasets(label)}", plain),
            lambda label: (
                bool(QUALIFIED.match(plain)) and says(self.own_words(label), QUALIFIED.sub("", plain))
            ),
            lambda label: bool(COLOURED.search(plain)) and self._is_coloured(label, COLOURED.sub("", plain)),
            lambda label: says(f"{self.step(label).id} {self.step(label).step.intent}".casefold(), plain),
            lambda label: quantity in self.derived(label),
        )
        if quantity == B and found and not any(map(self.is_vector, found)):  # the field of Bz and |B| is both
            found = list(dict.fromkeys((*found, *self._magnitudes(drawn))))
        if moments and moments["stem"] in ("densit", "temperatur") and {*found} < {*of_moment}:
            units = {self.unit(label) for label in found}  # of ions or of electrons
            found = [label for label in of_moment if label in found or self.unit(label) in units]
        words = plain.split()
        if len(words) > 1 and found and all(says(self._step_words(label), plain) for label in found):
            named = [label for label in drawn if any(says(label.casefold(), word) for word in words)]
            if named and not set(named) & set(found) and not quantity:  # the towards spiral
                return [self.ask(f"Which line do you mean by '{what}'?", [*found, *named])]
        if _MAGNITUDE.search(plain):  # a vector is not its magnitude
            found = [label for label in found if not self.is_vector(label)]
        if MOMENTS.search(plain):  # beta, of which a step says that it is a ratio of pressures, is none
            united = [label for label in found if self._foreseen(label).unit != ""]
            return united if MOMENTS.fullmatch(plain.split()[-1]) else united or found
        return found

    def _of_species(self, plain: str, drawn: list[str]) -> list[str]:
        """Return the densities or temperatures of electrons, or of others, if lines of both are drawn."""
        moment = re.fullmatch(r"(?P<of>electron|ion|proton)s?\s+(?P<what>densit\w+|temperatures?)", plain)
        lines = self._meant(moment["what"], moment["what"], drawn, False) if moment else []
        of_electrons = {
            line for line in lines if any(name.startswith("electron") for name in self.quantities(line))
        }
        if moment is None or len(of_electrons) in (0, len(lines)):
            return []
        return [line for line in lines if (line in of_electrons) is (moment["of"] == "electron")]

    def _of_moment(self, stem: str, drawn: list[str]) -> list[str]:
        """Return the lines whose quantity, or else whose words, are a moment such as a density."""
        moment = re.compile(rf"\b{stem}(?:y|e)?\b")
        told = {label: self.own_quantities(label) or [self.own_words(label)] for label in drawn}
        for label in drawn:  # an average stands for its line, unless that is drawn, too
            if self._is_of_one(label) and {*self.behind(label), label}.isdisjoint({*drawn} - {label}):
                told[label] = self._quantities(label, inherited=True) or told[label]
        return [label for label in drawn if any(map(moment.search, told[label]))]

    def computed_from(self, what: str, figure: Document) -> list[str]:
        """Return the lines of a figure that are computed from what words mean: the beta for ``density``."""
        meant = {*self._meant(what.casefold().strip(), what, list(self.producers), False)}
        return [line for line in self.drawn(figure) if meant.intersection(self.behind(line))]

    def _comes_from(self, label: str, quantity: str) -> bool:
        """Return whether the data of a label are computed from a quantity, and from no other one."""
        return self._is_of_one(label) and quantity in self._quantities(label, inherited=True)

    def _is_of_one(self, label: str) -> bool:
        """Return whether a label is computed from one quantity: a smoothed density is, the plasma beta is not."""
        main = owner(
            str(self.step(label).params.get("series_label")), self.producers
        )  # not its flags or events
        sources = self._sources(label) if main is None else [main]
        kinds = {frozenset(self._quantities(source, inherited=True)) or source for source in sources}
        return len(kinds) < 2 and all(map(self._is_of_one, sources))

    def _is_coloured(self, label: str, words: str) -> bool:
        """Return whether a figure may draw a label in colours, and words name it, its datasets or their titles."""
        known = {dataset for dataset, _ in self.pairs(label) if dataset in self.catalogue}
        titles = " ".join(self.catalogue.summary(dataset).title for dataset in sorted(known)).casefold()
        told = f"{self.all_words(label)} {self._datasets(label)} {titles}"
        return self.may_have_colours(label) and says(told, words)

    def _datasets(self, label: str, *, own: bool = False) -> str:
        """Return the ids of the datasets from which a label comes, or which it is of, and their instruments."""
        labels = [label] if own else [label, *self._sources(label)]
        ids = [dataset for name in labels for dataset, _ in self.pairs(name)]
        return " ".join(word for name in ids for word in (name, *instrument_names(name))).casefold()

    def _reads(self, label: str, words: str, letter: str) -> bool:
        """Return whether a step reads the component or the quantity that words mean."""
        read = self.step(label).labels
        if letter:
            return any(re.search(rf"[._]?[bv]?_?{letter}(?:_\w+)?$", name.casefold()) for name in read)
        return bool(self._meant(words, words, list(self._sources(label)), False))

    def _of_craft(self, craft: str, drawn: list[str]) -> list[str]:
        """Return the lines with data of only this spacecraft; if none, lines with some of its data or its name."""
        crafts = {label: self.crafts(owner(label, self.producers) or label) for label in drawn}
        return first(
            drawn,
            lambda label: crafts[label] == {craft},
            lambda label: craft in crafts[label],
            lambda label: says(self.own_words(label), craft.casefold()),
        )

    def _component_of(self, what: str, stem: str, letter: str, drawn: list[str]) -> list[str]:
        """Return the lines that a component such as ``bz`` means; ask the user if it could mean several lines."""
        pattern = re.compile(rf"(?:^|[_.]){stem}_?{letter}(?:_(?:{FRAME_WORDS}))?$")

        def is_component(label: str, made: str) -> bool:
            names = self.step(made).params.get("keep")  # of a step that takes one component of a vector
            is_kept = isinstance(names, list) and [str(name).casefold() for name in names] == [letter]
            is_named = made == label or owner(made, self.producers) == made  # no part of a vector
            return (is_named and bool(pattern.search(made.casefold()))) or (
                is_kept and self._is_of(label, stem)
            )

        lone = first(
            drawn,
            lambda label: is_component(label, label),
            lambda label: is_component(label, self.source(label, _KEEPING)),
        )
        if lone:
            return self._chosen(what, lone)
        table = {label: owner(label, self.producers) or label for label in drawn}
        return self._parts(what, letter, [label for label in drawn if self._is_of(table[label], stem)], stem)

    def _is_in(self, label: str, frame: str) -> bool:
        """Return whether the data of a line are in a frame, as far as this is known before a run."""
        return self.frame(owner(label, self.producers) or label) in ("", frame)

    def _parts(self, what: str, letter: str, lines: Sequence[str], stem: str = "") -> list[str]:
        """Return the component of a vector among lines; ask of which of several vectors."""
        apart = [
            label
            for label in lines
            if re.search(rf"(?:^|[_.])[bv]_?{letter}(?:_(?:{FRAME_WORDS}))?$", label.casefold())
            or (label.casefold().endswith(f".{letter}") and owner(label, self.producers) != label)
        ]
        vectors = [label for label in lines if self.is_vector(label)]
        letters = {label: _LETTERS.get(self.frame(label), "xyz") for label in vectors}
        found = apart or [
            f"{label}.{axes[at]}"
            for label, axes in letters.items()
            if (at := axes.casefold().find(letter)) >= 0
        ]
        if letters and not found:
            has = ", ".join(f"{label} in {self.frame(label)}" for label in vectors)
            raise NotUnderstood(
                f"the figure has no {what}: {has} has no {letter} component",
                advice=f"say {', '.join(stem.upper() + axis for axis in letters[vectors[0]])} or the name of a line",
            )
        return self._chosen(what, found)

    def _chosen(self, what: str, found: list[str]) -> list[str]:
        """Return all of several lines if words are in the plural; otherwise ask which one is meant."""
        if len(found) < 2 or ignoring_case(r"(?:both|all)\b|.*\bcomponents\b").match(what):
            return found
        answer = self.ask(f"Which {what} do you mean?", [*found, EVERY])
        return found if answer == EVERY else [answer]

    def _is_of(self, label: str, stem: str) -> bool:
        """Return whether a vector is a magnetic field (`stem` is ``b``) or a velocity (`stem` is ``v``)."""
        if self.unit(label) not in ("", "nT" if stem == "b" else "km/s"):
            return False
        quantities = self._quantities(label, inherited=True)
        if quantities:
            return (B if stem == "b" else VELOCITY) in quantities
        return bool(re.search(rf"(?:^|[_.]){stem}(?:[a-z]*)$", label.casefold())) or says(
            self.own_words(label), "magnetic" if stem == "b" else "velocity"
        )

    def _magnitudes(self, drawn: list[str]) -> list[str]:
        return first(
            drawn,
            lambda label: ABS_B in self._quantities(label),
            lambda label: self.step(label).tool == "magnitude",
            lambda label: bool(re.search(r"mag(?:nitude)?$|total$|strength$|abs_?b$", label.casefold())),
            lambda label: says(self.own_words(label), "magnitude"),
            lambda label: ABS_B in self._quantities(label, inherited=True),
        )

    def step(self, label: str) -> StepView:
        """Return the step that makes a label or its table, or an empty step if no step does."""
        return self.producers.get(owner(label, self.producers) or label, _NOTHING)

    def source(self, line: str, tools: Container[str]) -> str:
        """Return the label from which a line is made by steps with some tools alone; the line if it is not."""
        while (step := self.producers.get(line, _NOTHING)).tool in tools and len(step.labels) == 1:
            line = step.labels[0]
        return line

    def pairs(self, label: str) -> list[tuple[str, str]]:
        """Return the pairs of dataset and parameter from which a fetch may take the data of a label."""
        step = self.step(label)
        if step.tool != FETCH:
            return []
        names = step.params.get("parameters")
        if not names:
            return fetch_pairs(step.params)
        pairs = [(choice.dataset_id, name) for choice in fetch_choices(step.params) for name in names]
        return [pair for pair in pairs if label == ".".join(pair) or len(names) == 1]

    def _sources(self, label: str) -> list[str]:
        """Return the labels from which a label is computed."""
        owners = [owner(read, self.producers) for read in self.step(label).labels]
        return [source for source in dict.fromkeys(owners) if source is not None and source != label]

    def _quantities(self, label: str, *, inherited: bool = False) -> set[str]:
        """Return the quantities that a label's data are, by helio's table of quantities."""
        step, sources = self.step(label), self._sources(label)
        if step.tool in _CLEANING:
            return self._quantities(sources[0], inherited=inherited) if sources else set()
        if step.tool == "magnitude":
            vectors = set[str]().union(*(self._quantities(source, inherited=True) for source in sources))
            return {MAGNITUDE_OF[vector] for vector in vectors & MAGNITUDE_OF.keys()}
        pairs = self.pairs(label)
        quantities = {row.quantity for row in self._rows(pairs)}
        quantities |= {B for name in self._unlisted(pairs) if _FIELD_IN.fullmatch(name)}
        if inherited and not quantities:
            quantities = quantities.union(*(self._quantities(source, inherited=True) for source in sources))
        if step.tool == "join_components":
            stems = {
                str(step.params.get("name")),
                *(str(part)[:1] for part in step.params.get("names") or ()),
            }
            quantities |= {JOINED[name] for name in JOINED if name in stems}
        return quantities

    def derived(self, label: str) -> set[str]:
        """Return the quantity that a label's step computes, by its tool, its settings and its inputs."""
        step, sources = self.step(label), self._sources(label)
        if step.tool in _KEEPING:
            return self.derived(sources[0]) if sources else set()
        if step.signature is None:
            return set()
        settings = {argument.name: argument.default for argument in step.signature.arguments} | dict(
            step.params
        )
        fitting = {
            quantity: recipe
            for quantity, recipe in DERIVED.items()
            if recipe.tool == step.tool and recipe.args.items() <= settings.items()
        }
        most = max((len(recipe.args) for recipe in fitting.values()), default=0)
        fitting = {quantity: recipe for quantity, recipe in fitting.items() if len(recipe.args) == most}
        if len(fitting) < 2 and step.tool not in _OF_ANY_QUANTITY:
            return {*fitting}
        return {
            quantity
            for quantity, recipe in fitting.items()
            if all(
                self._is_quantity(str(settings.get(argument)), part.quantity)
                for argument, part in recipe.takes.items()
            )
        }

    def _is_quantity(self, label: str, quantity: str) -> bool:
        """Return whether the data of a label come from a quantity, or are computed as helio computes it."""
        return quantity in self._quantities(label, inherited=True) or quantity in self.derived(label)

    def _rows(self, pairs: Sequence[tuple[str, str]]) -> list[QuantitySource]:
        """Return the rows of helio's table of some pairs of dataset and parameter."""
        rows = chain.from_iterable(_ROWS.get(dataset, ()) for dataset in dict(pairs))
        return [row for row in rows if any((row.dataset, name) in pairs for name in row.parameters)]

    def own_words(self, label: str) -> str:
        """Return the words that describe a label: its name, and the catalogue's description of its parameter."""
        pairs = self.pairs(label)
        descriptions = []
        for dataset, parameter in pairs:
            if dataset in self.catalogue:
                try:
                    descriptions.append(self.catalogue.dataset(dataset).parameter(parameter).description)
                except UnknownParameter:
                    continue  # the gate reports it
        # the words of a dataset's id are of all its parameters
        name = "" if label in [".".join(pair) for pair in pairs] else label
        step, sources = self.step(label), self._sources(label)
        given = str(step.params.get("give", "")).replace("_", " ")
        same = [self.own_words(sources[0])] if step.tool in _CLEANING and sources else []
        return " ".join(
            [name, given, *(parameter for _, parameter in pairs), *descriptions, *same]
        ).casefold()

    def _step_words(self, label: str) -> str:
        """Return the words of the step that makes a label, if the step makes no other label."""
        step = self.step(label)
        if len(step.outputs) > 1:
            return ""
        return f"{step.step.intent} {step.tool}".replace("_", " ").casefold()

    def all_words(self, label: str) -> str:
        """Return the words that describe a label, its step, and all labels from which it is computed."""
        sources = [self.all_words(source) for source in self._sources(label)]
        return " ".join([self.own_words(label), self._step_words(label), *sources])
