"""Sources of data: each file has one subclass of `Source`, and a step or ``--archive`` names it by the file's name."""
