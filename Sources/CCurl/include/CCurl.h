// Posting to a web server, by libcurl, which is loaded when it is first needed.
#ifndef CCURL_H
#define CCURL_H

#include <stddef.h>
#include <stdint.h>

// NULL once the library is there; else why not, which lives until the thread's next call. To be called before anything else
// here is. From any thread; what failed is tried again.
const char *apus_load_curl(void);

// Posts JSON to one URL, http or https, and follows it nowhere. Confined to one thread at a time.
typedef struct apus_http apus_http;

// NULL where there is no memory, or the URL is none.
apus_http *apus_http_make(const char *url);
void apus_http_free(apus_http *http);

// Posts so many bytes and waits so long at most: the status of the answer, or 0, and then `apus_http_failure` says why.
long apus_http_post(apus_http *http, const uint8_t *body, size_t count, long milliseconds);

// In libcurl's words; valid until the next call.
const char *apus_http_failure(const apus_http *http);

#endif
