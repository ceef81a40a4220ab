#include "CSRT.h"

#include "Libsrt.h"

#include <string.h>
#include <sys/prctl.h>

const char *apus_srt_failure(void) {
    int system_error = 0;
    int code = libsrt.srt_getlasterror(&system_error);
    return libsrt.srt_strerror(code, system_error);
}

static bool set_flag(apus_srt_socket socket, SRT_SOCKOPT option, const void *value, int count) {
    return libsrt.srt_setsockflag(socket, option, value, count) != SRT_ERROR;
}

apus_srt_socket apus_srt_make(void) {
    SRTSOCKET socket = libsrt.srt_create_socket();
    if (socket == SRT_INVALID_SOCK) return -1;
    // Live mode is the default of libsrt; it includes delivery by time stamps, dropping of late packets, and messages.
    bool blocks = false;
    if (set_flag(socket, SRTO_SNDSYN, &blocks, sizeof blocks) && set_flag(socket, SRTO_RCVSYN, &blocks, sizeof blocks)) {
        return socket;
    }
    libsrt.srt_close(socket);
    return -1;
}

void apus_srt_close(apus_srt_socket socket) { libsrt.srt_close(socket); }

static const SRT_SOCKOPT options[] = {
    [apus_srt_receive_latency] = SRTO_RCVLATENCY,
    [apus_srt_peer_latency] = SRTO_PEERLATENCY,
    [apus_srt_key_length] = SRTO_PBKEYLEN,
    [apus_srt_peer_idle_timeout] = SRTO_PEERIDLETIMEO,
    [apus_srt_connect_timeout] = SRTO_CONNTIMEO,
    [apus_srt_send_buffer_size] = SRTO_SNDBUF,
    [apus_srt_flow_window] = SRTO_FC,
    [apus_srt_ipv6_only] = SRTO_IPV6ONLY,
    [apus_srt_retransmission] = SRTO_RETRANSMITALGO,
};

static const SRT_SOCKOPT text_options[] = {
    [apus_srt_passphrase] = SRTO_PASSPHRASE,
    [apus_srt_stream_id] = SRTO_STREAMID,
};

bool apus_srt_set(apus_srt_socket socket, enum apus_srt_option option, int32_t value) {
    return set_flag(socket, options[option], &value, sizeof value);
}

bool apus_srt_set_text(apus_srt_socket socket, enum apus_srt_text_option option, const char *bytes, size_t count) {
    return set_flag(socket, text_options[option], bytes, (int)count);
}

int32_t apus_srt_get(apus_srt_socket socket, enum apus_srt_option option) {
    int32_t value = 0;
    int count = sizeof value;
    return libsrt.srt_getsockflag(socket, options[option], &value, &count) == SRT_ERROR ? -1 : value;
}

// MARK: - Connections

static int decide(void *opaque, SRTSOCKET socket, int version, const struct sockaddr *peer, const char *stream_id) {
    (void)version;
    const struct apus_srt_decision *decision = opaque;
    int code = decision->decide(decision->context, socket, peer, stream_id);
    if (code == 0) return 0;
    libsrt.srt_setrejectreason(socket, code);
    return -1;
}

// libsrt starts the threads of a UDP port when a socket is bound to it, also by a call, and those start the threads of connections. Each
// thread has the timer slack of the one that started it: the time by which the kernel may wake it too late, 50 µs unless it is set.
static int set_timer_slack(int nanoseconds) {
    int former = prctl(PR_GET_TIMERSLACK);
    prctl(PR_SET_TIMERSLACK, nanoseconds);
    return former;
}

static const int least_timer_slack = 1;

bool apus_srt_bind(apus_srt_socket socket, const struct sockaddr *address, socklen_t count) {
    int former = set_timer_slack(least_timer_slack);
    bool is_bound = libsrt.srt_bind(socket, address, (int)count) != SRT_ERROR;
    set_timer_slack(former);
    return is_bound;
}

bool apus_srt_listen(apus_srt_socket socket, int backlog, const struct apus_srt_decision *decision) {
    return libsrt.srt_listen_callback(socket, decide, (void *)decision) != SRT_ERROR
        && libsrt.srt_listen(socket, backlog) != SRT_ERROR;
}

apus_srt_socket apus_srt_accept(apus_srt_socket listener, struct sockaddr_storage *peer) {
    int count = sizeof *peer;
    SRTSOCKET socket = libsrt.srt_accept(listener, (struct sockaddr *)peer, &count);
    return socket == SRT_INVALID_SOCK ? -1 : socket;
}

bool apus_srt_connect(apus_srt_socket socket, const struct sockaddr *address, socklen_t count) {
    int former = set_timer_slack(least_timer_slack);
    bool is_calling = libsrt.srt_connect(socket, address, (int)count) != SRT_ERROR;
    set_timer_slack(former);
    return is_calling;
}

bool apus_srt_local_address(apus_srt_socket socket, struct sockaddr_storage *address) {
    int count = sizeof *address;
    return libsrt.srt_getsockname(socket, (struct sockaddr *)address, &count) != SRT_ERROR;
}

