// What the load generator and the reflector share: connections that RTSP messages and interleaved packets come on (RFC 2326, 10.12),
// UDP sockets, and times.
#pragma once
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

typedef uint8_t byte;

enum { rtp_header = 12, interleaved_header = 4, link_capacity = 256 << 10 };

// One end of a connection, with the bytes that were read and not taken.
struct link {
    int fd;
    size_t begin, end;
    byte bytes[link_capacity + 1];
};

// What stands first in a link.
enum item { nothing, message, packet };

static inline void fail(const char *what) {
    perror(what);
    exit(1);
}

static inline int64_t now_by(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static inline uint16_t read16(const byte *bytes) { return bytes[0] << 8 | bytes[1]; }
static inline void write16(byte *bytes, uint16_t value) { bytes[0] = value >> 8, bytes[1] = value; }
static inline void write32(byte *bytes, uint32_t value) { write16(bytes, value >> 16), write16(bytes + 2, value); }

static inline struct sockaddr_in loopback(uint16_t port) {
    return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static inline void set(int fd, int level, int option, int value) {
    if (setsockopt(fd, level, option, &value, sizeof value)) fail("setsockopt");
}

// Two UDP sockets at consecutive ports, RTP at the even one.
static inline uint16_t bind_pair(int *rtp, int *rtcp, uint16_t first) {
    for (uint32_t port = first; port < 65534; port += 2) {
        struct sockaddr_in address = loopback(port), next = loopback(port + 1);
        *rtp = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        *rtcp = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (*rtp < 0 || *rtcp < 0) fail("socket");
        set(*rtp, SOL_SOCKET, SO_RCVBUF, 4 << 20);
        if (!bind(*rtp, (void *)&address, sizeof address) && !bind(*rtcp, (void *)&next, sizeof next)) return port;
        close(*rtp), close(*rtcp);
    }
    fputs("no free ports\n", stderr);
    exit(1);
}

// Makes room for `count` more bytes behind those that were not taken.
static inline void make_room(struct link *link, size_t count) {
    if (link->begin == link->end) link->begin = link->end = 0;
    if (link_capacity - link->end >= count) return;
    memmove(link->bytes, link->bytes + link->begin, link->end - link->begin);
    link->end -= link->begin, link->begin = 0;
}

// What stands first: a whole message or interleaved packet of `*length` bytes; nothing if it is not complete.
static inline enum item first_item(struct link *link, size_t *length) {
    byte *start = link->bytes + link->begin;
    size_t available = link->end - link->begin;
    if (available < interleaved_header) return nothing;
    if (*start == '$') {
        *length = interleaved_header + read16(start + 2);
        return available < *length ? nothing : packet;
    }
    link->bytes[link->end] = 0;
    byte *end = memmem(start, available, "\r\n\r\n", 4);
    if (!end) return nothing;
    const char *body = strcasestr((char *)start, "\r\nContent-Length:");
    *length = end + 4 - start + (body && (byte *)body < end ? strtoul(body + 17, NULL, 10) : 0);
    return available < *length ? nothing : message;
}

// The rest of the line behind a header's name in a message, such as "CSeq:"; empty without that header. Valid until the next call.
static inline const char *header(const char *text, const char *name) {
    static char value[512];
    char line[64];
    snprintf(line, sizeof line, "\r\n%s", name);
    const char *found = strcasestr(text, line), *end = strstr(text, "\r\n\r\n");
    value[0] = 0;
    if (!found || found > end) return value;
    found += strlen(line);
    found += strspn(found, " ");
    snprintf(value, sizeof value, "%.*s", (int)strcspn(found, "\r"), found);
    return value;
}

// The first number of a transport's parameter, such as "client_port="; `fallback` without it.
static inline unsigned parameter(const char *transport, const char *name, unsigned fallback) {
    const char *found = strstr(transport, name);
    return found ? strtoul(found + strlen(name), NULL, 10) : fallback;
}
