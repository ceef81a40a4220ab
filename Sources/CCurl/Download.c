#include "CCurl.h"
#include "Libcurl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>

// libcurl passes pieces of up to 16 KB, each whole or not at all. More than some of them need not wait, because the reader is in a
// hurry only if there are none.
enum { buffer_size = 16 * CURL_MAX_WRITE_SIZE };
// Redirections of one download: more are a circle. As many as with RTSP.
enum { redirection_limit = 5 };
// How soon an interruption is noticed, as in libavformat.
enum { interruption_milliseconds = 100 };

struct apus_downloads {
    struct apus_download_rules rules;
    CURLM *multi;
    // Cookies, which servers of playlists use for access.
    CURLSH *share;
    enum apus_download_result result;
    char failure[CURL_ERROR_SIZE];
};

struct apus_download {
    apus_downloads *all;
    CURL *curl;
    bool is_trusted;
    bool is_denied;
    bool is_paused;
    bool is_done;
    CURLcode code;
    int64_t first;
    char error[CURL_ERROR_SIZE];
    // The bytes that came and are not read yet.
    size_t start;
    size_t count;
    uint8_t buffer[buffer_size];
};

static int64_t milliseconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void fail(apus_downloads *all, enum apus_download_result result, const char *failure) {
    all->result = result;
    snprintf(all->failure, sizeof all->failure, "%s", failure);
}

apus_downloads *apus_downloads_make(struct apus_download_rules rules) {
    apus_downloads *all = calloc(1, sizeof *all);
    if (all == NULL) return NULL;
    all->rules = rules;
    all->multi = libcurl.curl_multi_init();
    all->share = libcurl.curl_share_init();
    if (all->multi != NULL && all->share != NULL
        && libcurl.curl_share_setopt(all->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE) == CURLSHE_OK)
        return all;
    apus_downloads_free(all);
    return NULL;
}

void apus_downloads_free(apus_downloads *all) {
    if (all == NULL) return;
    if (all->multi != NULL) libcurl.curl_multi_cleanup(all->multi);
    if (all->share != NULL) libcurl.curl_share_cleanup(all->share);
    free(all);
}

enum apus_download_result apus_downloads_result(const apus_downloads *all) { return all->result; }

const char *apus_downloads_failure(const apus_downloads *all) { return all->failure; }

static size_t receive(char *bytes, size_t size, size_t count, void *opaque) {
    apus_download *download = opaque;
    size_t length = size * count;
    if (length > buffer_size - download->count) {
        download->is_paused = true;
        return CURL_WRITEFUNC_PAUSE;
    }
    if (length > buffer_size - download->start - download->count) {
        memmove(download->buffer, download->buffer + download->start, download->count);
        download->start = 0;
    }
    memcpy(download->buffer + download->start + download->count, bytes, length);
    download->count += length;
    return length;
}

static curl_socket_t open_socket(void *opaque, curlsocktype purpose, struct curl_sockaddr *address) {
    (void)purpose;
    apus_download *download = opaque;
    struct apus_download_rules *rules = &download->all->rules;
    struct sockaddr_storage storage = {0};
    size_t length = address->addrlen < sizeof storage ? address->addrlen : sizeof storage;
    memcpy(&storage, &address->addr, length);
    long redirections = 0;
    libcurl.curl_easy_getinfo(download->curl, CURLINFO_REDIRECT_COUNT, &redirections);
    if (!rules->permits(rules->owner, &storage, download->is_trusted && redirections == 0)) {
        download->is_denied = true;
        return CURL_SOCKET_BAD;
    }
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static bool set_up(apus_download *download, const char *url, const char *range) {
    CURL *curl = download->curl;
    struct apus_download_rules *rules = &download->all->rules;
    long verifies = rules->verifies_certificates;
#define SET(option, value) (libcurl.curl_easy_setopt(curl, option, value) == CURLE_OK)
    return SET(CURLOPT_URL, url) && SET(CURLOPT_PROTOCOLS_STR, "http,https")
        // A stream does not move from TLS to plain text.
        && SET(CURLOPT_REDIR_PROTOCOLS_STR, strncasecmp(url, "https:", 6) == 0 ? "https" : "http,https")
        && SET(CURLOPT_FOLLOWLOCATION, 1L) && SET(CURLOPT_MAXREDIRS, (long)redirection_limit)
        // Through a proxy of the environment, the addresses would not be known.
        && SET(CURLOPT_NOPROXY, "*")
        // Signals are used by other parts of this multithreaded process.
        && SET(CURLOPT_NOSIGNAL, 1L) && SET(CURLOPT_USERAGENT, "apus") && SET(CURLOPT_RANGE, range)
        // Sent to the URL's host only, also after redirections.
        && SET(CURLOPT_HTTPAUTH, (long)(CURLAUTH_BASIC | CURLAUTH_DIGEST))
        && SET(CURLOPT_CONNECTTIMEOUT_MS, rules->timeout_milliseconds)
        && SET(CURLOPT_SSL_VERIFYPEER, verifies) && SET(CURLOPT_SSL_VERIFYHOST, verifies ? 2L : 0L)
        && SET(CURLOPT_FAILONERROR, 1L) && SET(CURLOPT_ERRORBUFFER, download->error)
        && SET(CURLOPT_SHARE, download->all->share) && SET(CURLOPT_COOKIEFILE, "")
        && SET(CURLOPT_WRITEFUNCTION, receive) && SET(CURLOPT_WRITEDATA, download)
        && SET(CURLOPT_OPENSOCKETFUNCTION, open_socket) && SET(CURLOPT_OPENSOCKETDATA, download)
        && SET(CURLOPT_PRIVATE, download)
        && libcurl.curl_multi_add_handle(download->all->multi, curl) == CURLM_OK;
#undef SET
}

// Takes note of all downloads that have ended.
static void note_ends(apus_downloads *all) {
    CURLMsg *message;
    int left;
    while ((message = libcurl.curl_multi_info_read(all->multi, &left)) != NULL) {
        if (message->msg != CURLMSG_DONE) continue;
        CURLcode code = message->data.result;
        char *opaque = NULL;
        libcurl.curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &opaque);
        apus_download *download = (apus_download *)opaque;
        download->is_done = true;
        download->code = code;
    }
}

