// Video4Linux2 capture, as flat structures and functions: the interface itself is ioctls over nested unions, which
// Swift does not import. Every function answers 0 or more, or a negative errno; nothing here keeps state.
//
// Single-planar devices go through libv4l2, which converts formats that no decoder here knows; it knows nothing of
// multi-planar devices, for which its functions are plain system calls.
#ifndef CV4L2_H
#define CV4L2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { cv4l2_plane_capacity = 3 };

/// What a device says it is.
struct cv4l2_identity {
    char driver[16];
    char card[32];
    char bus[32];
    bool captures;
    /// Its buffers may have a memory plane per colour plane (the _MPLANE half of the interface).
    bool isMultiplanar;
    bool streams;
};

/// Frame intervals or sizes: one value where minimum and maximum are equal.
struct cv4l2_size_range {
    uint32_t minimumWidth, maximumWidth, stepWidth;
    uint32_t minimumHeight, maximumHeight, stepHeight;
};

struct cv4l2_interval_range {
    uint32_t shortestNumerator, shortestDenominator;
    uint32_t longestNumerator, longestDenominator;
};

/// How a driver's colours are made: its `enum v4l2_colorspace`, `v4l2_ycbcr_encoding` and `v4l2_quantization`. 0 where it does not say.
struct cv4l2_colours {
    uint32_t colorspace, encoding, quantization;
};

/// By which luma and colour differences are made.
enum cv4l2_matrix {
    /// The driver does not say, or it is neither.
    cv4l2_matrix_unknown,
    cv4l2_matrix_bt601,
    cv4l2_matrix_bt709
};

/// How a frame lies in its buffers.
struct cv4l2_layout {
    uint32_t code, width, height;
    uint32_t planeCount;
    uint32_t stride[cv4l2_plane_capacity];
    uint32_t byteCount[cv4l2_plane_capacity];
    struct cv4l2_colours colours;
};

struct cv4l2_mapping {
    uint32_t planeCount;
    void *base[cv4l2_plane_capacity];
    size_t byteCount[cv4l2_plane_capacity];
};

/// A buffer that the driver has filled.
struct cv4l2_filled {
    uint32_t index, sequence;
    int64_t nanoseconds;
    bool isMonotonic, isDamaged;
    uint32_t planeCount;
    uint32_t offset[cv4l2_plane_capacity];
    uint32_t byteCount[cv4l2_plane_capacity];
};

enum cv4l2_control_kind {
    cv4l2_control_integer,
    cv4l2_control_boolean,
    cv4l2_control_menu,
    cv4l2_control_button,
    cv4l2_control_other
};

struct cv4l2_control {
    uint32_t id;
    uint32_t kind;
    char name[32];
    int64_t minimum, maximum, step, usual, value;
    bool isReadOnly, isInactive;
};

/// Opens a device without waiting; answers its descriptor.
int cv4l2_open(const char *path);
void cv4l2_close(int fd);
int cv4l2_identify(int fd, struct cv4l2_identity *identity);

/// The format at `index` of those offered: its four-character code, and whether libv4l2 would make it. -EINVAL past the end.
int cv4l2_format(int fd, bool isMultiplanar, uint32_t index, uint32_t *code, bool *isEmulated);
int cv4l2_size(int fd, uint32_t code, uint32_t index, struct cv4l2_size_range *range);
int cv4l2_interval(
    int fd, uint32_t code, uint32_t width, uint32_t height, uint32_t index, struct cv4l2_interval_range *range);

/// Asks for code, width and height in `layout`, and fills in what the driver made of it.
int cv4l2_set_layout(int fd, bool isMultiplanar, struct cv4l2_layout *layout);
/// Of formats with luma: by the encoding that the driver reports, else by what goes with its colour space.
enum cv4l2_matrix cv4l2_matrix_of(struct cv4l2_colours colours);
/// Of formats with luma: whether its values are 0 to 255, not 16 to 235. Grey formats have 0 to 255 unless the driver reports the
/// limited range: vivid and monochrome sensors report none.
bool cv4l2_is_full_range(struct cv4l2_colours colours, bool isGrey);
/// Asks for a frame interval in seconds, and answers the one that the driver chose.
int cv4l2_set_interval(int fd, bool isMultiplanar, uint32_t *numerator, uint32_t *denominator);

/// Asks for buffers to map; answers how many there are. 0 frees them.
int cv4l2_request_buffers(int fd, bool isMultiplanar, uint32_t count);
int cv4l2_map(int fd, bool isMultiplanar, uint32_t index, struct cv4l2_mapping *mapping);
void cv4l2_unmap(const struct cv4l2_mapping *mapping);
/// A memory plane of a buffer as DMABUF, to be read by another device: a descriptor for the caller to close. The memory is
/// the driver's own: with a format that libv4l2 makes it is not what `cv4l2_map` shows.
int cv4l2_export(int fd, bool isMultiplanar, uint32_t index, uint32_t plane);
int cv4l2_queue(int fd, bool isMultiplanar, uint32_t index);
/// -EAGAIN where no buffer is filled.
int cv4l2_dequeue(int fd, bool isMultiplanar, struct cv4l2_filled *filled);
int cv4l2_stream(int fd, bool isMultiplanar, bool isOn);
/// Waits for a filled buffer: 1 there is one, 0 none in time, -EIO where the device has failed.
int cv4l2_wait(int fd, int milliseconds);

/// The first control after the one numbered `previous`; -EINVAL past the end.
int cv4l2_control_after(int fd, uint32_t previous, struct cv4l2_control *control);
/// The name of a menu's entry; -EINVAL where there is none.
int cv4l2_menu_entry(int fd, uint32_t control, uint32_t index, char name[32]);
int cv4l2_set_control(int fd, uint32_t control, int64_t value);
/// Asks a camera that codes H.264 itself for an IDR picture; -EINVAL where it takes no such order.
int cv4l2_force_key_frame(int fd);

#endif
