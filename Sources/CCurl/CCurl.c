#include "CCurl.h"
#include "Libcurl.h"

#include <stdio.h>
#include <stdlib.h>

struct apus_http {
    CURL *curl;
    struct curl_slist *headers;
    // The status of the current response.
    size_t received;
    char failure[CURL_ERROR_SIZE];
};

// Discards the response body, and ends a transfer whose body is too long.
enum { maximum_body_size = 65536 };

static size_t discard_body(char *bytes, size_t size, size_t count, void *http) {
    size_t *received = &((apus_http *)http)->received;
    *received += size * count;
    return *received <= maximum_body_size ? size * count : 0;
}

static bool set_up(apus_http *http, const char *url) {
    CURL *curl = http->curl;
    return libcurl.curl_easy_setopt(curl, CURLOPT_URL, url) == CURLE_OK
        && libcurl.curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK
        && libcurl.curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L) == CURLE_OK
        // Signals are used by other parts of this multithreaded process.
        && libcurl.curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L) == CURLE_OK
        && libcurl.curl_easy_setopt(curl, CURLOPT_HTTPHEADER, http->headers) == CURLE_OK
        && libcurl.curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, discard_body) == CURLE_OK
        && libcurl.curl_easy_setopt(curl, CURLOPT_WRITEDATA, http) == CURLE_OK
        && libcurl.curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, http->failure) == CURLE_OK;
}

apus_http *apus_http_make(const char *url) {
    apus_http *http = calloc(1, sizeof *http);
    if (http == NULL) return NULL;
    http->curl = libcurl.curl_easy_init();
    http->headers = libcurl.curl_slist_append(NULL, "Content-Type: application/json");
    if (http->curl != NULL && http->headers != NULL && set_up(http, url)) return http;
    apus_http_free(http);
    return NULL;
}

void apus_http_free(apus_http *http) {
    if (http == NULL) return;
    libcurl.curl_easy_cleanup(http->curl);
    libcurl.curl_slist_free_all(http->headers);
    free(http);
}

long apus_http_post(apus_http *http, const uint8_t *body, size_t count, long milliseconds) {
    http->failure[0] = 0;
    http->received = 0;
    libcurl.curl_easy_setopt(http->curl, CURLOPT_POSTFIELDS, (const char *)body);
    libcurl.curl_easy_setopt(http->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
    libcurl.curl_easy_setopt(http->curl, CURLOPT_TIMEOUT_MS, milliseconds);
    CURLcode code = libcurl.curl_easy_perform(http->curl);
    // A body that is late or too long does not change the status; a status below 200 announces another one.
    long status = 0;
    libcurl.curl_easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE, &status);
    if (status < 200) status = 0;
    if (status == 0 && http->failure[0] == 0) {
        const char *reason = code == CURLE_OK ? "the response has no status" : libcurl.curl_easy_strerror(code);
        snprintf(http->failure, sizeof http->failure, "%s", reason);
    }
    return status;
}

const char *apus_http_failure(const apus_http *http) { return http->failure; }
