"""Work spread over several processes and devices: MPI's ranks, and what they compute together."""
