"""Named events in sentences: each phrase is read, none in a sentence of another meaning, and each range has data."""

import json
import re
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from helio.authoring.outcome import AuthorQuestion, NotUnderstood
from helio.authoring.rules.times import named_times
from helio.authoring.rules.times.named_times import events, with_plain_times
from helio.time_range import parse_time_range
from tests.authoring.rules.conftest import NOW
from tests.rows import in_one_test

LISTED = json.loads(Path(named_times.__file__).with_name("events.json").read_text(encoding="utf-8"))
ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth",
    "twentieth", "twenty-first", "twenty-second", "twenty-third", "twenty-fourth",
)  # fmt: skip


def at_planet(planet: str) -> tuple[str, ...]:
    return tuple(
        f"{before}{planet}{after}"
        for before, after in (
            ("", " flyby"),
            ("flyby of ", ""),
            ("encounter with ", ""),
            ("closest approach to ", ""),
        )
    )


def of_month(month, *names):
    return (*names, f"{month} storm", f"{month} severe geomagnetic storm", f"storm of {month}")


def flybys(planet, number, year):
    ordinal = ORDINALS[number - 1]
    return (
        f"{planet} flyby of {year}", f"gravity assist at {planet} {year}", f"{year} encounter with {planet}",
        f"{ordinal} {planet} flyby", f"{ordinal} flyby of {planet}", f"{planet} flyby {number}",
        f"{planet[0]}GA{number}",
    )  # fmt: skip


