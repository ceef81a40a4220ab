// libavformat, loaded when the first file is opened: it pulls in 38 shared objects, 9 MB and 8 ms.
#include "CLazyLibrary.h"

#pragma GCC visibility push(hidden)
#include "CFFmpeg.h"
#pragma GCC visibility pop

#define FUNCTIONS(EACH) \
    EACH(av_find_best_stream) \
    EACH(av_read_frame) \
    EACH(av_seek_frame) \
    EACH(avformat_alloc_context) \
    EACH(avformat_close_input) \
    EACH(avformat_find_stream_info) \
    EACH(avformat_open_input) \
    EACH(avformat_seek_file) \
    EACH(avio_alloc_context) \
    EACH(avio_context_free)

static struct { FUNCTIONS(POINTER_TO) } functions;

static bool find_functions(void *handle) { return true FUNCTIONS(FIND); }

static struct lazy_library library = {
    .file = "libavformat.so." AV_STRINGIFY(LIBAVFORMAT_VERSION_MAJOR),
    .find_functions = find_functions,
};

const char *apus_load_libavformat(void) { return load_lazily(&library); }

int av_find_best_stream(
    AVFormatContext *context, enum AVMediaType type, int wanted, int related, const AVCodec **decoder, int flags) {
    return functions.av_find_best_stream(context, type, wanted, related, decoder, flags);
}

int av_read_frame(AVFormatContext *context, AVPacket *packet) { return functions.av_read_frame(context, packet); }

int av_seek_frame(AVFormatContext *context, int stream, int64_t time, int flags) {
    return functions.av_seek_frame(context, stream, time, flags);
}

AVFormatContext *avformat_alloc_context(void) { return functions.avformat_alloc_context(); }

void avformat_close_input(AVFormatContext **context) { functions.avformat_close_input(context); }

int avformat_find_stream_info(AVFormatContext *context, AVDictionary **options) {
    return functions.avformat_find_stream_info(context, options);
}

int avformat_open_input(
    AVFormatContext **context, const char *url, const AVInputFormat *format, AVDictionary **options) {
    return functions.avformat_open_input(context, url, format, options);
}

int avformat_seek_file(AVFormatContext *context, int stream, int64_t least, int64_t time, int64_t most, int flags) {
    return functions.avformat_seek_file(context, stream, least, time, most, flags);
}

AVIOContext *avio_alloc_context(
    unsigned char *buffer, int size, int is_writable, void *opaque, int (*read)(void *, uint8_t *, int),
    int (*write)(void *, uint8_t *, int), int64_t (*seek)(void *, int64_t, int)) {
    return functions.avio_alloc_context(buffer, size, is_writable, opaque, read, write, seek);
}

void avio_context_free(AVIOContext **context) { functions.avio_context_free(context); }
