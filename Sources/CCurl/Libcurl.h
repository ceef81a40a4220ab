// The functions of libcurl that are called here.
#ifndef CCURL_LIBCURL_H
#define CCURL_LIBCURL_H

// Functions are called through pointers, so curl's type-checking macros are switched off.
#define CURL_DISABLE_TYPECHECK

#include <CLazyLibrary.h>
#include <curl/curl.h>

#define LIBCURL_FUNCTIONS(EACH) \
    EACH(curl_easy_cleanup) \
    EACH(curl_easy_getinfo) \
    EACH(curl_easy_init) \
    EACH(curl_easy_pause) \
    EACH(curl_easy_perform) \
    EACH(curl_easy_setopt) \
    EACH(curl_easy_strerror) \
    EACH(curl_global_init) \
    EACH(curl_multi_add_handle) \
    EACH(curl_multi_cleanup) \
    EACH(curl_multi_info_read) \
    EACH(curl_multi_init) \
    EACH(curl_multi_perform) \
    EACH(curl_multi_poll) \
    EACH(curl_multi_remove_handle) \
    EACH(curl_share_cleanup) \
    EACH(curl_share_init) \
    EACH(curl_share_setopt) \
    EACH(curl_slist_append) \
    EACH(curl_slist_free_all)

struct libcurl {
    LIBCURL_FUNCTIONS(POINTER_TO)
};

// Valid once `apus_load_curl` has returned NULL.
extern struct libcurl libcurl;

#endif