NAMES = {
    "Carrington event of 1859": ("Carrington event", "1859 Carrington storm", "Carrington flare"),
    "solar storms of August 1972": of_month("August 1972", "August 1972 solar storms"),
    "Quebec storm of March 1989": of_month("March 1989", "Quebec storm", "Hydro-Québec blackout"),
    "storm of March 1991": of_month("March 1991", "CRRES shock", "CRRES event", "March 1991 shock"),
    "magnetic cloud of January 1997": of_month(
        "January 1997", "January 1997 magnetic cloud", "cloud of January 1997", "Telstar 401 failure", "Telstar event"
    ),
    "day the solar wind disappeared": (
        "day the solar wind disappeared", "day that the solar wind almost disappeared", "solar wind disappearance",
        "disappearance of the solar wind",
    ),
    "storm of April 2000": of_month("April 2000"),
    "Bastille Day event of 2000": of_month(
        "July 2000", "Bastille Day storm", "Bastille-day event", "Bastille Day solar event", "Bastille Day flare"
    ),
    "superstorm of March 2001": of_month("March 2001", "March 2001 superstorm"),
    "Halloween storms of 2003": (
        "Halloween storm", "Halloween storms", "Halloween solar storms", "2003 Halloween events", "Halloween period",
    ),
    "superstorm of November 2003": of_month("November 2003", "November 2003 superstorm"),
    "solar storm period of September 2005": (
        "September 2005 storms", "September 2005 solar storm period", "solar storms of September 2005",
    ),
    "AGU storm of December 2006": of_month("December 2006", "AGU storm"),
    "Whole Heliosphere Interval": ("Whole Heliosphere Interval", "Whole Heliosphere Interval (WHI)", "WHI", "WHI 2008"),
    "Galaxy 15 storm of April 2010": of_month("April 2010", "Galaxy 15 storm", "Galaxy-15 anomaly"),
    "Valentine's Day flare of 2011": (
        "Valentine's Day flare", "Valentine’s Day X-class flare", "Valentine's Day event",
    ),
    "event of 23 July 2012 at STEREO-A": (
        "July 2012 storm", "July 2012 CME", "solar storm of July 2012", "near-miss event", "Carrington-class CME",
    ),
    "St Patrick's Day storm of 2013": of_month(
        "March 2013", "St Patrick's Day storm of 2013", "2013 Saint Patrick's Day storm"
    ),
    "St Patrick's Day storm of 2015": of_month(
        "March 2015", "St. Patrick's Day storm 2015", "St Patrick’s day event of March 2015", "2015 St Patricks storm"
    ),
    "solstice storm of June 2015": of_month("June 2015", "summer solstice storm"),
    "electron diffusion region of 16 October 2015": (
        "magnetopause electron diffusion region", "electron diffusion region at the dayside magnetopause",
        "electron diffusion region event of October 2015", "2015 EDR encounter", "Burch et al. event",
    ),
    "electron diffusion region of 11 July 2017": (
        "magnetotail electron diffusion region", "electron diffusion region in the magnetotail", "tail EDR event",
        "electron diffusion region event of 2017", "tail reconnection event", "Torbert event",
    ),
    "flares and storms of September 2017": (
        "September 2017 events", "September 2017 solar flares", "solar events of September 2017",
    ),
    "X9.3 flare of 2017": ("X9.3 flare", "X9.3-class flare", "X9.3 solar flare"),
    "storm of September 2017": of_month("September 2017"),
    "storm of August 2018": of_month("August 2018"),
    "Starlink storm of February 2022": of_month("February 2022", "Starlink storm", "Starlink loss", "Starlink event"),
    "storm of March 2023": of_month("March 2023"),
    "storm of April 2023": of_month("April 2023"),
    "New Year's Eve flare of 2023": (
        "New Year's Eve flare", "new-year X5 flare", "new-year 2024 X5.0 flare", "New Year's flare of 2023",
    ),
    "Gannon storm": of_month(
        "May 2024", "Gannon storm", "Gannon superstorm", "Mother's Day storm", "Mother’s Day solar superstorm"
    ),
    "X9.0 flare of 2024": ("X9.0 flare", "X9.0 solar flare of October 2024"),
    "storm of October 2024": of_month("October 2024"),
    "New Year's Day storm of 2025": of_month(
        "January 2025", "New Year's Day storm", "New Year storm of 2025", "New Year 2025 storm"
    ),
    "Veterans Day storm of 2025": of_month("November 2025", "Veterans Day storm", "Veterans' Day storm"),
    "ground-level event of Easter 2001": ("Easter GLE", "Easter 2001 GLE", "Easter ground-level event"),
    "total solar eclipse of 2017": (
        "solar eclipse of 2017", "2017 total solar eclipse", "great American eclipse of August 2017",
    ),
    "total solar eclipse of 2024": ("solar eclipse of April 2024", "2024 total eclipse"),
    "passage of Comet Siding Spring by Mars": (
        "Comet Siding Spring", "Comet Siding Spring at Mars", "Siding Spring encounter",
        "Siding Spring's close approach to Mars",
    ),
    "first entry of Parker Solar Probe into the corona": (
        "first entry into the corona", "entry into the solar corona", "first crossing of the Alfvén surface",
        "first sub-Alfvénic interval",
    ),
    "closest approach of Parker Solar Probe to the Sun": (
        "closest approach", "closest approach to the Sun", "record perihelion", "Christmas Eve flyby",
    ),
    "first perihelion of Solar Orbiter": ("first perihelion", "perihelion 1"),
    "first close perihelion of Solar Orbiter": ("first close perihelion", "first close pass of the Sun"),
    "flyby of Earth by Solar Orbiter": ("Earth flyby", "flyby of Earth", "encounter with Earth"),
    "flyby of Earth by BepiColombo": ("Earth flyby", "gravity assist at Earth", "encounter with Earth"),
    "flyby of Jupiter by Ulysses": ("Jupiter flyby", "flyby of Jupiter", "encounter with Jupiter"),
    "flyby of Jupiter by Voyager 1": at_planet("Jupiter"),
    "flyby of Jupiter by Voyager 2": at_planet("Jupiter"),
    "flyby of Saturn by Voyager 1": at_planet("Saturn"),
    "flyby of Saturn by Voyager 2": at_planet("Saturn"),
    "flyby of Uranus by Voyager 2": at_planet("Uranus"),
    "flyby of Neptune by Voyager 2": at_planet("Neptune"),
    "Saturn orbit insertion of Cassini": (
        "Saturn orbit insertion", "SOI", "orbit insertion at Saturn", "orbit insertion",
    ),
    "second close perihelion of Solar Orbiter": ("second close perihelion", "2nd close approach to the Sun"),
    "solar cycle 24": ("solar cycle 24", "cycle 24", "SC24"),
    "flyby of Jupiter by Cassini": ("Jupiter flyby", "flyby of Jupiter", "encounter with Jupiter"),
    "flyby of Pluto by New Horizons": ("Pluto flyby", "flyby of Pluto", "encounter with Pluto"),
    "first south polar pass of Ulysses": (
        "first south polar pass", "south polar pass of 1994", "1st southern polar pass",
    ),
    "first north polar pass of Ulysses": (
        "first north polar pass", "north polar pass of 1995", "1st northern polar pass",
    ),
    "second south polar pass of Ulysses": (
        "second south polar pass", "south polar pass of 2000", "2nd southern polar pass",
    ),
    "second north polar pass of Ulysses": (
        "second north polar pass", "north polar pass of 2001", "2nd northern polar pass",
    ),
} | {
    f"ground-level event {number}": (f"GLE {number}", f"GLE{number}", f"GLE no. {number}", f"GLE #{number}",
                                     f"ground-level event {number}", f"ground level enhancement {number}")
    for number in (5, 42, 45, 59, 69, 70, 71, 72, 73, 74)
} | {
    f"solar encounter {number} of Parker Solar Probe": (
        f"encounter {number}", f"E{number}", f"E{number:02d}", f"perihelion {number}", f"solar encounter #{number}",
        *(f"{ORDINALS[number - 1]} {orbit}" for orbit in ("encounter", "perihelion", "solar encounter")),
    )
    for number in range(1, 25)
} | {
    f"{ORDINALS[number - 1]} flyby of {planet} by {craft}": flybys(planet, number, year)
    for craft, planet, years in (
        ("Parker Solar Probe", "Venus", (2018, 2019, 2020, "February 2021", "October 2021", 2023, 2024)),
        ("Solar Orbiter", "Venus", (2020, 2021, 2022, 2025)),
        ("BepiColombo", "Venus", (2020, 2021)),
        ("BepiColombo", "Mercury", (2021, 2022, 2023, "September 2024", "December 2024", 2025)),
    )
    for number, year in enumerate(years, 1)
} | {
    f"{border} at Voyager {number}": (border, f"{border} crossing", f"crossing of the {border}",
                                      *(("entry into interstellar space",) if border == "heliopause" else ()))
    for border in ("termination shock", "heliopause")
    for number in (1, 2)
}  # fmt: skip
"""Names of each event, with a year where several events have the name."""

