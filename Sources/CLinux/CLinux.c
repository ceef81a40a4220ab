#define _GNU_SOURCE
#include "CLinux.h"

#include <linux/sockios.h>
#include <malloc.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

int clinux_epoll_wait(int epoll, struct epoll_event *events, int capacity, const struct timespec *timeout) {
#ifdef SYS_epoll_pwait2
    int count = (int)syscall(SYS_epoll_pwait2, epoll, events, capacity, timeout, NULL, 0);
    if (count >= 0 || errno != ENOSYS) return count;
#endif
    return clinux_epoll_wait_by_poll(epoll, events, capacity, timeout);
}

int clinux_epoll_wait_by_poll(int epoll, struct epoll_event *events, int capacity, const struct timespec *timeout) {
    struct pollfd descriptor = {.fd = epoll, .events = POLLIN};
    if (ppoll(&descriptor, 1, timeout, NULL) < 0) return -1;
    return epoll_wait(epoll, events, capacity, 0);
}

int clinux_unacknowledged_bytes(int fd) {
    int count = 0;
    return ioctl(fd, SIOCOUTQ, &count) == 0 ? count : -1;
}

int clinux_unsent_bytes(int fd) {
    int count = 0;
    return ioctl(fd, SIOCOUTQNSD, &count) == 0 ? count : -1;
}

int64_t clinux_peer_user(int fd) {
    struct ucred peer;
    socklen_t byteCount = sizeof(peer);
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &byteCount) == 0 ? (int64_t)peer.uid : -1;
}

uint64_t clinux_raise_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
    struct rlimit raised = {.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};
    return setrlimit(RLIMIT_NOFILE, &raised) == 0 ? raised.rlim_cur : limit.rlim_cur;
}

void clinux_trim_heap(void) {
    malloc_trim(0);
}

void clinux_limit_free_heap(int mapped, int kept) {
    mallopt(M_MMAP_THRESHOLD, mapped);
    mallopt(M_TRIM_THRESHOLD, kept);
}

void clinux_use_small_pages(void) {
    prctl(PR_SET_THP_DISABLE, 1UL, 0UL, 0UL, 0UL);
}
