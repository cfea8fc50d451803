"""What all tests share."""

from hypothesis import settings

settings.register_profile("helio", deadline=None)  # a busy machine is no failure
settings.load_profile("helio")
