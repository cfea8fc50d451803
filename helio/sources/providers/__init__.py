"""Each source is one file with one subclass of `Source`; a step and ``--archive`` call it by the file's name."""
