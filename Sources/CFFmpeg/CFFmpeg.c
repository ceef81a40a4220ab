#include "CFFmpeg.h"

#include <libavutil/intreadwrite.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static _Atomic(apus_log_line) log_sink;
static atomic_int log_level = AV_LOG_QUIET;

// libav writes a line in pieces; each thread collects its own pieces.
static _Thread_local char pending[1024];
static _Thread_local int print_prefix = 1;

// The first and the last error of a thread, while it captures its log.
static _Thread_local bool holding;
static _Thread_local char first_error[512];
static _Thread_local char last_error[512];

// Keeps the first error and the last; those between only follow from the first.
static void keep(void *context, int severity, const char *format, va_list arguments) {
    if (severity > AV_LOG_ERROR) return;
    char piece[512];
    int prefix = 0;
    av_log_format_line2(context, severity, format, arguments, piece, sizeof piece, &prefix);
    strncat(pending, piece, sizeof pending - strlen(pending) - 1);
    size_t length = strcspn(pending, "\r\n");
    if (pending[length] == 0 && length < sizeof pending - 1) return;
    pending[length] = 0;
    if (first_error[0] == 0) snprintf(first_error, sizeof first_error, "%s", pending);
    if (length > 0) snprintf(last_error, sizeof last_error, "%s", pending);
    pending[0] = 0;
}

static void forward(void *context, int level, const char *format, va_list arguments) {
    apus_log_line sink = atomic_load(&log_sink);
    int severity = level & 0xff;
    if (holding) {
        keep(context, severity, format, arguments);
        return;
    }
    if (sink == NULL || severity > atomic_load(&log_level)) return;
    char piece[512];
    av_log_format_line2(context, severity, format, arguments, piece, sizeof piece, &print_prefix);
    strncat(pending, piece, sizeof pending - strlen(pending) - 1);
    size_t length = strlen(pending);
    bool whole = length > 0 && (pending[length - 1] == '\n' || pending[length - 1] == '\r');
    if (!whole && length < sizeof pending - 1) return;
    while (length > 0 && (pending[length - 1] == '\n' || pending[length - 1] == '\r')) pending[--length] = 0;
    if (length > 0) sink(severity, pending);
    pending[0] = 0;
}

void apus_set_log_sink(int level, apus_log_line sink) {
    atomic_store(&log_level, sink == NULL ? AV_LOG_QUIET : level);
    atomic_store(&log_sink, sink);
    av_log_set_level(sink == NULL ? AV_LOG_QUIET : level);
    av_log_set_callback(forward);
}

void apus_log_hold(void) {
    holding = true;
    first_error[0] = last_error[0] = pending[0] = 0;
}

const char *apus_log_release(void) {
    holding = false;
    // A message that ended without a newline is an error too.
    if (first_error[0] == 0) snprintf(first_error, sizeof first_error, "%s", pending);
    pending[0] = 0;
    return first_error;
}

const char *apus_log_last_held(void) { return last_error; }

int apus_packet_quality(const AVPacket *packet) {
    size_t length = 0;
    const uint8_t *stats = av_packet_get_side_data(packet, AV_PKT_DATA_QUALITY_STATS, &length);
    return stats != NULL && length >= 4 ? (int)AV_RL32(stats) : -1;
}

void apus_log_default_quiet(void) {
    if (atomic_load(&log_sink) == NULL) av_log_set_callback(forward);
}

int apus_rotation(const AVStream *stream) {
    const AVPacketSideData *data = NULL;
    int count = 0;
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 100)
    data = stream->codecpar->coded_side_data;
    count = stream->codecpar->nb_coded_side_data;
#else
    data = stream->side_data;
    count = stream->nb_side_data;
#endif
    for (int index = 0; index < count; index++) {
        if (data[index].type != AV_PKT_DATA_DISPLAYMATRIX || data[index].size < 9 * sizeof(int32_t)) continue;
        // Counterclockwise, from -180 to 180; NaN if the matrix is not invertible.
        double angle = av_display_rotation_get((const int32_t *) data[index].data);
        if (!(angle >= -180 && angle <= 180)) return 0;
        int quarters = (int) ((360 - angle) / 90 + 0.5);
        return quarters % 4 * 90;
    }
    return 0;
}

AVIOContext *apus_open_reader(void *opaque, int (*read)(void *opaque, uint8_t *buffer, int size)) {
    const int size = 32768;
    uint8_t *buffer = av_malloc(size);
    AVIOContext *reader = buffer ? avio_alloc_context(buffer, size, 0, opaque, read, NULL, NULL) : NULL;
    if (!reader) av_free(buffer);
    return reader;
}

void apus_close_reader(AVIOContext **reader) {
    if (*reader) av_freep(&(*reader)->buffer);
    avio_context_free(reader);
}
