#include "CALSA.h"

// The handler takes variable arguments, which Swift cannot declare.
static void ignore(const char *file, int line, const char *function, int code, const char *format, ...) {
    (void)file, (void)line, (void)function, (void)code, (void)format;
}

void calsa_quiet(void) {
    snd_lib_error_set_handler(ignore);
}
