// SRT with libsrt, which is loaded on first use. All sockets are in live mode and do not block.
#ifndef CSRT_H
#define CSRT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

// Loads the library. Returns NULL on success, else the reason, valid until the thread's next call. Call it before the other
// functions. Callable from any thread; after a failure the next call tries again.
const char *apus_load_srt(void);

// A line of libsrt's log at level error or above. Called in libsrt's threads; it must not wait.
typedef void (*apus_srt_log_line)(bool is_fatal, const char *line);
// Where libsrt's log goes from now on; NULL drops it.
void apus_srt_log_to(apus_srt_log_line function);

// The number of a socket; negative if there is none.
typedef int32_t apus_srt_socket;

// The options that are set here. Latencies and timeouts are milliseconds, sizes are bytes, windows are packets.
enum apus_srt_option {
    apus_srt_receive_latency,
    apus_srt_peer_latency,
    apus_srt_key_length,
    apus_srt_peer_idle_timeout,
    apus_srt_connect_timeout,
    apus_srt_send_buffer_size,
    apus_srt_flow_window,
    // Listeners of IPv6 only: 1, or 0 for IPv4 too.
    apus_srt_ipv6_only,
    // 0: a packet is sent again for each report of its loss. 1: once per round trip.
    apus_srt_retransmission,
};
enum apus_srt_text_option { apus_srt_passphrase, apus_srt_stream_id };

// Makes a socket; negative on failure. A failure of any function is described by `apus_srt_failure`.
apus_srt_socket apus_srt_make(void);
void apus_srt_close(apus_srt_socket socket);
bool apus_srt_set(apus_srt_socket socket, enum apus_srt_option option, int32_t value);
bool apus_srt_set_text(apus_srt_socket socket, enum apus_srt_text_option option, const char *bytes, size_t count);
// The value; -1 if it cannot be read.
int32_t apus_srt_get(apus_srt_socket socket, enum apus_srt_option option);

// Decides about the callers of a listener.
struct apus_srt_decision {
    // Called in libsrt's receiving thread of the port, while it answers a handshake: it must not wait. The options of `socket` can
    // be set. `stream_id` ends with a zero and has at most 512 bytes. Returns 0 to accept, else the code that the caller gets.
    int (*decide)(void *context, apus_srt_socket socket, const struct sockaddr *peer, const char *stream_id);
    void *context;
};

bool apus_srt_bind(apus_srt_socket socket, const struct sockaddr *address, socklen_t count);
// Listens. `decision` must exist until `apus_srt_close` of the listener has returned, after which it is not called any more.
bool apus_srt_listen(apus_srt_socket socket, int backlog, const struct apus_srt_decision *decision);
// The next connection; negative if there is none.
apus_srt_socket apus_srt_accept(apus_srt_socket listener, struct sockaddr_storage *peer);
bool apus_srt_connect(apus_srt_socket socket, const struct sockaddr *address, socklen_t count);
bool apus_srt_local_address(apus_srt_socket socket, struct sockaddr_storage *address);

enum apus_srt_state {
    apus_srt_connecting,
    apus_srt_connected,
    // Broken, closed, or unknown.
    apus_srt_gone,
};
enum apus_srt_state apus_srt_state_of(apus_srt_socket socket);

// Why the peer has rejected the connection: below 1000 a reason of libsrt, else a code of the peer.
int apus_srt_reject_reason(apus_srt_socket socket);
// The name of a reason of libsrt.
const char *apus_srt_reject_name(int reason);

// The number of bytes, 0 if the buffer is full, -1 on failure. The source time of the message is now.
int apus_srt_send(apus_srt_socket socket, const void *bytes, int count);
// The number of bytes of one message, 0 if there is none, -1 on failure. The source time of the message is microseconds of
// `apus_srt_now`; its number has 31 bits, and counts packets.
int apus_srt_receive(
    apus_srt_socket socket, void *bytes, int count, int64_t *source_time, int32_t *number);
int64_t apus_srt_now(void);

// What is sent and not acknowledged. Returns the milliseconds from its first to its last packet; -1 on failure.
int apus_srt_send_buffer(apus_srt_socket socket, size_t *byte_count);

struct apus_srt_statistics {
    double round_trip_milliseconds;
    // The rate that libsrt estimates the path to carry.
    double bandwidth_megabits;
    int64_t sent_packets, received_packets;
    uint64_t sent_bytes, received_bytes;
    // Packets that the receiver reported as lost, were sent again, and were dropped because they were too late to send.
    int32_t send_lost_packets, resent_packets, send_dropped_packets;
    // Packets that were missing when later ones came, came because they were sent again, were dropped because they were still missing
    // when they were due, and could not be decrypted.
    int32_t receive_lost_packets, receive_resent_packets, receive_dropped_packets, undecrypted_packets;
    int32_t send_buffer_milliseconds, send_buffer_bytes;
    int32_t receive_buffer_milliseconds;
    // The latency that both sides have agreed on, in both directions.
    int32_t send_latency_milliseconds, receive_latency_milliseconds;
};
bool apus_srt_read_statistics(apus_srt_socket socket, struct apus_srt_statistics *statistics);

// A set of sockets to wait for. Negative if it cannot be made.
typedef int apus_srt_set_id;
enum apus_srt_events { apus_srt_readable = 1, apus_srt_writable = 2, apus_srt_error = 4 };
struct apus_srt_ready {
    apus_srt_socket socket;
    int events;
};
apus_srt_set_id apus_srt_set_make(void);
void apus_srt_set_free(apus_srt_set_id set);
// Watches a socket for these events from now on.
bool apus_srt_set_watch(apus_srt_set_id set, apus_srt_socket socket, int events);
void apus_srt_set_unwatch(apus_srt_set_id set, apus_srt_socket socket);
// Waits for a socket, about as long as the timeout: libsrt looks at it every 10 ms. Returns the number of ready sockets; -1 on
// failure. A socket is reported as long as it is ready.
int apus_srt_set_wait(apus_srt_set_id set, struct apus_srt_ready *ready, int count, int64_t milliseconds);

// The reason of the thread's last failure; valid until its next call.
const char *apus_srt_failure(void);

#endif
