"""The frames in which a panel can show an orbit."""

from __future__ import annotations

TO_THE_SUN = ("GSE", "GSM")
"""Frames about the Earth whose x axis points to the Sun."""
ABOUT_EARTH = (*TO_THE_SUN, "GEO", "GEI", "GCI", "SM", "J2000")
ABOUT_SUN = ("HEE", "HEEQ", "HCI", "HGI")
OF_MODELS = ("magnetopause", "bow_shock", "pressure", "bz", "mach", "sun")
"""Keys of an orbit that need an x axis to the Sun."""
