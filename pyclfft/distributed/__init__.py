"""Work spread over several processes and devices: the ranks of MPI, the workers of Dask."""
