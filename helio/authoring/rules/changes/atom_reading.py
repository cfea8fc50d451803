"""Read a sentence about a figure into its typed parts: values, panels, verbs, names of settings and of lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from functools import cache, lru_cache

from helio.authoring.rules.changes.atom_values import (
    COLOURS,
    DASHES,
    NUMBER,
    PANEL_ONLY,
    SHADED,
    take_numbers,
    take_texts,
    take_times,
    take_values,
)
from helio.authoring.rules.changes.atoms import (
    CHANGES,
    COUNT,
    COUNTED,
    PANEL,
    PLACE,
    PLACES,
    Atom,
    Number,
    UnreadWords,
    number_of_text,
)
from helio.authoring.rules.changes.line_names import INSTRUMENT
from helio.authoring.rules.computations.mentions import tool_names
from helio.authoring.rules.harmless import IN_CHANGES
from helio.authoring.rules.reading.named import names_of_spacecraft
from helio.authoring.rules.times.durations import duration_pattern
from helio.knowledge.phrases import TAKEN, any_phrase
from helio.knowledge.quantities import SOURCES, spellings
from helio.knowledge.quantity_words import COMPONENTS, WORDS
from helio.knowledge.vocabulary import VOCABULARY
from helio.patterns import ignoring_case
from helio.steps.signature import signatures

_AND = r"\s*(?:,|;|/|&|and|to|-|–|\.\.+|…)?\s*"
_AND_SO_ON = r"(?:[\s,]*(?:etc\.?|…|\.\.\.))?"
_LETTERS = (
    rf"\b(?:(?:letters?|labels?)\s+)?\(?a\)(?:{_AND}\(?[b-z]\))+{_AND_SO_ON}"
    rf"|(?<!\w)\(a\)(?:{_AND}\([b-z]\))+{_AND_SO_ON}"
    rf"|\b(?:letters?|labels?)\s+a(?:\s*(?:,|/|&|and|to|-|–|\.\.+|…|\s)\s*[b-z])+\b{_AND_SO_ON}"
)
"""Regular expression of the letters of panels: ``(a) and (b)``, ``letters a, b, c``."""
_COUNT = rf"\d{{1,2}}|{COUNT}"
_LEVELS = {
    r"(?:geomagnetic\s+)?storm\s+(?:levels?|thresholds?|classes|categories)": "storms",
    r"flare\s+(?:levels?|classes|class\s+lines)": "flares",
    r"(?:Kp|G|NOAA\s+G)[- ]?(?:levels?|scale)": "Kp",
    r"(?:S|proton|radiation\s+storm)[- ]levels?": "protons",
}
_JOINT = r"(?:of(?:\s+the)?|from(?:\s+the)?|at|the|'s|on)"


_LOOK = rf"(?:{SHADED}|(?:{COLOURS}|{'|'.join(DASHES)}))"
_NOT_DESCRIBED = (
    "other|new|old|same|next|only|right|wrong|whole|first|second|third|last|bigger|larger|smaller"
)
_DESCRIBED = (
    rf"(?<=\bthe )(?!(?:{PLACE}|{_COUNT}|{_NOT_DESCRIBED})\b)[\w|∥⊥-]+\s+ones?\b"
    r"(?!\s+(?:day|hour|minute|min|second|week|month|year|panel|more|by)s?\b)"
    rf"|(?:(?<=\bthe )|(?<=\ball )){_LOOK}\s+(?:lines?|curves?|traces?)\b(?!\s+(?:at|for|to|of|colou?r|style|width)\b)"
)
"""Regular expression of lines by a word that sets them apart: ``the smoothed one``, ``the red line``."""
_LIST = r"\s*(?:,\s*and|,|/|&|and|with|by|-|–|through)\s*"
_NO_ARTICLE = r"(?!a\s+(?:y\s+|log\w*\s+|linear\s+)?(?:range|scale|title|label|axis|limits?|legend|line)\b)"
_LETTER = rf"(?:\((?-i:[a-h])\)|{_NO_ARTICLE}(?-i:[a-h])(?![\w)-]))"
_HELIUM = r"(?<![\w-])(?-i:He)(?=\s*(?:[,&/+]|(?:and|or|too|also|as\s+well|ions?|flux\w*|spectr\w+)\b|$))"
"""Regular expression of helium, which is no person that does something."""
_LETTERED = re.compile(
    rf"\b(?:the\s+)?(?:panels\s+{_LETTER}(?:(?:{_LIST}|\s+to\s+){_LETTER})*|panel\s+{_LETTER})"
    rf"|\((?-i:[a-h])\)(?:{_LIST}\((?-i:[a-h])\))*",
    re.IGNORECASE,
)
"""Panels by their letters: ``panels (a) and (b)``, ``(c)``, ``panel d``, ``panels b to d``."""
_LETTERING = re.compile(
    r"\b(?:letter|label|mark|annotat|number|tag)\w*\b|\betc\b|…|\.\.\."
    r"|\b(?:add|put|use|write|give|with)\b(?=\s+(?:the\s+)?\(?a\))",
    re.IGNORECASE,
)
"""Words of a sentence that gives panels their letters."""
_ALONE = re.compile(
    rf"(?:^|\b(?:remov\w+|drop|delete|hide|omit|lose|kill|keep|leave|show|only|just|swap|exchange|flip|but|except|"
    rf"without|and|make|move|colou?r|take)\s+)(?P<panel>(?:the\s+(?P<names>{PLACE})(?:\s+(?P<count>{_COUNT}))?"
    rf"|(?P<first>{PLACE})\s+(?P<many>{_COUNT})))"
    r"(?=\s*(?:$|[,;.!)\x01]|(?:and|to|with|by|should|must|is|are|out|please|pls|above|below|red|blue|log)\b))",
    re.IGNORECASE,
)
"""Panels by their places alone: ``drop the last two``, ``swap the first two``, ``all but the first``."""


def read_atoms(text: str, now: datetime) -> list[Atom]:
    """Return the typed parts of a sentence in order; words without meaning are left out."""
    unread = UnreadWords(text, now)
    take_texts(unread)
    unread.take_spelt("first")
    first = ("two sides", "right axis", "below axis")
    for pattern, name in _compiled("rel", tuple((name, tuple(CHANGES["relations"][name])) for name in first)):
        unread.take("rel", pattern, name)
    unread.take("arrow", r"(?:→|-+>|=+>)")
    unread.take("word", _DESCRIBED)
    for levels, scale in _LEVELS.items():
        unread.take("levels", rf"\b(?:the\s+)?(?:named\s+)?(?:{levels})\b", scale)
    take_numbers(unread)
    take_times(unread)
    take_values(unread)
    take_panels(unread)
    take_grammar(unread)
    take_names(unread)
    runs = list(_runs(list(_with_arrows(unread.atoms)), unread.text))
    atoms = list(_shared_names(runs, unread.text))
    return [_as_duration(unread, atom, atoms) for atom in _with_frames(atoms, unread.text)]


@lru_cache(maxsize=1)
def grammar_words() -> frozenset[str]:
    """Return the words of the grammar: of its tables, and those without meaning."""
    phrases = [phrase for table in CHANGES.values() for row in table.values() for phrase in row]
    words = {word for phrase in phrases for word in re.findall(r"\b[a-z]{4,}\b(?!~)", phrase)}
    words |= {f"{word}s" for word in words} | IN_CHANGES | set(VOCABULARY["colours"]) | set(DASHES)
    spelt = [phrase for row in VOCABULARY["computations"].values() for phrase in row]
    spelt += [phrase for row in WORDS for phrase in row.phrases]
    words |= {word for phrase in spelt for word in re.findall(r"\b[a-z]{4,}\b(?!~)", phrase.casefold())}
    return frozenset(
        words
        | {"alone", "until", "logarithmic", "linear", "median", "average", "minutes", "hours", "seconds"}
    )


def take_panels(unread: UnreadWords) -> None:
    """Take the panels that ordinals mean."""

    def numbers(match: re.Match[str]) -> tuple[int, ...]:
        words = re.findall(r"\d+|[a-z]+", match["which"].casefold())
        found = [int(COUNTED.get(word, word)) for word in words if word.isdigit() or word in COUNTED]
        if re.search(r"\bto\b|-|–|\bthrough\b", match["which"]) and len(found) == 2:
            return tuple(range(found[0], found[1] + 1))
        return tuple(found)

    if not _LETTERING.search(unread.text):
        unread.take("panel", _LETTERED, _lettered)
    unread.take("letters", _LETTERS)
    unread.take(
        "panel",
        rf"\b(?:the\s+)?{PANEL_ONLY}\s*\(?(?P<letter>(?-i:[a-h]))\)",
        lambda match: (ord(match["letter"]) - ord("a") + 1,),
    )
    which = rf"(?P<which>(?:{_COUNT})\b(?:\s*(?:,|and|&|to|through|-|–|,\s*and)\s*(?:{_COUNT})\b)*)"
    unread.take(
        "panel",
        rf"\b(?:the\s+)?{PANEL_ONLY}\s*(?:number\s+|no\.?\s*|#)"
        rf"?{which}(?!\s*(?:{duration_pattern('8')[:0]}px|mm|cm|times))",
        numbers,
    )
    unread.take(
        "panel",
        rf"\b(?:the\s+)?(?P<names>(?:{PLACE})(?:\s*(?:,|and|&)\s*(?:the\s+)?(?:{PLACE}))"
        rf"*)\s+(?:(?P<count>{_COUNT})\s+)?(?:{PANEL}|place|one|ones)\b",
        _ordinals,
    )
    unread.take(
        "panel",
        rf"\b(?:for|of|in)\s+(?:the\s+)?(?P<names>{PLACE})(?P<count>)\s*(?=$|[,;.\x01]|(?:should|must|to|is)\b)",
        _ordinals,
    )
    for match in list(_ALONE.finditer(unread.left)):
        if not re.search(r"\d(?:st|nd|rd|th)\b", match["panel"]):
            unread.put("panel", _ordinals(match), *match.span("panel"))
    unread.take(
        "panel",
        rf"\b(?:(?P<every>all|every|each|both)\s+(?:of\s+)?(?:the\s+)?|(?:the\s+)?(?:other|remaining)\s+)"
        rf"(?:(?:{_COUNT})\s+)?{PANEL_ONLY}\b",
        lambda match: "every" if match["every"] else "others",
    )


def take_grammar(unread: UnreadWords) -> None:
    """Take the verbs, the names of settings and the relations."""
    for word in (
        "spectrogram",
        "energy",
        "frequency",
        "Kan–Lee",
    ):  # their words also name axes, tools and changes
        for pattern in _quantities(word):
            unread.take("quantity", pattern)
    unread.take_spelt("grammar")
    for size, phrases in CHANGES["relative"].items():
        unread.take("relative", rf"(?<!not )\btoo\s+(?:{any_phrase(phrases)})(?![\w|-])", _OPPOSITES[size])
    first = ("instead of", "two sides", "right axis", "own panel", "same panel", "side by side")
    for kind, table in (
        ("rel", {name: CHANGES["relations"][name] for name in first}),
        ("noun", CHANGES["nouns"]),
        ("relative", CHANGES["relative"]),
        ("verb", CHANGES["verbs"]),
        ("paneltype", CHANGES["panel types"]),
        ("rel", CHANGES["relations"]),
    ):
        for pattern, name in _compiled(
            kind, tuple((name, tuple(phrases)) for name, phrases in table.items())
        ):
            unread.take(kind, pattern, name)


_OPPOSITES = {
    "thicker": "thinner", "bold": "thinner", "thinner": "thicker", "thin": "thicker", "larger": "smaller",
    "smaller": "larger", "taller": "flatter", "flatter": "taller", "wider": "narrower", "narrower": "wider",
}  # fmt: skip
"""What to do about a size that is too much: a line that is too thick gets thinner."""
_OTHERS = (
    r"\b(?:(?:everything|all|anything)\s+else|(?:all\s+)?(?:the\s+)?(?:others|rest|other\s+(?:lines|curves|traces|ones|components)))\b"
    rf"(?=\s+(?:(?:in|should|be|can|drawn|as)\s+)*{TAKEN})"
)
"""Regular expression of all lines that a sentence does not name, before a look: ``everything else grey``."""


def take_names(unread: UnreadWords) -> None:
    """Take the names of lines and computations, and all other words."""
    unread.take("every", _OTHERS, "others")
    unread.take(
        "every", rf"\bboth(?:\s+of\s+them)?\b(?=\s+(?:(?:in|should|be|can|drawn|as)\s+)*{TAKEN})", "both"
    )
    unread.take_spelt("lines")
    unread.take(
        "craft", rf"(?<!solar )(?<![\w-])(?:{names_of_spacecraft()})(?![\w-])", lambda match: match[0]
    )
    unread.take("word", _HELIUM)
    unread.take(
        "word",
        r"\b(?:smoothed|averaged|cleaned|despiked|detrended)\b(?=\s+(?!over|with|by|to|and|in|using|out|at|"
        r"on)[\w|])",
    )
    for pattern in _quantities(""):
        unread.take("quantity", pattern)
    ahead = "|".join(rf"(?<=\b{word} )" for word in ("the", "no", "both", "all", "drop", "remove"))
    named = "|".join(rf"(?<=\b{name} )" for name in sorted(instruments()))
    unread.take("word", rf"(?:{ahead}|(?-i:{named}))spectrograms?\b(?!\s+of\b)")
    for pattern, tool in _tools():
        unread.take("tool", pattern, tool)
    unread.take_spelt("tools")
    unread.take(
        "number",
        rf"(?<![\w.:-])(?P<number>{NUMBER})(?![\w:-])",
        lambda match: Number(number_of_text(match["number"])),
    )
    for match in list(re.finditer(r"[^\s\x01,;:!?()\"“”&]+", unread.left)):
        word = match[0].strip(".-–/+_")
        if not re.search(r"\w", word):
            continue
        start = match.start() + match[0].index(word)
        if word.casefold() not in IN_CHANGES or word in instruments():
            unread.put("word", word, start, start + len(word))


def _as_duration(unread: UnreadWords, atom: Atom, atoms: list[Atom]) -> Atom:
    """Read a bare number as a duration if it is compared with one: ``30 minutes instead of 10``."""
    count = str(COUNTED.get(atom.text.casefold(), "")) if atom.kind == "what" else ""
    if atom.kind == "number" and not atom.value.unit:
        count = f"{atom.value.value:g}"
    for neighbour in atoms if count else ():
        between = unread.text[min(atom.stop, neighbour.stop) : max(atom.start, neighbour.start)]
        joint = ignoring_case(
            r"(?:\s+(?:smoothing|averag\w+|windows?|means?|running\s+\w+))*"
            r"\s*(?:to|,?\s*instead of|rather than|,?\s*(?:and\s+)?not|in place of)\s+(?:the\s+)?"
        ).fullmatch(between)
        if neighbour.kind == "duration" and joint:
            letters = re.search(r"[a-z]+$", neighbour.value)
            return replace(atom, kind="duration", value=f"{count}{letters[0] if letters else ''}")
    return atom


def _with_frames(atoms: list[Atom], text: str) -> list[Atom]:
    """Join a frame to the name before it where a line goes or is computed anew, and ``with measured electrons``."""
    tags = {tag for atom in atoms for tag in atom.tags}
    of_line = bool(tags & _OF_A_LINE) and not tags & _OF_A_FRAME
    joined: list[Atom] = []
    for atom in atoms:
        last = joined[-1] if joined else atom
        between = text[last.stop : atom.start].strip()
        framed = of_line and atom.kind == "frame" and between in ("", "in")
        measured = between == "with" and ignoring_case(r"(?:measured|assumed)\b").match(atom.text)
        if last.kind == "what" and (framed or measured):
            words = text[last.start : atom.stop]
            joined[-1] = replace(last, value=words, stop=atom.stop, text=words)
        else:
            joined.append(atom)
    return joined


_OF_A_LINE = frozenset({"verb:remove", "verb:name", "verb:smooth", "verb:move", "tool"})
"""Parts of a sentence in which a frame only says which line is meant."""
_OF_A_FRAME = frozenset({"verb:convert", "verb:show", "verb:add", "verb:replace", "verb:swap", "noun:frame", "rel:also",
                         "rel:instead", "rel:instead_of"})  # fmt: skip
"""Parts of a sentence in which a frame may be a new one."""


def _with_arrows(atoms: list[Atom]) -> Iterator[Atom]:
    """Read an arrow between two names as ``replace``; before a value it has no meaning."""
    ordered = sorted(atoms, key=lambda atom: atom.start)
    for at, atom in enumerate(ordered):
        if atom.kind != "arrow":
            yield atom
            continue
        beside = [ordered[place] for place in (at - 1, at + 1) if 0 <= place < len(ordered)]
        if len(beside) == 2 and all(atom.kind in _NAMES for atom in beside):
            yield replace(atom, kind="verb", value="replace")


def _lettered(match: re.Match[str]) -> tuple[int, ...]:
    """Return the numbers of panels that letters mean.

    >>> _lettered(_LETTERED.search("panels b to d")), _lettered(_LETTERED.search("(a) and (c)"))
    ((2, 3, 4), (1, 3))
    """
    numbers = [ord(letter) - ord("a") + 1 for letter in re.findall(r"\b[a-h]\b", match[0])]
    if re.search(r"[-–]|\bto\b|\bthrough\b", match[0]) and len(numbers) == len("bd"):
        return tuple(range(numbers[0], numbers[1] + 1))
    return tuple(numbers)


def _ordinals(match: re.Match[str]) -> tuple[int, ...]:
    """Return panel numbers, negative from the end, 0 for the middle."""
    groups = match.groupdict()
    names = ignoring_case(PLACE).findall(groups["names"] or groups["first"])
    places = [PLACES[name.casefold()] for name in names]
    count = groups["count"] or groups.get("many")
    if count:
        many = int(COUNTED.get(count.casefold(), count))
        if many > 1:
            return tuple(range(1, many + 1)) if places[0] > 0 else tuple(range(-many, 0))
    return tuple(places)


@lru_cache(maxsize=16)
def _compiled(
    kind: str, table: tuple[tuple[str, tuple[str, ...]], ...]
) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return the pattern and the name of every row of a table."""
    del kind
    return tuple(
        (re.compile(rf"(?<![\w|-])(?:{any_phrase(phrases)})(?![\w|-])", re.IGNORECASE), name)
        for name, phrases in table
        if phrases
    )


