"""Work spread over several processes and devices: MPI's ranks, and what they compute together."""

from .transforms import fftn, ifftn, irfftn, local_slices, reports, rfftn

__all__ = ["fftn", "ifftn", "irfftn", "local_slices", "reports", "rfftn"]
