// Control messages of datagrams: the CMSG macros, as functions.
#pragma once

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/// Room for all control messages that these functions write or read for one datagram, in bytes.
static const size_t clinux_control_capacity = 128;

/// Appends UDP_SEGMENT after `used` bytes: the kernel cuts the payload into datagrams of `segmentBytes`.
/// Answers the bytes used then; unchanged where there is no room.
size_t clinux_control_segment(void *control, size_t capacity, size_t used, uint16_t segmentBytes);

/// Appends IP_PKTINFO: the datagram leaves from `source`.
size_t clinux_control_source4(void *control, size_t capacity, size_t used, struct in_addr source);

/// Appends IPV6_PKTINFO: the datagram leaves from `source`, by interface `scope` (0: the route decides).
size_t clinux_control_source6(void *control, size_t capacity, size_t used, struct in6_addr source, uint32_t scope);

/// Reads the address that a received datagram was sent to, as a sockaddr without port; answers whether the kernel told.
int clinux_control_destination(struct msghdr *message, struct sockaddr_storage *destination);

/// Has the kernel tell where each datagram was sent to; answers 0, or -1 with errno.
int clinux_tell_destinations(int fd, int family);

/// Has the kernel tell when it received each datagram (SO_TIMESTAMPNS); answers 0, or -1 with errno.
int clinux_tell_arrivals(int fd);

/// Reads when the kernel received a datagram, in nanoseconds since 1970; answers whether the kernel told.
int clinux_control_arrival(struct msghdr *message, int64_t *nanoseconds);

/// Bytes of each datagram but the last of a train that was received in one piece (UDP_GRO), or 0 for a single datagram.
int clinux_control_train(struct msghdr *message);
