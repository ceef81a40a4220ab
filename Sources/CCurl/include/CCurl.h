// HTTP POST with libcurl, which is loaded on first use.
#ifndef CCURL_H
#define CCURL_H

#include <stddef.h>
#include <stdint.h>

// Loads the library. Returns NULL on success, else the reason, valid until the thread's next call. Call it before the other
// functions. Callable from any thread; after a failure the next call tries again.
const char *apus_load_curl(void);

// A client that posts JSON to one URL (http or https) without following redirects. Confined to one thread at a time.
typedef struct apus_http apus_http;

// Returns NULL if there is no memory or the URL is invalid.
apus_http *apus_http_make(const char *url);
void apus_http_free(apus_http *http);

// Posts `count` bytes and waits up to the timeout. Returns the HTTP status, or 0; `apus_http_failure` then gives the reason.
long apus_http_post(apus_http *http, const uint8_t *body, size_t count, long milliseconds);

// libcurl's message; valid until the next call.
const char *apus_http_failure(const apus_http *http);

#endif
