// The functions of libsrt that are called here.
#ifndef CSRT_LIBSRT_H
#define CSRT_LIBSRT_H

#include <CLazyLibrary.h>
#include <srt/srt.h>

#define LIBSRT_FUNCTIONS(EACH) \
    EACH(srt_accept) \
    EACH(srt_bind) \
    EACH(srt_bstats) \
    EACH(srt_close) \
    EACH(srt_connect) \
    EACH(srt_create_socket) \
    EACH(srt_epoll_add_usock) \
    EACH(srt_epoll_create) \
    EACH(srt_epoll_release) \
    EACH(srt_epoll_remove_usock) \
    EACH(srt_epoll_set) \
    EACH(srt_epoll_update_usock) \
    EACH(srt_epoll_uwait) \
    EACH(srt_getlasterror) \
    EACH(srt_getrejectreason) \
    EACH(srt_getsndbuffer) \
    EACH(srt_getsockname) \
    EACH(srt_getsockflag) \
    EACH(srt_getsockstate) \
    EACH(srt_listen) \
    EACH(srt_listen_callback) \
    EACH(srt_msgctrl_init) \
    EACH(srt_recvmsg2) \
    EACH(srt_rejectreason_str) \
    EACH(srt_sendmsg2) \
    EACH(srt_setlogflags) \
    EACH(srt_setloghandler) \
    EACH(srt_setloglevel) \
    EACH(srt_setrejectreason) \
    EACH(srt_setsockflag) \
    EACH(srt_startup) \
    EACH(srt_strerror) \
    EACH(srt_time_now)

struct libsrt {
    LIBSRT_FUNCTIONS(POINTER_TO)
};

// Valid once `apus_load_srt` has returned NULL.
extern struct libsrt libsrt;

#endif
