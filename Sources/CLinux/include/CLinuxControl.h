// Control messages of datagrams: functions for the CMSG macros.
#pragma once

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/// The buffer size for all control messages that these functions write or read for one datagram, in bytes.
static const size_t clinux_control_capacity = 128;

/// Appends UDP_SEGMENT after `used` bytes: the kernel splits the payload into datagrams of `segmentBytes` (GSO).
/// Returns the bytes used then; `used` if there is no room.
size_t clinux_control_segment(void *control, size_t capacity, size_t used, uint16_t segmentBytes);

/// Appends IP_PKTINFO: the source address of the datagram.
size_t clinux_control_source4(void *control, size_t capacity, size_t used, struct in_addr source);

/// Appends IPV6_PKTINFO: the source address of the datagram, and its interface `scope` (0: by routing).
size_t clinux_control_source6(void *control, size_t capacity, size_t used, struct in6_addr source, uint32_t scope);

/// Reads the destination address of a received datagram, as a sockaddr without port; returns whether the kernel gave it.
int clinux_control_destination(struct msghdr *message, struct sockaddr_storage *destination);

/// Enables reception of destination addresses; returns 0, or -1 with errno.
int clinux_tell_destinations(int fd, int family);

/// Enables reception of kernel arrival times (SO_TIMESTAMPNS); returns 0, or -1 with errno.
int clinux_tell_arrivals(int fd);

/// Reads a datagram's kernel arrival time, in nanoseconds since 1970; returns whether the kernel gave it.
int clinux_control_arrival(struct msghdr *message, int64_t *nanoseconds);

/// The segment size of datagrams that were received in one batch (UDP_GRO), or 0 for a single datagram.
int clinux_control_train(struct msghdr *message);
