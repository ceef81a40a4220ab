#define _GNU_SOURCE
#include "CV4L2.h"

#include <errno.h>
#include <fcntl.h>
#include <libv4l2.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

static int call(int fd, unsigned long request, void *argument) {
    int status;
    do status = v4l2_ioctl(fd, request, argument);
    while (status < 0 && errno == EINTR);
    return status < 0 ? -errno : status;
}

static uint32_t kind(bool isMultiplanar) {
    return isMultiplanar ? V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE : V4L2_BUF_TYPE_VIDEO_CAPTURE;
}

// MARK: - The device

static uint32_t capabilities(const struct v4l2_capability *capability) {
    return capability->capabilities & V4L2_CAP_DEVICE_CAPS ? capability->device_caps : capability->capabilities;
}

int cv4l2_open(const char *path) {
    int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return -errno;
    struct v4l2_capability capability = {0};
    int status = call(fd, VIDIOC_QUERYCAP, &capability);
    // libv4l2 handles the descriptor from here on. If it rejects the device, its functions pass calls through.
    if (status == 0 && capabilities(&capability) & V4L2_CAP_VIDEO_CAPTURE) v4l2_fd_open(fd, 0);
    return fd;
}

void cv4l2_close(int fd) {
    v4l2_close(fd);
}

int cv4l2_identify(int fd, struct cv4l2_identity *identity) {
    struct v4l2_capability capability = {0};
    int status = call(fd, VIDIOC_QUERYCAP, &capability);
    if (status < 0) return status;
    uint32_t flags = capabilities(&capability);
    *identity = (struct cv4l2_identity){
        .captures = flags & (V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_VIDEO_CAPTURE_MPLANE),
        .isMultiplanar = flags & V4L2_CAP_VIDEO_CAPTURE_MPLANE,
        .streams = flags & V4L2_CAP_STREAMING,
    };
    memcpy(identity->driver, capability.driver, sizeof identity->driver);
    memcpy(identity->card, capability.card, sizeof identity->card);
    memcpy(identity->bus, capability.bus_info, sizeof identity->bus);
    return 0;
}

// MARK: - Capabilities

int cv4l2_format(int fd, bool isMultiplanar, uint32_t index, uint32_t *code, bool *isEmulated) {
    struct v4l2_fmtdesc format = {.index = index, .type = kind(isMultiplanar)};
    int status = call(fd, VIDIOC_ENUM_FMT, &format);
    *code = format.pixelformat;
    *isEmulated = format.flags & V4L2_FMT_FLAG_EMULATED;
    return status;
}

int cv4l2_size(int fd, uint32_t code, uint32_t index, struct cv4l2_size_range *range) {
    struct v4l2_frmsizeenum size = {.index = index, .pixel_format = code};
    int status = call(fd, VIDIOC_ENUM_FRAMESIZES, &size);
    if (status < 0) return status;
    if (size.type == V4L2_FRMSIZE_TYPE_DISCRETE) {
        uint32_t width = size.discrete.width, height = size.discrete.height;
        *range = (struct cv4l2_size_range){width, width, 1, height, height, 1};
    } else {
        *range = (struct cv4l2_size_range){
            size.stepwise.min_width,  size.stepwise.max_width,  size.stepwise.step_width,
            size.stepwise.min_height, size.stepwise.max_height, size.stepwise.step_height};
    }
    return 0;
}

int cv4l2_interval(
    int fd, uint32_t code, uint32_t width, uint32_t height, uint32_t index, struct cv4l2_interval_range *range) {
    struct v4l2_frmivalenum interval = {.index = index, .pixel_format = code, .width = width, .height = height};
    int status = call(fd, VIDIOC_ENUM_FRAMEINTERVALS, &interval);
    if (status < 0) return status;
    bool isDiscrete = interval.type == V4L2_FRMIVAL_TYPE_DISCRETE;
    struct v4l2_fract shortest = isDiscrete ? interval.discrete : interval.stepwise.min;
    struct v4l2_fract longest = isDiscrete ? interval.discrete : interval.stepwise.max;
    *range = (struct cv4l2_interval_range){
        shortest.numerator, shortest.denominator, longest.numerator, longest.denominator};
    return 0;
}

// MARK: - Settings

