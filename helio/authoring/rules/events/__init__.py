"""Requests about events: storms, tables of intervals, X-rays and flares, lists that a user gives."""