CRAFTS = {
    "Parker Solar Probe": "PSP",
    "Solar Orbiter": "Solar Orbiter",
    "BepiColombo": "BepiColombo",
    "Ulysses": "Ulysses",
    "Cassini": "Cassini",
    "New Horizons": "New Horizons",
    "Voyager 1": "Voyager 1",
    "Voyager 2": "Voyager 2",
    "STEREO-A": "STEREO-A",
    "electron diffusion": "MMS1",
}
DATASETS = {
    "PSP": "PSP_FLD_L2_MAG_RTN_1MIN",
    "Solar Orbiter": "SOLO_L2_MAG-RTN-NORMAL-1-MINUTE",
    "BepiColombo": "BEPICOLOMBO_HELIO1HR_POSITION",
    "Ulysses": "UY_COHO1HR_MERGED_MAG_PLASMA",
    "Cassini": "CASSINI_MAG_1MIN_MAGNETIC_FIELD",
    "New Horizons": "NEW_HORIZONS_SWAP_SOLAR-WIND",
    "Voyager 1": "VOYAGER1_COHO1HR_MERGED_MAG_PLASMA",
    "Voyager 2": "VOYAGER2_COHO1HR_MERGED_MAG_PLASMA",
    "STEREO-A": "STA_L2_MAGPLASMA_1M",
    "MMS1": "MMS1_FGM_SRVY_L2",
    "": "OMNI2_H0_MRG1HR",
}
NO_DATA = ("Carrington event of 1859", "ground-level event 5", "Saturn orbit insertion of Cassini")
"""Events before the first record of OMNI, in 1963, or in a gap of the spacecraft."""


def craft_of(name):
    return next((craft for part, craft in CRAFTS.items() if part in name), "")


def read(sentence):
    return with_plain_times(sentence, NOW)


def test_every_event_has_names():
    assert {event.name for event in events()} == set(NAMES)
    assert len(NAMES) == len(LISTED["events"]) >= 45


@in_one_test("event", LISTED["events"])
def test_every_phrase_of_an_event_has_an_example(event):
    month = "(?:(?:January|February|March|April|May|June|July|August|(?:Septem|Octo|Novem|Decem)ber) )?"
    year = rf"\s+(?:of )?{month}\d{{4}}$|^{month}\d{{4}}\s+"
    names = [*NAMES[event["name"]], *(re.sub(year, "", name) for name in NAMES[event["name"]])]
    for phrase in event["phrases"]:
        spelt = re.sub(r"\{([a-z]+)\}", lambda word: LISTED["words"][word[1]], phrase)
        assert any(re.fullmatch(spelt, name, re.IGNORECASE) for name in names), phrase


