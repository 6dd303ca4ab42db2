"""The parameters of every kernel on a device: a pure look-up that the planner asks."""

from __future__ import annotations

from collections.abc import Mapping

from ..planning.traits import Traits

Parameters = Mapping[str, int]

# group: work-items in a group of the textbook's kernels
# transpose_tile: edge of a block of transposeBlocked; 0 takes the textbook's transpose
# direct_tile: inputs that the direct transform stages at a time
# stockham_items: work-items in a group at most; a CPU keeps the registers of all of them on a stack
# stockham_group: work-items in a group of short rows
# smooth_hooks: 1 where a filter's exp and pow are quicker in a transform's store than as a pass
# lanes_local: bytes of local memory that a work-item alone may have; some devices promise too much
# lanes_workspace: bytes of workspace that it may have, so that they stay in a cache of its own
# lanes_alone: the same where there are fewer transforms than cores
# lanes_groups: so many work-items for each core share a launch, where they need no workspace
# lanes_staged: bytes of rows, at most, that are put together before they leave a cache
# lanes_shared: rows of so many points are shared by cores, if there are fewer blocks of them
# small_smooth, small_other: points of a transform, at most, by the kernel for all lengths
# small_points: the same of all transforms; of more, a kernel of their own is twice as fast
# small_single: the same of one that is not smooth, where kernels with barriers are slow
# stream_bytes: results of so many bytes go past the caches, unless they replace the source
# fused_chunks: of two passes in one launch, so many chunks fill the L2 cache
# fused_lag: by so many chunks the first pass is ahead of the second; fewer if they must be larger
DEFAULTS: Mapping[str, Parameters] = {
    "gpu": {
        "group": 128,
        "transpose_tile": 16,
        "direct_tile": 128,
        "stockham_items": 512,
        "stockham_group": 128,
        "smooth_hooks": 1,
        "lanes_local": 0,
        "lanes_workspace": 0,
        "lanes_alone": 0,
        "lanes_groups": 0,
        "lanes_staged": 0,
        "lanes_shared": 0,
        "small_smooth": 0,
        "small_other": 0,
        "small_points": 0,
        "small_single": 0,
        "stream_bytes": 0,
        "fused_chunks": 24,
        "fused_lag": 4,
    },
    "cpu": {
        "group": 256,
        "transpose_tile": 32,
        "direct_tile": 64,
        "stockham_items": 256,
        "stockham_group": 64,
        "smooth_hooks": 0,
        "lanes_local": 128 * 1024,
        "lanes_workspace": 4 * 1024 * 1024,
        "lanes_alone": 512 * 1024,
        "lanes_groups": 8,
        "lanes_staged": 4096,
        "lanes_shared": 1024,
        "small_smooth": 256,
        "small_other": 512,
        "small_points": 1024,
        "small_single": 2048,
        "stream_bytes": 4 * 1024 * 1024,
        "fused_chunks": 24,
        "fused_lag": 4,
    },
}


def parameters_for(traits: Traits) -> Parameters:
    """Return the parameters that kernels take on a device.

    Parameters
    ----------
    traits : Traits
        Of the device.

    Returns
    -------
    mapping of str to int
    """
    return DEFAULTS["cpu" if traits.is_cpu else "gpu"]
