"""A plan as Prefect flows, and the server that shows them: the only importer of Prefect.

`server` and `register` speak plain HTTP and import none; `run` imports it when a flow begins.
"""