@in_one_test("event", events())
def test_every_name_is_read_as_its_event_alone(event):
    craft = craft_of(event.name)
    for name in NAMES[event.name]:
        sentence = f"{craft} Bz for the {name}, in one panel".strip()
        text, notes = read(sentence)
        assert text == f"{craft} Bz for {event.start} to {event.stop}, in one panel".strip()
        assert notes == (f"helio reads the {event.name} as {event.start} to {event.stop} ({event.source})",)
        if craft:
            assert read(f"ACE Bz for the {name}") == (f"ACE Bz for the {name}", ())


@in_one_test("event", LISTED["events"])
def test_an_event_has_a_range_and_a_source_that_states_its_date(event):
    start, stop = date.fromisoformat(event["start"]), date.fromisoformat(event["stop"])
    span = parse_time_range(f"{start} to {stop}", NOW)
    assert (span.start.date(), span.stop.date()) == (start, stop)
    assert start < stop <= NOW.date()
    assert event["source"]
    assert event["url"].startswith("http")
    days = [start + timedelta(days=day) for day in range((stop - start).days)]
    stated = {int(number) for number in re.findall(r"\d+", event["sentence"])}
    numbers = {number for day in days for number in (day.day, day.timetuple().tm_yday)}
    assert stated & numbers or f"{start:%B}" in event["sentence"]


def test_the_range_of_an_event_has_data(catalogue):
    for event in events():
        dataset = catalogue.dataset(DATASETS[craft_of(event.name)])
        first, stop = (
            datetime(day.year, day.month, day.day, tzinfo=UTC) for day in (event.start, event.stop)
        )
        has_data = dataset.first < first + timedelta(days=1) and stop <= dataset.last
        assert has_data == (event.name not in NO_DATA), event.name


OTHER_MEANINGS = (
    "PSP magnetic field, encounter 1 h",
    "PSP magnetic field within encounter 1.5 days",
    "PSP field at E1.5",
    "PSP field, encounter 4 to 6",
    "PSP field, encounters 4 to 6",
    "PSP field, E4-E6",
    "PSP encounter 25",
    "PSP encounter 1 with Venus",
    "Wind field at the first encounter",
    "MMS1 electric field E1",
    "THEMIS-A perihelion 3",
    "Parker spiral angle at the first encounter",
    "GLE7 protons",
    "GLE 7",
    "GLE 730",
    "GLE 72 and 73",
    "run gle73-particles",
    "Carrington longitude of the event",
    "Dst for the 13 March 1989 storm",
    "OMNI Bz on 22 June 2015 storm",
    "Voyager 1 and 2 heliopause crossing",
    "Venus flyby of MESSENGER",
    "spacecraft in eclipse",
    "SYM-H during the storm",
    "OMNI Dst for the July 2012 storm",
    "Change the title to 'PSP encounter 4'",
    'ACE Bz for 2015-03-17, title "St Patrick\'s Day storm of 2013"',
    "ACE Bz for 2024-05-10 titled ‘The Gannon storm’",
    "set the title to the Gannon storm",
    "change the title to PSP encounter 4",
)


@in_one_test("sentence", OTHER_MEANINGS)
def test_a_sentence_of_another_meaning_names_no_event(sentence):
    assert read(sentence) == (sentence, ())


BESIDE_TIMES = (
    # the range of the sentence counts
    ("SYM-H for the Gannon storm, 2024-05-09 to 2024-05-14", "SYM-H for , 2024-05-09 to 2024-05-14"),
    ("Bz over the St Patrick's Day storm, 17-18 March 2015", "Bz over , 17-18 March 2015"),
    ("Bz, 17 March 2015 St Patrick's Day storm", "Bz, 17 March 2015"),
    ("PSP |B| around perihelion 10, 16 to 26 Nov 2021", "PSP |B| , 16 to 26 Nov 2021"),
    ("MMS1 B for the 2015-10-16 electron diffusion region", "MMS1 B for the 2015-10-16"),
    ("Ulysses |B|, northern polar pass, May 1995 to October 1995", "Ulysses |B|, , May 1995 to October 1995"),
    ("Ulysses |B|, May 1995 to October 1995 northern polar pass", "Ulysses |B|, May 1995 to October 1995"),
    ("Ulysses |B|, northern polar pass, June 1995", "Ulysses |B|, 1995-06-19 to 1995-09-30"),
    # a year somewhere else in the sentence
    ("Gannon storm SYM-H 2024", "2024-05-10 to 2024-05-13 SYM-H"),
    ("in 2013, Bz for the St Patrick's Day storm", ", Bz for 2013-03-17 to 2013-03-19"),
    # a number that is no year, and a word that is no time
    ("density above 1500 for the Gannon storm", "density above 1500 for 2024-05-10 to 2024-05-13"),
    (
        "remove the last panel and use the Gannon storm",
        "remove the last panel and use 2024-05-10 to 2024-05-13",
    ),
    # the same event twice; the first of two names that overlap
    (
        "SYM-H for the Gannon storm (the Mother's Day storm)",
        "SYM-H for 2024-05-10 to 2024-05-13",
    ),
    ("Dst for the Halloween storm of November 2003", "Dst for 2003-10-28 to 2003-11-02"),
    ("PSP |B| around encounter 4", "PSP |B| 2020-01-23 to 2020-02-04"),
    ("PSP |B|, perihelion of Nov 2021", "PSP |B|, 2021-11-16 to 2021-11-27"),
    ("Parker Solar Probe's field at its E10", "Parker Solar Probe's field at its 2021-11-16 to 2021-11-27"),
)  # fmt: skip


