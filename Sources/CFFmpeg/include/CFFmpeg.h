// The FFmpeg libraries (libavcodec 59 and newer), and the macros and callbacks of theirs that Swift cannot see.
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
static const int apus_averror_eagain = AVERROR(EAGAIN);
static const int apus_averror_einval = AVERROR(EINVAL);
static const int apus_averror_enomem = AVERROR(ENOMEM);
static const int apus_averror_eio = AVERROR(EIO);
static const int apus_averror_eof = AVERROR_EOF;
static const int apus_averror_exit = AVERROR_EXIT;
static const int apus_averror_invalid_data = AVERROR_INVALIDDATA;

// The absence of a timestamp: INT64_MIN, behind a cast that Swift does not import.
static const int64_t apus_nopts = AV_NOPTS_VALUE;
// Microseconds, the time base of AVFormatContext.
static const AVRational apus_time_base = {1, AV_TIME_BASE};

// DRM_FORMAT_NV12 and DRM_FORMAT_MOD_LINEAR of the kernel's drm_fourcc.h.
static const uint32_t apus_drm_nv12 = MKTAG('N', 'V', '1', '2');
static const uint64_t apus_drm_linear = 0;

// libavfilter and libavformat are loaded when they are first needed: before anything else of theirs is called, call these.
// NULL once the library is there, which takes some milliseconds the first time; else why it cannot be loaded, which lives
// until the thread's next such call. From any thread; what failed is tried again.
const char *apus_load_libavfilter(void);
const char *apus_load_libavformat(void);

// Where a line of libav's log goes; `level` is one of AV_LOG_*, `line` has no newline and lives only during the call.
typedef void (*apus_log_line)(int level, const char *line);

// Hands every line of at least `level` (AV_LOG_WARNING and more severe, say) to `sink`; NULL silences the libraries.
// Process-wide; lines may come from any thread.
void apus_set_log_sink(int level, apus_log_line sink);

// Keeps the libraries from writing to standard error before a sink is set; call it before the first use of them.
void apus_log_default_quiet(void);

// From here on, what the calling thread makes the libraries say is not handed to the sink. For trials, which may well fail.
void apus_log_hold(void);

// Ends apus_log_hold; returns the first error that was said meanwhile, without a newline, or "". It lives until the next hold.
const char *apus_log_release(void);

// The last error that was said while the log was held, as apus_log_release: often what the first one came from.
const char *apus_log_last_held(void);

// By how many degrees a player is to turn the pictures of `stream` clockwise before it shows them: 0, 90, 180 or 270.
int apus_rotation(const AVStream *stream);

// The quality stats an encoder attached to `packet`: lambda of the picture's average quantizer; −1 where there are none.
int apus_packet_quality(const AVPacket *packet);

#endif
