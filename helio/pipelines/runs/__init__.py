"""Runs of plans: their requests, execution, results and records."""
