// Linux interfaces that Swift's Glibc module does not export: epoll, batched datagrams, GSO, control messages, processor
// affinity. Macros become functions and constants; there is no state here.
//
// _GNU_SOURCE is not defined here: Swift's Glibc module is built without it, and affected types would clash. The .c files
// define it; the few GNU declarations that Swift calls directly are repeated below.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "CLinuxControl.h"
#include "CLinuxThreads.h"

#ifndef __USE_GNU
/// One message of a batch (sendmmsg(2), recvmmsg(2)).
struct mmsghdr {
    struct msghdr msg_hdr;
    unsigned int msg_len;
};
int sendmmsg(int fd, struct mmsghdr *messages, unsigned int count, int flags);
int recvmmsg(int fd, struct mmsghdr *messages, unsigned int count, int flags, struct timespec *timeout);
int accept4(int fd, struct sockaddr *address, socklen_t *byteCount, int flags);
/// Returns free heap memory to the system.
void clinux_trim_heap(void);
/// Blocks of `mapped` bytes and more are returned to the system when they are freed, and so is free memory at the end of the heap if it
/// is more than `kept` bytes.
void clinux_limit_free_heap(int mapped, int kept);
/// Prevents huge pages in this process, even if a library requests them. Has no effect on kernels without support.
void clinux_use_small_pages(void);

#endif

// glibc enumerators, casts and expressions, which Swift would not import as Int32.
static const int clinux_stream = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
static const int clinux_datagram = SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
static const int clinux_accept_flags = SOCK_NONBLOCK | SOCK_CLOEXEC;
static const int clinux_no_signal = MSG_NOSIGNAL;
static const int clinux_dont_wait = MSG_DONTWAIT;
static const int clinux_truncated = MSG_TRUNC;
static const int clinux_level_ip = IPPROTO_IP;
static const int clinux_level_ipv6 = IPPROTO_IPV6;
static const int clinux_level_tcp = IPPROTO_TCP;
static const int clinux_level_udp = IPPROTO_UDP;
/// UDP_GRO (Linux 5.0), in a header that clashes with Glibc's.
static const int clinux_receive_trains = 104;
static const int clinux_epoll_cloexec = EPOLL_CLOEXEC;
static const int clinux_eventfd_flags = EFD_CLOEXEC | EFD_NONBLOCK;
static const int clinux_eventfd_semaphore = EFD_CLOEXEC | EFD_SEMAPHORE;
/// What the kernel has measured of the path of a TCP connection. Times are in microseconds.
struct clinux_tcp_path {
    uint32_t least_round_trip;
    /// The bytes that the peer has acknowledged so far.
    uint64_t acknowledged;
    /// How long the receiver's window has stopped the sender.
    uint64_t window_limited;
    /// The bytes that were written and not sent yet.
    uint32_t unsent;
    /// The segments that were sent and are not acknowledged, and those of them that have arrived behind a gap (selective
    /// acknowledgements).
    uint32_t in_flight;
    uint32_t selected;
    /// The milliseconds since the last acknowledgement.
    uint32_t silence;
};
/// Reads it (TCP_INFO); -1 if that fails.
int clinux_tcp_path(int fd, struct clinux_tcp_path *path);
/// The smoothed round-trip time of a TCP connection in microseconds; 0 if the kernel has not measured it.
static inline uint32_t clinux_round_trip(int socket) {
    struct tcp_info info;
    socklen_t size = sizeof info;
    return getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 ? info.tcpi_rtt : 0;
}
/// Prefetches the cache line at `address`, which need not be valid.
static inline void clinux_prefetch(const void *address) { __builtin_prefetch(address, 1, 3); }
static const uint32_t clinux_readable = EPOLLIN | EPOLLRDHUP;
static const uint32_t clinux_writable = EPOLLOUT;
static const uint32_t clinux_edge = EPOLLET;
static const uint32_t clinux_peer_hangup = EPOLLRDHUP;

/// Waits for events until `timeout` has passed (null: no limit), with nanosecond resolution: epoll_pwait2 if the kernel has it
/// (Linux 5.11), else ppoll on the epoll descriptor, which has the same resolution.
int clinux_epoll_wait(int epoll, struct epoll_event *events, int capacity, const struct timespec *timeout);

/// The fallback with ppoll, for kernels without epoll_pwait2.
int clinux_epoll_wait_by_poll(int epoll, struct epoll_event *events, int capacity, const struct timespec *timeout);

/// Bytes in TCP's send buffer that the peer has not acknowledged (SIOCOUTQ), or -1 with errno.
int clinux_unacknowledged_bytes(int fd);

/// Bytes in TCP's send buffer that have not been sent (SIOCOUTQNSD), or -1 with errno.
int clinux_unsent_bytes(int fd);

/// The peer's latest TCP receive window in bytes, or -1 if the kernel does not report it (before Linux 6.2).
int64_t clinux_peer_window(int fd);

/// The user id of a Unix socket's peer when it connected (SO_PEERCRED), or -1 with errno.
int64_t clinux_peer_user(int fd);

/// Raises the limit on open descriptors to the hard limit; returns the new limit.
uint64_t clinux_raise_descriptor_limit(void);