_NOT_NAMED = (
    "plot_data", "render_spec", "style_plot", "manage_plot", "fetch_data", "magnitude", "components", "save_data",
)  # fmt: skip
"""Tools whose names are also words for a figure or its lines."""


@lru_cache(maxsize=1)
def _tools() -> tuple[tuple[re.Pattern[str], str], ...]:
    tools = [
        *VOCABULARY["computations"],
        *(name for name in signatures() if name not in VOCABULARY["computations"]),
    ]
    return tuple(
        (re.compile(rf"(?<![\w|-])(?:{tool_names(tool)})(?![\w|-])", re.IGNORECASE), tool)
        for tool in tools
        if tool not in _NOT_NAMED
    )


@cache
def _quantities(word: str) -> tuple[re.Pattern[str], ...]:
    """Return the patterns of the quantities whose name contains a word."""
    patterns = [row.pattern for row in WORDS if word in row.quantity]
    patterns += [pattern for _, pattern in COMPONENTS if not word]
    return tuple(re.compile(rf"(?<![\w|])(?:{pattern})(?![\w|*]|-\w)", re.IGNORECASE) for pattern in patterns)


@lru_cache(maxsize=1)
def instruments() -> frozenset[str]:
    """Return the names in capital letters, such as HOPE and GOES, which in small letters are other words."""
    names = {name for row in SOURCES for name in (*row.instruments, row.spacecraft.partition("-")[0])}
    return frozenset(name for name in names if name.isupper() and len(name) > 2)


