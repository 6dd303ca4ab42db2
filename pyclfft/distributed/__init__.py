"""Work spread over several processes and devices: the ranks of MPI, the workers of Dask.

The direct transform stands here, too, because it is what the ranks of a job share.
"""
