#include "CFFmpeg.h"

#include <stddef.h>

// The owner of a reader. libavformat looks for the options of a reader's protocol in its children.
struct resource {
    const AVClass *class;
    char *location;
    char *media_type;
    void *owner;
    struct apus_resource_calls calls;
};

#define READ_ONLY (AV_OPT_FLAG_EXPORT | AV_OPT_FLAG_READONLY)

static const AVOption resource_options[] = {
    {"location", NULL, offsetof(struct resource, location), AV_OPT_TYPE_STRING, {.str = NULL}, 0, 0, READ_ONLY, NULL},
    {"mime_type", NULL, offsetof(struct resource, media_type), AV_OPT_TYPE_STRING, {.str = NULL}, 0, 0, READ_ONLY, NULL},
    {NULL, NULL, 0, 0, {0}, 0, 0, 0, NULL},
};

static const AVClass resource_class = {
    .class_name = "resource",
    .item_name = av_default_item_name,
    .option = resource_options,
    .version = LIBAVUTIL_VERSION_INT,
};

static void *next_child(void *reader, void *previous) {
    return previous == NULL ? ((AVIOContext *)reader)->opaque : NULL;
}

static const AVClass reader_class = {
    .class_name = "AVIOContext",
    .item_name = av_default_item_name,
    .version = LIBAVUTIL_VERSION_INT,
    .child_next = next_child,
};

static int read_resource(void *opaque, uint8_t *buffer, int size) {
    struct resource *resource = opaque;
    return resource->calls.read(resource->owner, buffer, size);
}

// libavformat only moves to positions from the start.
static int64_t seek_resource(void *opaque, int64_t position, int whence) {
    struct resource *resource = opaque;
    switch (whence & ~AVSEEK_FORCE) {
    case AVSEEK_SIZE: return resource->calls.size(resource->owner);
    case SEEK_SET: return resource->calls.seek(resource->owner, position);
    default: return AVERROR(EINVAL);
    }
}

static void free_resource(struct resource *resource) {
    if (resource == NULL) return;
    av_free(resource->location);
    av_free(resource->media_type);
    av_free(resource);
}

AVIOContext *apus_open_resource(
    void *owner, struct apus_resource_calls calls, const char *location, const char *media_type) {
    const int size = 32768;
    struct resource *resource = av_mallocz(sizeof *resource);
    uint8_t *buffer = av_malloc(size);
    AVIOContext *reader = NULL;
    if (resource != NULL && buffer != NULL) {
        resource->class = &resource_class;
        resource->location = av_strdup(location);
        resource->media_type = av_strdup(media_type);
        resource->owner = owner;
        resource->calls = calls;
        reader = avio_alloc_context(
            buffer, size, 0, resource, read_resource, NULL, calls.seek != NULL ? seek_resource : NULL);
    }
    if (reader != NULL) {
        reader->av_class = &reader_class;
        return reader;
    }
    av_free(buffer);
    free_resource(resource);
    return NULL;
}

void apus_close_resource(AVIOContext *reader) {
    if (reader == NULL) return;
    free_resource(reader->opaque);
    av_freep(&reader->buffer);
    avio_context_free(&reader);
}
