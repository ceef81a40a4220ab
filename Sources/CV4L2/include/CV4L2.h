// Video4Linux2 capture, as flat structures and functions. The interface itself consists of ioctls with nested unions, which
// Swift does not import. Every function returns 0 or more, or a negative errno. There is no state here.
//
// Single-planar devices go through libv4l2, which converts formats that our decoders do not support. It does not support
// multi-planar devices; its functions are plain system calls for them.
#ifndef CV4L2_H
#define CV4L2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { cv4l2_plane_capacity = 3 };

/// What a device reports about itself.
struct cv4l2_identity {
    char driver[16];
    char card[32];
    char bus[32];
    bool captures;
    /// Its buffers may have one memory plane per colour plane (the _MPLANE half of the interface).
    bool isMultiplanar;
    bool streams;
};

/// Frame intervals or sizes: a single value if minimum and maximum are equal.
struct cv4l2_size_range {
    uint32_t minimumWidth, maximumWidth, stepWidth;
    uint32_t minimumHeight, maximumHeight, stepHeight;
};

struct cv4l2_interval_range {
    uint32_t shortestNumerator, shortestDenominator;
    uint32_t longestNumerator, longestDenominator;
};

/// A driver's colour properties: its `enum v4l2_colorspace`, `v4l2_ycbcr_encoding` and `v4l2_quantization`. 0 if unspecified.
struct cv4l2_colours {
    uint32_t colorspace, encoding, quantization;
};

/// The colour matrix.
enum cv4l2_matrix {
    /// Unspecified, or neither of the two.
    cv4l2_matrix_unknown,
    cv4l2_matrix_bt601,
    cv4l2_matrix_bt709
};

/// The layout of a frame in its buffers.
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

/// Opens a device without blocking; returns its descriptor.
int cv4l2_open(const char *path);
void cv4l2_close(int fd);
int cv4l2_identify(int fd, struct cv4l2_identity *identity);

/// The offered format at `index`: its four-character code, and whether libv4l2 emulates it. -EINVAL past the end.
int cv4l2_format(int fd, bool isMultiplanar, uint32_t index, uint32_t *code, bool *isEmulated);
int cv4l2_size(int fd, uint32_t code, uint32_t index, struct cv4l2_size_range *range);
int cv4l2_interval(
    int fd, uint32_t code, uint32_t width, uint32_t height, uint32_t index, struct cv4l2_interval_range *range);

/// Requests the code, width and height of `layout`, and fills in what the driver chose.
int cv4l2_set_layout(int fd, bool isMultiplanar, struct cv4l2_layout *layout);
/// The matrix of a YUV format: the encoding that the driver reports, or else the default of its colour space.
enum cv4l2_matrix cv4l2_matrix_of(struct cv4l2_colours colours);
/// Whether a YUV format has values from 0 to 255, not 16 to 235. Grey formats have 0 to 255 unless the driver reports the limited
/// range, because vivid and monochrome sensors report none.
bool cv4l2_is_full_range(struct cv4l2_colours colours, bool isGrey);
/// Requests a frame interval in seconds; returns the one that the driver chose.
int cv4l2_set_interval(int fd, bool isMultiplanar, uint32_t *numerator, uint32_t *denominator);

/// Requests buffers for mapping; returns how many there are. 0 frees them.
int cv4l2_request_buffers(int fd, bool isMultiplanar, uint32_t count);
int cv4l2_map(int fd, bool isMultiplanar, uint32_t index, struct cv4l2_mapping *mapping);
void cv4l2_unmap(const struct cv4l2_mapping *mapping);
/// Exports a memory plane of a buffer as DMABUF for another device: returns a descriptor that the caller closes. The memory is
/// the driver's own; for a format that libv4l2 emulates it differs from that of `cv4l2_map`.
int cv4l2_export(int fd, bool isMultiplanar, uint32_t index, uint32_t plane);
int cv4l2_queue(int fd, bool isMultiplanar, uint32_t index);
/// -EAGAIN if no buffer is filled.
int cv4l2_dequeue(int fd, bool isMultiplanar, struct cv4l2_filled *filled);
int cv4l2_stream(int fd, bool isMultiplanar, bool isOn);
/// Waits for a filled buffer: 1 if there is one, 0 after the timeout, -EIO if the device has failed.
int cv4l2_wait(int fd, int milliseconds);

/// The first control after the one with id `previous`; -EINVAL past the end.
int cv4l2_control_after(int fd, uint32_t previous, struct cv4l2_control *control);
/// The name of a menu entry; -EINVAL if there is none.
int cv4l2_menu_entry(int fd, uint32_t control, uint32_t index, char name[32]);
int cv4l2_set_control(int fd, uint32_t control, int64_t value);
/// Requests an IDR picture from a camera that encodes H.264 itself; -EINVAL if it does not support that.
int cv4l2_force_key_frame(int fd);

#endif