enum cv4l2_matrix cv4l2_matrix_of(struct cv4l2_colours colours) {
    uint32_t encoding = colours.encoding;
    if (encoding == V4L2_YCBCR_ENC_DEFAULT) {
        if (colours.colorspace == V4L2_COLORSPACE_DEFAULT) return cv4l2_matrix_unknown;
        encoding = V4L2_MAP_YCBCR_ENC_DEFAULT(colours.colorspace);
    }
    switch (encoding) {
    case V4L2_YCBCR_ENC_601:
    case V4L2_YCBCR_ENC_XV601: return cv4l2_matrix_bt601;
    // SMPTE 240M differs from BT.709 by one step of 256 at most.
    case V4L2_YCBCR_ENC_SMPTE240M:
    case V4L2_YCBCR_ENC_709:
    case V4L2_YCBCR_ENC_XV709: return cv4l2_matrix_bt709;
    default: return cv4l2_matrix_unknown;
    }
}

bool cv4l2_is_full_range(struct cv4l2_colours colours, bool isGrey) {
    uint32_t quantization = colours.quantization;
    if (quantization == V4L2_QUANTIZATION_DEFAULT)
        quantization = isGrey ? V4L2_QUANTIZATION_FULL_RANGE
                              : V4L2_MAP_QUANTIZATION_DEFAULT(false, colours.colorspace, colours.encoding);
    return quantization == V4L2_QUANTIZATION_FULL_RANGE;
}

int cv4l2_set_layout(int fd, bool isMultiplanar, struct cv4l2_layout *layout) {
    struct v4l2_format format = {.type = kind(isMultiplanar)};
    if (!isMultiplanar) {
        struct v4l2_pix_format *picture = &format.fmt.pix;
        *picture = (struct v4l2_pix_format){
            .width = layout->width, .height = layout->height, .pixelformat = layout->code, .field = V4L2_FIELD_NONE};
        int status = call(fd, VIDIOC_S_FMT, &format);
        if (status < 0) return status;
        *layout = (struct cv4l2_layout){
            .code = picture->pixelformat, .width = picture->width, .height = picture->height, .planeCount = 1,
            .stride = {picture->bytesperline}, .byteCount = {picture->sizeimage},
            .colours = {picture->colorspace, picture->ycbcr_enc, picture->quantization}};
        return 0;
    }
    struct v4l2_pix_format_mplane *picture = &format.fmt.pix_mp;
    picture->width = layout->width;
    picture->height = layout->height;
    picture->pixelformat = layout->code;
    picture->field = V4L2_FIELD_NONE;
    int status = call(fd, VIDIOC_S_FMT, &format);
    if (status < 0) return status;
    if (picture->num_planes > cv4l2_plane_capacity) return -EINVAL;
    *layout = (struct cv4l2_layout){
        .code = picture->pixelformat, .width = picture->width, .height = picture->height,
        .planeCount = picture->num_planes,
        .colours = {picture->colorspace, picture->ycbcr_enc, picture->quantization}};
    for (uint32_t plane = 0; plane < picture->num_planes; plane++) {
        layout->stride[plane] = picture->plane_fmt[plane].bytesperline;
        layout->byteCount[plane] = picture->plane_fmt[plane].sizeimage;
    }
    return 0;
}

int cv4l2_set_interval(int fd, bool isMultiplanar, uint32_t *numerator, uint32_t *denominator) {
    struct v4l2_streamparm parameters = {.type = kind(isMultiplanar)};
    parameters.parm.capture.timeperframe = (struct v4l2_fract){*numerator, *denominator};
    int status = call(fd, VIDIOC_S_PARM, &parameters);
    if (status < 0) return status;
    *numerator = parameters.parm.capture.timeperframe.numerator;
    *denominator = parameters.parm.capture.timeperframe.denominator;
    return 0;
}

// MARK: - Buffers

int cv4l2_request_buffers(int fd, bool isMultiplanar, uint32_t count) {
    struct v4l2_requestbuffers request = {.count = count, .type = kind(isMultiplanar), .memory = V4L2_MEMORY_MMAP};
    int status = call(fd, VIDIOC_REQBUFS, &request);
    return status < 0 ? status : (int)request.count;
}

