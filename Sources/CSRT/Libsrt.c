#include "Libsrt.h"

#include "CSRT.h"

#include <stdatomic.h>
#include <syslog.h>

struct libsrt libsrt;

#define functions libsrt

static _Atomic(apus_srt_log_line) log_line;

// libsrt calls this in its own threads.
static void pass_on(void *opaque, int level, const char *file, int line, const char *area, const char *message) {
    (void)opaque;
    (void)file;
    (void)line;
    (void)area;
    apus_srt_log_line current = atomic_load_explicit(&log_line, memory_order_acquire);
    if (current != NULL) current(level <= LOG_CRIT, message);
}

void apus_srt_log_to(apus_srt_log_line function) {
    atomic_store_explicit(&log_line, function, memory_order_release);
}

static bool find_functions(void *handle) {
    if (!(true LIBSRT_FUNCTIONS(FIND))) return false;
    // Without a handler, libsrt writes to stderr from its first call on.
    libsrt.srt_setloghandler(NULL, pass_on);
    libsrt.srt_setlogflags(
        SRT_LOGF_DISABLE_TIME | SRT_LOGF_DISABLE_THREADNAME | SRT_LOGF_DISABLE_SEVERITY | SRT_LOGF_DISABLE_EOL);
    libsrt.srt_setloglevel(LOG_ERR);
    // The process uses the library until it exits, when libsrt cleans up by itself.
    return libsrt.srt_startup() >= 0;
}

// The gnutls build: libavformat loads it, and two builds in one process would share their symbols.
static struct lazy_library library = {.file = "libsrt-gnutls.so.1.5", .find_functions = find_functions};

const char *apus_load_srt(void) { return load_lazily(&library); }
