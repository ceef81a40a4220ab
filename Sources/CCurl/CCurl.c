#include "CCurl.h"
#include "Libcurl.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

struct apus_http {
    CURL *curl;
    struct curl_slist *headers;
    // The status of the current response.
    size_t received;
    char failure[CURL_ERROR_SIZE];
    apus_http_permits permits;
    void *context;
    // The address to which the last call was not permitted to connect; empty if there was none.
    char refused[INET6_ADDRSTRLEN];
};

// Discards the response body, and ends a transfer whose body is too long.
enum { maximum_body_size = 65536 };

static const char content_type[] = "Content-Type: application/json";

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

static curl_socket_t open_permitted(void *http, curlsocktype purpose, struct curl_sockaddr *address) {
    (void)purpose;
    apus_http *self = http;
    const void *number = NULL;
    if (address->family == AF_INET) number = &((struct sockaddr_in *)&address->addr)->sin_addr;
    if (address->family == AF_INET6) number = &((struct sockaddr_in6 *)&address->addr)->sin6_addr;
    char text[INET6_ADDRSTRLEN];
    if (number == NULL || inet_ntop(address->family, number, text, sizeof text) == NULL) return CURL_SOCKET_BAD;
    if (!self->permits(self->context, text)) {
        snprintf(self->refused, sizeof self->refused, "%s", text);
        return CURL_SOCKET_BAD;
    }
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

bool apus_http_restrict(apus_http *http, apus_http_permits permits, void *context) {
    http->permits = permits;
    http->context = context;
    return libcurl.curl_easy_setopt(http->curl, CURLOPT_OPENSOCKETFUNCTION, open_permitted) == CURLE_OK
        && libcurl.curl_easy_setopt(http->curl, CURLOPT_OPENSOCKETDATA, http) == CURLE_OK
        && libcurl.curl_easy_setopt(http->curl, CURLOPT_NOPROXY, "*") == CURLE_OK;
}

bool apus_http_set_headers(apus_http *http, const char *const *lines, size_t count) {
    struct curl_slist *headers = libcurl.curl_slist_append(NULL, content_type);
    for (size_t i = 0; i < count && headers != NULL; i++) {
        struct curl_slist *longer = libcurl.curl_slist_append(headers, lines[i]);
        if (longer == NULL) libcurl.curl_slist_free_all(headers);
        headers = longer;
    }
    if (headers == NULL || libcurl.curl_easy_setopt(http->curl, CURLOPT_HTTPHEADER, headers) != CURLE_OK) {
        libcurl.curl_slist_free_all(headers);
        return false;
    }
    libcurl.curl_slist_free_all(http->headers);
    http->headers = headers;
    return true;
}

apus_http *apus_http_make(const char *url) {
    apus_http *http = calloc(1, sizeof *http);
    if (http == NULL) return NULL;
    http->curl = libcurl.curl_easy_init();
    http->headers = libcurl.curl_slist_append(NULL, content_type);
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
    http->refused[0] = 0;
    libcurl.curl_easy_setopt(http->curl, CURLOPT_POSTFIELDS, (const char *)body);
    libcurl.curl_easy_setopt(http->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
    libcurl.curl_easy_setopt(http->curl, CURLOPT_TIMEOUT_MS, milliseconds);
    CURLcode code = libcurl.curl_easy_perform(http->curl);
    // A body that is late or too long does not change the status; a status below 200 announces another one.
    long status = 0;
    libcurl.curl_easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE, &status);
    if (status < 200) status = 0;
    if (status == 0 && http->refused[0] != 0) {
        snprintf(
            http->failure, sizeof http->failure, "access.connectAllow and connectDeny do not permit %s", http->refused);
    } else if (status == 0 && http->failure[0] == 0) {
        const char *reason = code == CURLE_OK ? "the response has no status" : libcurl.curl_easy_strerror(code);
        snprintf(http->failure, sizeof http->failure, "%s", reason);
    }
    return status;
}

const char *apus_http_failure(const apus_http *http) { return http->failure; }
