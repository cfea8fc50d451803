"""Sources of data: each file has one subclass of `Source`; a step or ``--archive`` selects a source by the name
of its file.
"""
