#include "Libssl.h"

#include "COpenSSL.h"

struct libssl libssl;

#define functions libssl

// A library finds the symbols of those that it depends on, too.
static bool find_functions(void *handle) { return true LIBSSL_FUNCTIONS(FIND) && make_connection_method(); }

static struct lazy_library library = {
    .file = "libssl.so." OPENSSL_MSTR(OPENSSL_SHLIB_VERSION),
    .find_functions = find_functions,
};

const char *apus_load_libssl(void) { return load_lazily(&library); }
