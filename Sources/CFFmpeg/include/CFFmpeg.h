// The FFmpeg libraries (libavcodec 59 and newer), with the macros and callbacks that Swift does not import.
#ifndef CFFMPEG_H
#define CFFMPEG_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include <libavcodec/avcodec.h>
#include <libavcodec/bsf.h>
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavformat/avformat.h>
#include <libavutil/aes.h>
#include <libavutil/audio_fifo.h>
#include <libavutil/channel_layout.h>
#include <libavutil/dict.h>
#include <libavutil/display.h>
#include <libavutil/error.h>
#include <libavutil/frame.h>
#include <libavutil/hwcontext.h>
#include <libavutil/hwcontext_drm.h>
#include <libavutil/imgutils.h>
#include <libavutil/log.h>
#include <libavutil/macros.h>
#include <libavutil/mathematics.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>

// Error codes: macros over errno and four-character tags.
static const int apus_averror_eacces = AVERROR(EACCES);
static const int apus_averror_eagain = AVERROR(EAGAIN);
static const int apus_averror_einval = AVERROR(EINVAL);
static const int apus_averror_enomem = AVERROR(ENOMEM);
static const int apus_averror_eio = AVERROR(EIO);
static const int apus_averror_eof = AVERROR_EOF;
static const int apus_averror_exit = AVERROR_EXIT;
static const int apus_averror_invalid_data = AVERROR_INVALIDDATA;

// The value for "no timestamp": INT64_MIN, behind a cast that Swift does not import.
static const int64_t apus_nopts = AV_NOPTS_VALUE;
// Microseconds, the time base of AVFormatContext.
static const AVRational apus_time_base = {1, AV_TIME_BASE};

// DRM_FORMAT_NV12 and DRM_FORMAT_MOD_LINEAR of the kernel's drm_fourcc.h.
static const uint32_t apus_drm_nv12 = MKTAG('N', 'V', '1', '2');
static const uint64_t apus_drm_linear = 0;

// libavfilter and libavformat are loaded on first use: call these before any of their functions. They return NULL on success
// (some milliseconds the first time), else the reason, valid until the thread's next such call. Callable from any thread;
// after a failure the next call tries again.
const char *apus_load_libavfilter(void);
const char *apus_load_libavformat(void);
/// Input of libavformat that calls `read`, which returns a number of bytes, or an AVERROR. NULL without memory.
AVIOContext *apus_open_reader(void *opaque, int (*read)(void *opaque, uint8_t *buffer, int size));
/// Frees what `apus_open_reader` has returned, and sets the pointer to NULL. Do this after closing its format context.
void apus_close_reader(AVIOContext **reader);

// How a resource of a URL is read.
struct apus_resource_calls {
    // Returns a number of bytes, or an AVERROR.
    int (*read)(void *owner, uint8_t *buffer, int size);
    // Moves to a position. NULL if that is not possible.
    int64_t (*seek)(void *owner, int64_t position);
    // The number of bytes; only called if there is `seek`.
    int64_t (*size)(void *owner);
};
/// Input of libavformat that knows its URL, to which other URLs in it are relative, and its type. NULL without memory.
AVIOContext *apus_open_resource(
    void *owner, struct apus_resource_calls calls, const char *location, const char *media_type);
/// Frees what `apus_open_resource` has returned.
void apus_close_resource(AVIOContext *reader);

// Receives lines of libav's log; `level` is one of AV_LOG_*, `line` has no newline and is valid only during the call.
typedef void (*apus_log_line)(int level, const char *line);

// Passes every line of at least `level` (such as AV_LOG_WARNING) to `sink`; NULL silences the libraries. Process-wide; lines
// may come from any thread.
void apus_set_log_sink(int level, apus_log_line sink);

// Stops the libraries from writing to standard error before a sink is set. Call it before their first use.
void apus_log_default_quiet(void);

// Captures the log lines of the calling thread from now on; they do not reach the sink. For attempts that may fail.
void apus_log_hold(void);

// Ends apus_log_hold; returns the first captured error, without a newline, or "". It is valid until the next hold.
const char *apus_log_release(void);

// The last captured error, as for apus_log_release: it often names the operation that failed.
const char *apus_log_last_held(void);

// The degrees by which players rotate the frames of `stream` clockwise: 0, 90, 180 or 270.
int apus_rotation(const AVStream *stream);

// The encoder's quality stats of `packet`: lambda of the frame's average quantizer; −1 if there are none.
int apus_packet_quality(const AVPacket *packet);

#endif
