// HTTP with libcurl, which is loaded on first use: POST of JSON, and downloads that are read piece by piece.
#ifndef CCURL_H
#define CCURL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

// Loads the library. Returns NULL on success, else the reason, valid until the thread's next call. Call it before the other
// functions. Callable from any thread; after a failure the next call tries again.
const char *apus_load_curl(void);

// A client that posts JSON to one URL (http or https) without following redirects. Confined to one thread at a time.
typedef struct apus_http apus_http;

// Decides whether the client may connect to this address, a numeric IPv4 or IPv6 address.
typedef bool (*apus_http_permits)(void *context, const char *address);

// Returns NULL if there is no memory or the URL is invalid.
apus_http *apus_http_make(const char *url);
void apus_http_free(apus_http *http);

// Connects only to addresses for which `permits` returns true, directly even if the environment names a proxy. Returns false if
// there is no memory.
bool apus_http_restrict(apus_http *http, apus_http_permits permits, void *context);

// Sends these header lines, each `Name: value`, beside Content-Type, in place of those of the call before. Returns false if there
// is no memory.
bool apus_http_set_headers(apus_http *http, const char *const *lines, size_t count);

// Posts `count` bytes and waits up to the timeout. Returns the HTTP status, or 0; `apus_http_failure` then gives the reason.
long apus_http_post(apus_http *http, const uint8_t *body, size_t count, long milliseconds);

// libcurl's message; valid until the next call.
const char *apus_http_failure(const apus_http *http);

// The downloads of one thread, which share connections and cookies.
typedef struct apus_downloads apus_downloads;
// The download of one resource (http or https).
typedef struct apus_download apus_download;

struct apus_download_rules {
    void *owner;
    // Whether to connect to this address. `is_trusted`: it is an address of a trusted URL, and no redirection led to it.
    bool (*permits)(void *owner, const struct sockaddr_storage *address, bool is_trusted);
    // Whether to give up. Asked every 100 ms while something is awaited.
    bool (*is_interrupted)(void *owner);
    // How long nothing may come.
    long timeout_milliseconds;
    bool verifies_certificates;
};

// What became of the last call of one of the downloads that failed.
enum apus_download_result {
    apus_download_failed,
    // No connection was permitted.
    apus_download_denied,
    apus_download_interrupted,
};

// Returns NULL without memory. `rules.owner` must exist as long as the downloads.
apus_downloads *apus_downloads_make(struct apus_download_rules rules);
// Close all downloads before.
void apus_downloads_free(apus_downloads *all);
enum apus_download_result apus_downloads_result(const apus_downloads *all);
// A message; valid until the next call.
const char *apus_downloads_failure(const apus_downloads *all);

// Opens a resource from byte `first` to before byte `end`, or to its end if `end` is negative. Waits for its first bytes. Returns NULL
// if it cannot be opened.
apus_download *apus_download_open(
    apus_downloads *all, const char *url, bool is_trusted, int64_t first, int64_t end);
void apus_download_close(apus_download *download);
// Waits for bytes. Returns their number, 0 at the end, or -1.
ssize_t apus_download_read(apus_download *download, void *bytes, size_t count);
// The bytes of the whole resource; -1 if they are not known, or if the server sends no part of it.
int64_t apus_download_size(const apus_download *download);
// The URL after redirections, and the Content-Type; valid until the download is closed.
const char *apus_download_url(const apus_download *download);
const char *apus_download_type(const apus_download *download);

#endif
