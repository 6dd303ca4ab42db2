"""The first check: every public function, solver and kernel once on every device, in minutes.

    python -m pytest tests/first

What is checked follows from `pyclfft.__all__`, the solvers' tables and the files in cl/: a function
without a check, a solver that plans none of the problems here and a kernel that nothing launches
each fail a test.
"""
