"""One file a source, with one subclass of `Source`: the file's name is what a step and ``--archive`` call it."""
