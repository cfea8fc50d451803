"""A service of many days on a simulated clock, with an archive that fails, and an oracle that reads only its script."""