enum apus_srt_state apus_srt_state_of(apus_srt_socket socket) {
    switch (libsrt.srt_getsockstate(socket)) {
    case SRTS_INIT:
    case SRTS_OPENED:
    case SRTS_LISTENING:
    case SRTS_CONNECTING: return apus_srt_connecting;
    case SRTS_CONNECTED: return apus_srt_connected;
    default: return apus_srt_gone;
    }
}

int apus_srt_reject_reason(apus_srt_socket socket) { return libsrt.srt_getrejectreason(socket); }

const char *apus_srt_reject_name(int reason) { return libsrt.srt_rejectreason_str(reason); }

// MARK: - Media

int apus_srt_send(apus_srt_socket socket, const void *bytes, int count) {
    SRT_MSGCTRL control;
    libsrt.srt_msgctrl_init(&control);
    int sent = libsrt.srt_sendmsg2(socket, bytes, count, &control);
    if (sent != SRT_ERROR) return sent;
    return libsrt.srt_getlasterror(NULL) == SRT_EASYNCSND ? 0 : -1;
}

int apus_srt_receive(apus_srt_socket socket, void *bytes, int count, int64_t *source_time, int32_t *number) {
    SRT_MSGCTRL control;
    libsrt.srt_msgctrl_init(&control);
    int received = libsrt.srt_recvmsg2(socket, bytes, count, &control);
    *source_time = control.srctime;
    *number = control.pktseq;
    if (received != SRT_ERROR) return received;
    return libsrt.srt_getlasterror(NULL) == SRT_EASYNCRCV ? 0 : -1;
}

int64_t apus_srt_now(void) { return libsrt.srt_time_now(); }

int apus_srt_send_buffer(apus_srt_socket socket, size_t *byte_count) {
    size_t blocks = 0;
    return libsrt.srt_getsndbuffer(socket, &blocks, byte_count);
}

bool apus_srt_read_statistics(apus_srt_socket socket, struct apus_srt_statistics *statistics) {
    SRT_TRACEBSTATS all;
    memset(&all, 0, sizeof all);
    if (libsrt.srt_bstats(socket, &all, 0) == SRT_ERROR) return false;
    *statistics = (struct apus_srt_statistics){
        .round_trip_milliseconds = all.msRTT,
        .bandwidth_megabits = all.mbpsBandwidth,
        .sent_packets = all.pktSentTotal,
        .received_packets = all.pktRecvTotal,
        .sent_bytes = all.byteSentTotal,
        .received_bytes = all.byteRecvTotal,
        .send_lost_packets = all.pktSndLossTotal,
        .resent_packets = all.pktRetransTotal,
        .send_dropped_packets = all.pktSndDropTotal,
        .receive_lost_packets = all.pktRcvLossTotal,
        // Of the whole connection, because no call clears the counts of its interval.
        .receive_resent_packets = all.pktRcvRetrans,
        .receive_dropped_packets = all.pktRcvDropTotal,
        .undecrypted_packets = all.pktRcvUndecryptTotal,
        .send_buffer_milliseconds = all.msSndBuf,
        .send_buffer_bytes = all.byteSndBuf,
        .receive_buffer_milliseconds = all.msRcvBuf,
        .send_latency_milliseconds = all.msSndTsbPdDelay,
        .receive_latency_milliseconds = all.msRcvTsbPdDelay,
    };
    return true;
}

// MARK: - Waiting

apus_srt_set_id apus_srt_set_make(void) {
    int set = libsrt.srt_epoll_create();
    // A set without sockets is waited for, too.
    if (set >= 0) libsrt.srt_epoll_set(set, SRT_EPOLL_ENABLE_EMPTY);
    return set;
}

void apus_srt_set_free(apus_srt_set_id set) { libsrt.srt_epoll_release(set); }

static int events_of_libsrt(int events) {
    return (events & apus_srt_readable ? SRT_EPOLL_IN : 0) | (events & apus_srt_writable ? SRT_EPOLL_OUT : 0)
        | (events & apus_srt_error ? SRT_EPOLL_ERR : 0);
}

bool apus_srt_set_watch(apus_srt_set_id set, apus_srt_socket socket, int events) {
    int wanted = events_of_libsrt(events);
    return libsrt.srt_epoll_update_usock(set, socket, &wanted) != SRT_ERROR;
}

void apus_srt_set_unwatch(apus_srt_set_id set, apus_srt_socket socket) { libsrt.srt_epoll_remove_usock(set, socket); }

int apus_srt_set_wait(apus_srt_set_id set, struct apus_srt_ready *ready, int count, int64_t milliseconds) {
    enum { maximum_count = 512 };
    SRT_EPOLL_EVENT events[maximum_count];
    int wanted = count < maximum_count ? count : maximum_count;
    int found = libsrt.srt_epoll_uwait(set, events, wanted, milliseconds);
    // With more sockets than there is room for, libsrt returns the number of those that it has written.
    for (int i = 0; i < found && i < wanted; i++) {
        int event = events[i].events;
        ready[i] = (struct apus_srt_ready){
            .socket = events[i].fd,
            .events = (event & SRT_EPOLL_IN ? apus_srt_readable : 0) | (event & SRT_EPOLL_OUT ? apus_srt_writable : 0)
                | (event & SRT_EPOLL_ERR ? apus_srt_error : 0),
        };
    }
    return found < wanted ? found : wanted;
}