@in_one_test(("sentence", "text"), BESIDE_TIMES)
def test_a_name_beside_other_times(sentence, text):
    assert read(sentence)[0] == text


REFUSED = (
    ("SYM-H for the Gannon storm of 2023", "the Gannon storm (2024-05-10 to 2024-05-13) cannot be in 2023"),
    ("SYM-H for the 2023 Gannon storm", "cannot be in 2023"),
    ("SYM-H for the Gannon storm, June 2024", "cannot be in June 2024"),
    ("SYM-H for the Gannon storm, 2003-10-28 to 2003-11-01", "cannot be in 2003"),
    ("SYM-H for the Gannon storm, 10 May 2023", "cannot be in 2023"),
    ("in 2023, SYM-H for the Gannon storm", "cannot be in 2023"),
    ("Bz for the 2012 St Patrick's Day storm", "of 2015 (2015-03-17 to 2015-03-19) and the St Patrick's Day storm of"),
    ("Bz for the St Patrick's Day storm", "'St Patrick's Day storm' has several meanings: the St Patrick's Day"),
    ("Bz for the total solar eclipse", "the total solar eclipse of 2017 (2017-08-21 to 2017-08-22), the total"),
    ("MMS1 B for the electron diffusion region event", "several meanings"),
    ("Solar Orbiter B at the Venus flyby", "several meanings"),
    ("PSP B at the Venus flyby of 2021", "the fourth flyby of Venus by Parker Solar Probe (2021-02-19 to 2021-02-22)"),
    ("Ulysses speed in the south polar pass", "several meanings"),
    ("PSP and Solar Orbiter B at the first perihelion", "several meanings"),
    ("PSP B at the March 2021 perihelion", "'perihelion' cannot be in March 2021"),
    ("Dst for the Gannon storm and the Halloween storms", "names the Halloween storms of 2003 and the Gannon storm"),
    ("PSP B for E4 and E5", "names the solar encounter 4 of Parker Solar Probe and the solar encounter 5 of"),
    ("Bz for the 2013 and 2015 St Patrick's Day storm", "names 'St Patrick's Day storm' and the year 2013"),
)  # fmt: skip


@in_one_test(("sentence", "message"), REFUSED)
def test_a_name_that_is_not_clear_is_refused(sentence, message):
    with pytest.raises(NotUnderstood) as refused:
        read(sentence)
    assert message in refused.value.message


def test_an_event_before_all_data_is_refused_with_its_range(author):
    with pytest.raises(NotUnderstood, match="OMNI has no Dst for 1859-09-01 to 1859-09-04"):
        author.create("OMNI Dst for the Carrington event")


@in_one_test("year", (2013, 2015))
def test_a_name_of_several_events_is_asked_about(author, overview, year):
    for sentence, answered in (
        ("ACE Bz for the St Patrick's Day storm", author.create),
        (
            "use the St Patrick's Day storm",
            lambda text, chosen=(): author.edit(text, overview, chosen=chosen),
        ),
    ):
        question = answered(sentence)
        assert isinstance(question, AuthorQuestion)
        assert question.choices == (
            "St Patrick's Day storm of 2015 (2015-03-17 to 2015-03-19)",
            "St Patrick's Day storm of 2013 (2013-03-17 to 2013-03-19)",
        )
        span = f"{year}-03-17 to {year}-03-19"
        template = answered(sentence, chosen=(f"St Patrick's Day storm of {year} ({span})",)).template
        assert [variable["default"] for variable in template["variables"].values()] == [span]