// Why a download has ended: the system's message if no connection could be made, which says more than libcurl's.
static const char *reason_of_end(apus_download *download) {
    long error = 0;
    libcurl.curl_easy_getinfo(download->curl, CURLINFO_OS_ERRNO, &error);
    if (download->code == CURLE_COULDNT_CONNECT && error != 0) return strerror((int)error);
    return download->error[0] != 0 ? download->error : libcurl.curl_easy_strerror(download->code);
}

// Waits until bytes have come or the download has ended. Returns false if it was interrupted or nothing has come for too long.
static bool advance(apus_download *download) {
    apus_downloads *all = download->all;
    int64_t deadline = milliseconds_now() + all->rules.timeout_milliseconds;
    while (download->count == 0 && !download->is_done) {
        if (download->is_paused) {
            download->is_paused = false;
            // This may call `receive`.
            libcurl.curl_easy_pause(download->curl, CURLPAUSE_CONT);
        }
        int running;
        libcurl.curl_multi_perform(all->multi, &running);
        note_ends(all);
        if (download->count > 0 || download->is_done) break;
        if (all->rules.is_interrupted(all->rules.owner)) {
            fail(all, apus_download_interrupted, "interrupted");
            return false;
        }
        if (milliseconds_now() >= deadline) {
            fail(all, apus_download_failed, "nothing has come for too long");
            return false;
        }
        libcurl.curl_multi_poll(all->multi, NULL, 0, interruption_milliseconds, NULL);
    }
    if (download->count > 0 || download->code == CURLE_OK) return true;
    fail(all, download->is_denied ? apus_download_denied : apus_download_failed, reason_of_end(download));
    return false;
}

apus_download *apus_download_open(
    apus_downloads *all, const char *url, bool is_trusted, int64_t first, int64_t end) {
    fail(all, apus_download_failed, "out of memory");
    apus_download *download = malloc(sizeof *download);
    if (download == NULL) return NULL;
    memset(download, 0, offsetof(apus_download, buffer));
    download->all = all;
    download->is_trusted = is_trusted;
    download->first = first;
    download->curl = libcurl.curl_easy_init();
    char range[48];
    if (end >= 0) snprintf(range, sizeof range, "%lld-%lld", (long long)first, (long long)end - 1);
    else snprintf(range, sizeof range, "%lld-", (long long)first);
    if (download->curl != NULL) fail(all, apus_download_failed, "libcurl cannot use this URL");
    if (download->curl != NULL && set_up(download, url, range) && advance(download)) {
        long status = 0;
        libcurl.curl_easy_getinfo(download->curl, CURLINFO_RESPONSE_CODE, &status);
        if (first == 0 || status == 206) return download;
        fail(all, apus_download_failed, "the server sends the resource only as a whole");
    }
    apus_download_close(download);
    return NULL;
}

void apus_download_close(apus_download *download) {
    if (download == NULL) return;
    if (download->curl != NULL) {
        libcurl.curl_multi_remove_handle(download->all->multi, download->curl);
        libcurl.curl_easy_cleanup(download->curl);
    }
    free(download);
}

ssize_t apus_download_read(apus_download *download, void *bytes, size_t count) {
    if (download->count == 0 && !advance(download)) return -1;
    size_t length = count < download->count ? count : download->count;
    memcpy(bytes, download->buffer + download->start, length);
    download->start += length;
    download->count -= length;
    if (download->count == 0) download->start = 0;
    return (ssize_t)length;
}

int64_t apus_download_size(const apus_download *download) {
    long status = 0;
    curl_off_t length = -1;
    libcurl.curl_easy_getinfo(download->curl, CURLINFO_RESPONSE_CODE, &status);
    libcurl.curl_easy_getinfo(download->curl, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    return status == 206 && length >= 0 ? download->first + length : -1;
}

const char *apus_download_url(const apus_download *download) {
    char *url = NULL;
    libcurl.curl_easy_getinfo(download->curl, CURLINFO_EFFECTIVE_URL, &url);
    return url != NULL ? url : "";
}

const char *apus_download_type(const apus_download *download) {
    char *type = NULL;
    libcurl.curl_easy_getinfo(download->curl, CURLINFO_CONTENT_TYPE, &type);
    return type != NULL ? type : "";
}
