#define _GNU_SOURCE
#include "CLinuxControl.h"

#include <netinet/udp.h>
#include <string.h>
#include <time.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif
#ifndef UDP_GRO
#define UDP_GRO 104
#endif

static size_t append(
    void *control, size_t capacity, size_t used, int level, int type, const void *value, size_t byteCount) {
    if (used > capacity || CMSG_SPACE(byteCount) > capacity - used) return used;
    struct cmsghdr *header = (struct cmsghdr *)((char *)control + used);
    memset(header, 0, CMSG_SPACE(byteCount));
    header->cmsg_level = level;
    header->cmsg_type = type;
    header->cmsg_len = CMSG_LEN(byteCount);
    memcpy(CMSG_DATA(header), value, byteCount);
    return used + CMSG_SPACE(byteCount);
}

size_t clinux_control_segment(void *control, size_t capacity, size_t used, uint16_t segmentBytes) {
    return append(control, capacity, used, IPPROTO_UDP, UDP_SEGMENT, &segmentBytes, sizeof(segmentBytes));
}

size_t clinux_control_source4(void *control, size_t capacity, size_t used, struct in_addr source) {
    struct in_pktinfo info = {.ipi_spec_dst = source};
    return append(control, capacity, used, IPPROTO_IP, IP_PKTINFO, &info, sizeof(info));
}

size_t clinux_control_source6(void *control, size_t capacity, size_t used, struct in6_addr source, uint32_t scope) {
    struct in6_pktinfo info = {.ipi6_addr = source, .ipi6_ifindex = scope};
    return append(control, capacity, used, IPPROTO_IPV6, IPV6_PKTINFO, &info, sizeof(info));
}

static void destination4(struct cmsghdr *header, struct sockaddr_storage *destination) {
    struct in_pktinfo info;
    struct sockaddr_in address = {.sin_family = AF_INET};
    memcpy(&info, CMSG_DATA(header), sizeof(info));
    address.sin_addr = info.ipi_addr;
    memcpy(destination, &address, sizeof(address));
}

static void destination6(struct cmsghdr *header, struct sockaddr_storage *destination) {
    struct in6_pktinfo info;
    struct sockaddr_in6 address = {.sin6_family = AF_INET6};
    memcpy(&info, CMSG_DATA(header), sizeof(info));
    address.sin6_addr = info.ipi6_addr;
    // Only link-local addresses need the interface in the source address.
    if (IN6_IS_ADDR_LINKLOCAL(&info.ipi6_addr)) address.sin6_scope_id = info.ipi6_ifindex;
    memcpy(destination, &address, sizeof(address));
}

int clinux_control_destination(struct msghdr *message, struct sockaddr_storage *destination) {
    for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header; header = CMSG_NXTHDR(message, header)) {
        if (header->cmsg_level == IPPROTO_IP && header->cmsg_type == IP_PKTINFO) {
            destination4(header, destination);
            return 1;
        }
        if (header->cmsg_level == IPPROTO_IPV6 && header->cmsg_type == IPV6_PKTINFO) {
            destination6(header, destination);
            return 1;
        }
    }
    return 0;
}

int clinux_tell_destinations(int fd, int family) {
    int on = 1;
    if (family == AF_INET6) return setsockopt(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof(on));
    return setsockopt(fd, IPPROTO_IP, IP_PKTINFO, &on, sizeof(on));
}

int clinux_tell_arrivals(int fd) {
    int on = 1;
    return setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on));
}

int clinux_control_arrival(struct msghdr *message, int64_t *nanoseconds) {
    for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header; header = CMSG_NXTHDR(message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_TIMESTAMPNS) continue;
        struct timespec time;
        memcpy(&time, CMSG_DATA(header), sizeof(time));
        *nanoseconds = (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
        return 1;
    }
    return 0;
}

int clinux_control_train(struct msghdr *message) {
    for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header; header = CMSG_NXTHDR(message, header)) {
        if (header->cmsg_level != IPPROTO_UDP || header->cmsg_type != UDP_GRO) continue;
        int byteCount;
        memcpy(&byteCount, CMSG_DATA(header), sizeof(byteCount));
        return byteCount;
    }
    return 0;
}
