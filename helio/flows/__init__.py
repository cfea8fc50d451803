"""Run plans as Prefect flows, and run the Prefect server that shows the flows. Only this package imports Prefect.

`server` and `register` speak plain HTTP and import none; `run` imports it when a flow begins.
"""