_TOUCH = re.compile(rf"\*?\s+(?:{_JOINT}\s+)*|[/|-]?", re.IGNORECASE)
"""What stands between words of one name."""
_ON_PANEL = re.compile(rf"\s+(?:on|onto)\s+(?:the\s+)?(?:[\w|-]+\s+){{1,3}}{PANEL_ONLY}\b", re.IGNORECASE)
"""What follows a name and says in which panel it is drawn: ``|B| on the magnitude panel``."""
_NAMES = ("craft", "quantity", "word")


def _runs(atoms: list[Atom], text: str) -> Iterator[Atom]:
    """Join neighbouring words that name lines: ``smoothed Bz of ACE``; a spacecraft alone keeps its kind."""
    run: list[Atom] = []
    for atom in atoms:
        touches = run and atom.kind in _NAMES and _TOUCH.fullmatch(text[run[-1].stop : atom.start])
        is_next = run and run[-1].kind == atom.kind == "craft" and text[run[-1].stop : atom.start].isspace()
        if run and (not touches or is_next or _ON_PANEL.match(text, run[-1].stop)):
            yield _joined(run, text)
            run = []
        if atom.kind in _NAMES:
            run.append(atom)
        else:
            yield atom
    if run:
        yield _joined(run, text)


def _shared_names(atoms: list[Atom], text: str) -> Iterator[Atom]:
    """Give what a name says of one spacecraft to the next one too: ``Bz of ACE and Wind``."""
    atoms, shared = _with_one_noun(atoms, text), ""
    for at, atom in enumerate(atoms):
        before = atoms[at - 1] if at else atom
        if before.kind == "what" and (of := _OF_CRAFT.fullmatch(before.text)):
            shared = of["what"]
        between = ignoring_case(r"\s*(?:,|,?\s+and|&|/)\s*").fullmatch(text[before.stop : atom.start])
        if shared and between and atom.kind == "craft":
            yield replace(atom, kind="what", value=atom.text, text=f"{shared} of {atom.text}")
            continue
        shared = "" if not between else shared
        yield atom


