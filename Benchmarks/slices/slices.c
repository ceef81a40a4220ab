// Measures when libx264 outputs each slice of a frame, and when the last: slices FRAMES.yuv THREADS SLICES (0: one per thread)
// 1280x720 I420 at 30 frames per second, 2 Mbit/s, superfast, zerolatency, as Apus configures it through libavcodec.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <x264.h>

enum { width = 1280, height = 720, frames = 300, cold = 30, most = 64 };

static double begin, slice[most];
static int count;

static double milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

// Called by the encoder's threads as each NAL unit is finished.
static void finished(x264_t *encoder, x264_nal_t *unit, void *opaque) {
    (void)opaque;
    uint8_t *bytes = malloc(unit->i_payload * 3 / 2 + 5 + 64);
    x264_nal_encode(encoder, bytes, unit);
    free(bytes);
    if (unit->i_type != NAL_SLICE && unit->i_type != NAL_SLICE_IDR) return;
    int index = __sync_fetch_and_add(&count, 1);
    if (index < most) slice[index] = milliseconds() - begin;
}

static int ascending(const void *one, const void *other) {
    double difference = *(const double *)one - *(const double *)other;
    return (difference > 0) - (difference < 0);
}

static void print(const char *name, double *values, int length) {
    qsort(values, length, sizeof *values, ascending);
    printf("  %s p50 %5.2f  p99 %5.2f ms\n", name, values[length / 2], values[length * 99 / 100]);
}

int main(int argc, char **argv) {
    FILE *file = argc == 4 ? fopen(argv[1], "rb") : NULL;
    if (!file) return fprintf(stderr, "slices FRAMES.yuv THREADS SLICES\n"), 64;
    x264_param_t settings;
    x264_param_default_preset(&settings, "superfast", "zerolatency");
    settings.i_width = width, settings.i_height = height, settings.i_fps_num = 30, settings.i_fps_den = 1;
    settings.i_threads = atoi(argv[2]), settings.b_sliced_threads = settings.i_threads > 1;
    settings.i_slice_count = atoi(argv[3]);
    settings.rc.i_rc_method = X264_RC_ABR, settings.rc.i_bitrate = settings.rc.i_vbv_max_bitrate = 2000;
    settings.rc.i_vbv_buffer_size = 200, settings.i_keyint_max = 60, settings.b_repeat_headers = 1;
    settings.nalu_process = finished, settings.i_log_level = X264_LOG_ERROR;
    x264_t *encoder = x264_encoder_open(&settings);
    x264_picture_t picture, encoded;
    x264_picture_alloc(&picture, X264_CSP_I420, width, height);
    double first[frames], last[frames];
    int length = 0;
    for (int number = 0; number < frames; number++) {
        for (int plane = 0; plane < 3; plane++) {
            size_t bytes = width * height / (plane ? 4 : 1);
            if (fread(picture.img.plane[plane], 1, bytes, file) == bytes) continue;
            rewind(file);
            if (fread(picture.img.plane[plane], 1, bytes, file) != bytes) return fprintf(stderr, "too short\n"), 1;
        }
        x264_nal_t *units;
        int unit_count;
        picture.i_pts = number, count = 0, begin = milliseconds();
        x264_encoder_encode(encoder, &units, &unit_count, &picture, &encoded);
        struct timespec pause = {0, 15000000};
        nanosleep(&pause, NULL);
        if (number < cold || !count) continue;
        first[length] = last[length] = slice[0];
        for (int index = 1; index < count && index < most; index++) {
            if (slice[index] < first[length]) first[length] = slice[index];
            if (slice[index] > last[length]) last[length] = slice[index];
        }
        length++;
    }
    printf("threads %s, slices %s (%d in the last frame)\n", argv[2], argv[3], count);
    print("first slice", first, length);
    print("last slice ", last, length);
}
