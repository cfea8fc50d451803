"""Runs of plans: what they are asked for, made from, gave and recorded."""