def _with_one_noun(atoms: list[Atom], text: str) -> list[Atom]:
    """Give the noun of the last of several names to those before it: ``SPI and SPC densities``."""
    noun, joint, whole = "", r"\s+and\s+|\s*[&/]\s*", list[Atom]()
    for atom in reversed(atoms):
        own = _OF_SEVERAL.fullmatch(atom.text)
        is_listed = whole and ignoring_case(joint).fullmatch(text[atom.stop : whole[0].start])
        if noun and is_listed and atom.kind in ("what", "craft") and INSTRUMENT.fullmatch(atom.text):
            atom, joint = replace(atom, kind="what", value=atom.text, text=f"{atom.text} {noun}"), r"\s*,\s*"
        else:
            noun, joint = own["noun"] if own else "", r"\s+and\s+|\s*[&/]\s*"
        whole.insert(0, atom)
    return whole


def _joined(run: list[Atom], text: str) -> Atom:
    if len(run) == 1 and run[0].kind == "craft":
        return run[0]
    start, stop = run[0].start, run[-1].stop
    both = ignoring_case(r"\b(?:both|all|the (?:two|three|four))\s+(?:the\s+)?$").search(text[:start])
    if both and not re.search(r"[,;]", both[0]):
        start = both.start()
    return Atom("what", text[start:stop], start, stop, text[start:stop])