static void prepare(struct v4l2_buffer *buffer, struct v4l2_plane *planes, bool isMultiplanar, uint32_t index) {
    memset(buffer, 0, sizeof *buffer);
    memset(planes, 0, sizeof *planes * VIDEO_MAX_PLANES);
    buffer->type = kind(isMultiplanar);
    buffer->memory = V4L2_MEMORY_MMAP;
    buffer->index = index;
    if (!isMultiplanar) return;
    buffer->m.planes = planes;
    buffer->length = VIDEO_MAX_PLANES;
}

static int map_plane(int fd, struct cv4l2_mapping *mapping, size_t byteCount, int64_t offset) {
    void *base = v4l2_mmap(NULL, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
    if (base == MAP_FAILED) return -errno;
    mapping->base[mapping->planeCount] = base;
    mapping->byteCount[mapping->planeCount] = byteCount;
    mapping->planeCount++;
    return 0;
}

int cv4l2_map(int fd, bool isMultiplanar, uint32_t index, struct cv4l2_mapping *mapping) {
    struct v4l2_buffer buffer;
    struct v4l2_plane planes[VIDEO_MAX_PLANES];
    prepare(&buffer, planes, isMultiplanar, index);
    *mapping = (struct cv4l2_mapping){0};
    int status = call(fd, VIDIOC_QUERYBUF, &buffer);
    if (status < 0) return status;
    if (!isMultiplanar) return map_plane(fd, mapping, buffer.length, buffer.m.offset);
    if (buffer.length > cv4l2_plane_capacity) return -EINVAL;
    for (uint32_t plane = 0; plane < buffer.length && status >= 0; plane++) {
        status = map_plane(fd, mapping, planes[plane].length, planes[plane].m.mem_offset);
    }
    if (status < 0) cv4l2_unmap(mapping);
    return status;
}

void cv4l2_unmap(const struct cv4l2_mapping *mapping) {
    for (uint32_t plane = 0; plane < mapping->planeCount; plane++) {
        v4l2_munmap(mapping->base[plane], mapping->byteCount[plane]);
    }
}

int cv4l2_export(int fd, bool isMultiplanar, uint32_t index, uint32_t plane) {
    struct v4l2_exportbuffer buffer = {
        .type = kind(isMultiplanar), .index = index, .plane = plane, .flags = O_CLOEXEC | O_RDONLY};
    // libv4l2 has no wrapper for this call.
    int status;
    do status = ioctl(fd, VIDIOC_EXPBUF, &buffer);
    while (status < 0 && errno == EINTR);
    return status < 0 ? -errno : buffer.fd;
}

int cv4l2_queue(int fd, bool isMultiplanar, uint32_t index) {
    struct v4l2_buffer buffer;
    struct v4l2_plane planes[VIDEO_MAX_PLANES];
    prepare(&buffer, planes, isMultiplanar, index);
    return call(fd, VIDIOC_QBUF, &buffer);
}

int cv4l2_dequeue(int fd, bool isMultiplanar, struct cv4l2_filled *filled) {
    struct v4l2_buffer buffer;
    struct v4l2_plane planes[VIDEO_MAX_PLANES];
    prepare(&buffer, planes, isMultiplanar, 0);
    // libv4l2 writes to standard error if it is asked for a buffer and there is none.
    int ready = cv4l2_wait(fd, 0);
    if (ready <= 0) return ready < 0 ? ready : -EAGAIN;
    int status = call(fd, VIDIOC_DQBUF, &buffer);
    if (status < 0) return status;
    *filled = (struct cv4l2_filled){
        .index = buffer.index,
        .sequence = buffer.sequence,
        .nanoseconds = buffer.timestamp.tv_sec * 1000000000LL + buffer.timestamp.tv_usec * 1000LL,
        .isMonotonic = (buffer.flags & V4L2_BUF_FLAG_TIMESTAMP_MASK) == V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC,
        .isDamaged = buffer.flags & V4L2_BUF_FLAG_ERROR,
        .planeCount = 1,
        .byteCount = {buffer.bytesused},
    };
    if (!isMultiplanar) return 0;
    filled->planeCount = buffer.length < cv4l2_plane_capacity ? buffer.length : cv4l2_plane_capacity;
    for (uint32_t plane = 0; plane < filled->planeCount; plane++) {
        filled->offset[plane] = planes[plane].data_offset;
        filled->byteCount[plane] = planes[plane].bytesused;
    }
    return 0;
}

int cv4l2_stream(int fd, bool isMultiplanar, bool isOn) {
    int type = (int)kind(isMultiplanar);
    return call(fd, isOn ? VIDIOC_STREAMON : VIDIOC_STREAMOFF, &type);
}

int cv4l2_wait(int fd, int milliseconds) {
    struct pollfd descriptor = {.fd = fd, .events = POLLIN};
    int count = poll(&descriptor, 1, milliseconds);
    if (count < 0) return errno == EINTR ? 0 : -errno;
    if (count > 0 && descriptor.revents & (POLLERR | POLLHUP | POLLNVAL) && !(descriptor.revents & POLLIN)) return -EIO;
    return count;
}

// MARK: - Controls

static enum cv4l2_control_kind control_kind(uint32_t type) {
    switch (type) {
    case V4L2_CTRL_TYPE_INTEGER:
    case V4L2_CTRL_TYPE_INTEGER64:
    case V4L2_CTRL_TYPE_BITMASK: return cv4l2_control_integer;
    case V4L2_CTRL_TYPE_BOOLEAN: return cv4l2_control_boolean;
    case V4L2_CTRL_TYPE_MENU: return cv4l2_control_menu;
    case V4L2_CTRL_TYPE_BUTTON: return cv4l2_control_button;
    default: return cv4l2_control_other;
    }
}

static int value_of(int fd, uint32_t id, uint32_t type, int64_t *value) {
    struct v4l2_ext_control control = {.id = id};
    struct v4l2_ext_controls controls = {.which = V4L2_CTRL_WHICH_CUR_VAL, .count = 1, .controls = &control};
    int status = call(fd, VIDIOC_G_EXT_CTRLS, &controls);
    if (status < 0) return status;
    *value = type == V4L2_CTRL_TYPE_INTEGER64 ? control.value64 : control.value;
    return 0;
}

int cv4l2_control_after(int fd, uint32_t previous, struct cv4l2_control *control) {
    struct v4l2_query_ext_ctrl query = {.id = previous | V4L2_CTRL_FLAG_NEXT_CTRL};
    int status;
    while ((status = call(fd, VIDIOC_QUERY_EXT_CTRL, &query)) == 0) {
        if (query.type != V4L2_CTRL_TYPE_CTRL_CLASS && !(query.flags & V4L2_CTRL_FLAG_DISABLED)) break;
        query.id |= V4L2_CTRL_FLAG_NEXT_CTRL;
    }
    if (status < 0) return status;
    *control = (struct cv4l2_control){
        .id = query.id, .kind = control_kind(query.type), .minimum = query.minimum, .maximum = query.maximum,
        .step = (int64_t)query.step, .usual = query.default_value, .value = query.default_value,
        .isReadOnly = query.flags & V4L2_CTRL_FLAG_READ_ONLY, .isInactive = query.flags & V4L2_CTRL_FLAG_INACTIVE};
    memcpy(control->name, query.name, sizeof control->name);
    if (control->kind == cv4l2_control_button || control->kind == cv4l2_control_other) return 0;
    // If the current value cannot be read, the default is shown.
    value_of(fd, query.id, query.type, &control->value);
    return 0;
}

int cv4l2_menu_entry(int fd, uint32_t control, uint32_t index, char name[32]) {
    struct v4l2_querymenu entry = {.id = control, .index = index};
    int status = call(fd, VIDIOC_QUERYMENU, &entry);
    if (status == 0) memcpy(name, entry.name, sizeof entry.name);
    return status;
}

int cv4l2_set_control(int fd, uint32_t id, int64_t value) {
    struct v4l2_query_ext_ctrl query = {.id = id};
    int status = call(fd, VIDIOC_QUERY_EXT_CTRL, &query);
    if (status < 0) return status;
    struct v4l2_ext_control control = {.id = id};
    if (query.type == V4L2_CTRL_TYPE_INTEGER64) control.value64 = value;
    else control.value = (int32_t)value;
    struct v4l2_ext_controls controls = {.which = V4L2_CTRL_WHICH_CUR_VAL, .count = 1, .controls = &control};
    return call(fd, VIDIOC_S_EXT_CTRLS, &controls);
}

int cv4l2_force_key_frame(int fd) {
    return cv4l2_set_control(fd, V4L2_CID_MPEG_VIDEO_FORCE_KEY_FRAME, 1);
}
