"""``python -m helio``."""

from helio.cli import main

main()