_OF_SEVERAL = re.compile(
    rf"{INSTRUMENT.pattern}\s+(?P<noun>(?:densit|velocit)ies|(?:temperature|speed|pressure|spectrogram)s)"
)
_OF_CRAFT = re.compile(rf"(?P<what>.+?)\s+(?:of|from|at)\s+(?:{names_of_spacecraft()})", re.IGNORECASE)
_COUNTED = re.compile(
    r"^(?:each\s+of\s+|both\s+|all\s+)?(?:the\s+)?(?:two|three|four|2|3|4|each|of)\s+(?=\w)", re.IGNORECASE
)


def plain_name(words: str) -> str:
    """Return the words that name a line, with the spacecraft first: ``Bz of ACE`` becomes ``ACE Bz``."""
    crafts = re.compile(
        rf"(?:\s+(?:of|from|at)(?:\s+the)?)?\s+(?P<craft>{names_of_spacecraft()})$", re.IGNORECASE
    )
    plain = _COUNTED.sub("both ", ignoring_case(r"^(?:the\s+)").sub("", words.strip()))
    match = crafts.search(plain)
    if match and match.start() and match["craft"].casefold() in spellings():
        prefix = ignoring_case(r"(?:both|all)\s+").match(plain)
        head = prefix[0] if prefix else ""
        return f"{head}{match['craft']} {plain[len(head) : match.start()]}"
    return plain
