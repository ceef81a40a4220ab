#include "Libcurl.h"

#include "CCurl.h"

struct libcurl libcurl;

#define functions libcurl

static bool find_functions(void *handle) {
    return true LIBCURL_FUNCTIONS(FIND) && libcurl.curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

static struct lazy_library library = {.file = "libcurl.so.4", .find_functions = find_functions};

const char *apus_load_curl(void) { return load_lazily(&library); }
