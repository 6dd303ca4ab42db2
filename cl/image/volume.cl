/* volume: for hooks of a filter in three dimensions: voxels become numbers, and numbers become voxels.
 *
 * planes.cl says how pixels of a slice are read and stored. */
#include "image/planes.cl"

#ifndef SPACE_SLICES
#define SPACE_SLICES 1 /* slices of what is transformed; its rows and columns are those of a plane */
#endif
#ifndef VOLUME_SLICES
#define VOLUME_SLICES SPACE_SLICES /* slices of the volume in its middle */
#endif
#ifndef VOLUME_PADDED
#define VOLUME_PADDED 1 /* 0: the volume is all that is transformed */
#endif

/* Where element `index` of what is transformed lies. */
typedef struct {
    uint column, row, slice;
} VoxelPlace;

static inline VoxelPlace voxel_place(PLACE_TYPE index)
{
    PLACE_TYPE line = index / PLANE_COLUMNS;
    VoxelPlace place = {index % PLANE_COLUMNS, line % PLANE_ROWS, line / PLANE_ROWS};
    return place;
}

static inline real voxel_at(global const PIXEL *volume, VoxelPlace at, long first, long slice, long pitch)
{
    long x = image_index(at.column, PLANE_COLUMNS, IMAGE_COLUMNS);
    long y = image_index(at.row, PLANE_ROWS, IMAGE_ROWS);
    long z = image_index(at.slice, SPACE_SLICES, VOLUME_SLICES);
    if (x < 0 || y < 0 || z < 0)
        return 0;
    return channel_of(volume, first + z * slice + y * pitch + x * PIXEL_STEP, 0);
}

/* In the place of a load: the number at `index` of what is transformed. */
static inline real voxel(global const PIXEL *volume, PLACE_TYPE index, long first, long slice, long pitch)
{
    return voxel_at(volume, voxel_place(index), first, slice, pitch);
}

#if defined(POINT_OF_TWO) || VECTOR_LOADS
/* As many neighbours of a row as a vector of the source has, `offset` behind `index`. */
static inline source_vector voxels(global const PIXEL *volume, PLACE_TYPE index, uint offset, long first,
                                   long slice, long pitch)
{
    VoxelPlace at = voxel_place(index + offset);
    uint count = sizeof(source_vector) / sizeof(real);
    source_vector v;
#if !VOLUME_PADDED
    long begin = first + at.slice * slice + at.row * pitch + (long)at.column * PIXEL_STEP;
    LOOP(uint i = 0; i < count; i++)
        ((real *)&v)[i] = channel_of(volume, begin + (long)i * PIXEL_STEP, 0);
#else
    LOOP(uint i = 0; i < count; i++, at.column++)
        ((real *)&v)[i] = voxel_at(volume, at, first, slice, pitch);
#endif
    return v;
}
#endif

/* In the place of a store: a filtered number becomes a voxel, unless it lies outside of the volume. */
static inline void store_voxel(global RESULT_PIXEL *result, PLACE_TYPE index, real value, real top)
{
    VoxelPlace at = voxel_place(index);
    uint x = at.column - (PLANE_COLUMNS - IMAGE_COLUMNS) / 2;
    uint y = at.row - (PLANE_ROWS - IMAGE_ROWS) / 2;
    uint z = at.slice - (SPACE_SLICES - VOLUME_SLICES) / 2;
    if (x >= IMAGE_COLUMNS || y >= IMAGE_ROWS || z >= VOLUME_SLICES) /* also where they would be negative */
        return;
    result[((size_t)z * IMAGE_ROWS + y) * IMAGE_COLUMNS + x] = to_result(MAGNITUDE ? fabs(value) : value, top);
}

#if VECTOR_STORES
/* Neighbours of a row, from `index` on. */
static inline void store_voxels(global RESULT_PIXEL *result, PLACE_TYPE index, target_vector v, real top)
{
    uint count = sizeof(target_vector) / sizeof(real);
#if !VOLUME_PADDED
    UNROLL for (uint i = 0; i < count; i += LANES) {
        reals part = ((reals *)&v)[i / LANES];
        store_results(result + index + i, MAGNITUDE ? fabs(part) : part, top);
    }
#else
    LOOP(uint i = 0; i < count; i++)
        store_voxel(result, index + i, ((real *)&v)[i], top);
#endif
}
#endif
