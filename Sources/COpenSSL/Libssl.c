#include "Libssl.h"

#include "COpenSSL.h"

struct libssl libssl;

#define functions libssl

// dlsym on a library also finds the symbols of its dependencies.
static bool find_functions(void *handle) {
    return true LIBSSL_FUNCTIONS(FIND) && make_connection_method() && make_datagram_method();
}

static struct lazy_library library = {
    .file = "libssl.so." OPENSSL_MSTR(OPENSSL_SHLIB_VERSION),
    .find_functions = find_functions,
};

const char *apus_load_libssl(void) { return load_lazily(&library); }
