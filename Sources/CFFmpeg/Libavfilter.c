// libavfilter, loaded when effects are first used: it pulls in 32 shared objects, 11 MB and 10 ms.
#include "CLazyLibrary.h"

#pragma GCC visibility push(hidden)
#include "CFFmpeg.h"
#pragma GCC visibility pop

#define FUNCTIONS(EACH) \
    EACH(avfilter_get_by_name) \
    EACH(avfilter_graph_alloc) \
    EACH(avfilter_graph_config) \
    EACH(avfilter_graph_create_filter) \
    EACH(avfilter_graph_free) \
    EACH(avfilter_graph_parse2) \
    EACH(avfilter_inout_free) \
    EACH(avfilter_link) \
    EACH(avfilter_pad_get_type) \
    EACH(av_buffersink_get_frame) \
    EACH(av_buffersink_get_frame_rate) \
    EACH(av_buffersink_get_h) \
    EACH(av_buffersink_get_time_base) \
    EACH(av_buffersink_get_w) \
    EACH(av_buffersrc_add_frame_flags)

static struct { FUNCTIONS(POINTER_TO) } functions;

static bool find_functions(void *handle) { return true FUNCTIONS(FIND); }

static struct lazy_library library = {
    .file = "libavfilter.so." AV_STRINGIFY(LIBAVFILTER_VERSION_MAJOR),
    .find_functions = find_functions,
};

const char *apus_load_libavfilter(void) { return load_lazily(&library); }

const AVFilter *avfilter_get_by_name(const char *name) { return functions.avfilter_get_by_name(name); }

AVFilterGraph *avfilter_graph_alloc(void) { return functions.avfilter_graph_alloc(); }

int avfilter_graph_config(AVFilterGraph *graph, void *log) { return functions.avfilter_graph_config(graph, log); }

int avfilter_graph_create_filter(
    AVFilterContext **context, const AVFilter *filter, const char *name, const char *options, void *opaque,
    AVFilterGraph *graph) {
    return functions.avfilter_graph_create_filter(context, filter, name, options, opaque, graph);
}

void avfilter_graph_free(AVFilterGraph **graph) { functions.avfilter_graph_free(graph); }

int avfilter_graph_parse2(AVFilterGraph *graph, const char *filters, AVFilterInOut **inputs, AVFilterInOut **outputs) {
    return functions.avfilter_graph_parse2(graph, filters, inputs, outputs);
}

void avfilter_inout_free(AVFilterInOut **end) { functions.avfilter_inout_free(end); }

int avfilter_link(AVFilterContext *source, unsigned output, AVFilterContext *destination, unsigned input) {
    return functions.avfilter_link(source, output, destination, input);
}

enum AVMediaType avfilter_pad_get_type(const AVFilterPad *pads, int index) {
    return functions.avfilter_pad_get_type(pads, index);
}

int av_buffersink_get_frame(AVFilterContext *sink, AVFrame *frame) {
    return functions.av_buffersink_get_frame(sink, frame);
}

AVRational av_buffersink_get_frame_rate(const AVFilterContext *sink) {
    return functions.av_buffersink_get_frame_rate(sink);
}

int av_buffersink_get_h(const AVFilterContext *sink) { return functions.av_buffersink_get_h(sink); }

AVRational av_buffersink_get_time_base(const AVFilterContext *sink) {
    return functions.av_buffersink_get_time_base(sink);
}

int av_buffersink_get_w(const AVFilterContext *sink) { return functions.av_buffersink_get_w(sink); }

int av_buffersrc_add_frame_flags(AVFilterContext *source, AVFrame *frame, int flags) {
    return functions.av_buffersrc_add_frame_flags(source, frame, flags);
}
