"""Fetch the X-rays of the Sun, without the minutes that their flags mark, and find flares in them."""

from __future__ import annotations

from helio.authoring.request import SolarXrays
from helio.authoring.writing.fetching import TimeVariable
from helio.authoring.writing.steps import PlotSeries, Steps

XRAYS, FLARES = "X-ray flux", "flares"
_CHANNELS = {"xrsb": ("long", "0.1–0.8 nm"), "xrsa": ("short", "0.05–0.4 nm")}


def xray_series(xrays: SolarXrays, time: TimeVariable, steps: Steps) -> list[PlotSeries]:
    """Return the channels; for flares, the long channel and the flares that a tool finds in it."""
    dataset = f"SCI_XRSF-L2-AVG1M_G{int(xrays.satellite.removeprefix('GOES-')):02}"
    channels = xrays.channels or (("xrsb", "xrsa") if xrays.least is None else ("xrsb",))
    parameters = [f"{channel}_{kind}" for channel in channels for kind in ("flux", "flag")]
    args = {"dataset_id": dataset, "parameters": parameters, "time_range": time.name, "provider": "ncei"}
    steps.add("xrays", "fetch_data", args, "One-minute averages with their flags")
    steps.note(f"{xrays.satellite} X-rays: science-quality one-minute averages of NOAA's NCEI")
    shown: list[PlotSeries] = []
    for channel in channels:
        stem, band = _CHANNELS[channel]
        flux = {
            "series_label": f"{dataset}.{channel}_flux",
            "flag_label": f"{dataset}.{channel}_flag",
        }
        label = steps.make(stem, "mask_by_flag", f"{band} without flagged minutes", **flux)
        over = shown[0].label if shown else ""
        shown.append(
            PlotSeries(label, XRAYS, xrays.satellite, "scalar", 60.0, unit="W/m^2", over=over, name=band)
        )
    if xrays.least is not None:
        found = {"source_label": shown[0].label, "least": xrays.least}
        label = steps.make(FLARES, "solar_flares", "Find flares", **found)
        shown.append(PlotSeries(label, FLARES, xrays.satellite, "scalar", over=shown[0].label))
    return shown
