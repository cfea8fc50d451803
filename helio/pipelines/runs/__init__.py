"""Runs of plans: requests, execution, results and records."""
