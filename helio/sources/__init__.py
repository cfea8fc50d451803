"""Bytes from outside, turned into tables: one file per provider of data."""
