// Preloaded into the server (LD_PRELOAD), this library makes one system call fail, as the shared file APUS_FAULTS requests.
// FaultTests compiles the library, sets the fault and checks the consequences.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

// The numbers of Fault.Call in FaultPlan.swift.
enum {
    CALL_ACCEPT = 1,
    CALL_RECV,
    CALL_SEND,
    CALL_SENDMSG,
    CALL_SENDMMSG,
    CALL_RECVMMSG,
    CALL_EPOLL_CTL,
    CALL_SOCKET,
    CALL_CONNECT,
    CALL_POLL,
    CALL_FSYNC
};
// The threads whose calls count.
enum { THREAD_ANY, THREAD_CALLBACK };
enum { CODE_SHORT = -1 };

struct plan {
    int32_t call;
    // The value of errno, or CODE_SHORT for a partial result.
    int32_t code;
    // The number of the call that fails, counted down; nothing fails at 0 or below.
    _Atomic int32_t countdown;
    _Atomic int32_t hits;
    int32_t thread;
};

static struct plan idle;
static struct plan *plan = &idle;

__attribute__((constructor)) static void open_plan(void) {
    const char *path = getenv("APUS_FAULTS");
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0) return;
    void *memory = mmap(NULL, sizeof *plan, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (memory != MAP_FAILED) plan = memory;
}

static int is_counted_here(void) {
    char name[16] = "";
    if (plan->thread == THREAD_ANY) return 1;
    prctl(PR_GET_NAME, (unsigned long)name, 0UL, 0UL, 0UL);
    return strcmp(name, "apus-callback") == 0;
}

// Returns 0 if this call is to succeed.
static int32_t fault(int32_t call) {
    if (plan->countdown <= 0 || plan->call != call || !is_counted_here()) return 0;
    if (plan->countdown-- != 1) return 0;
    plan->hits++;
    return plan->code;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define FAIL_IF_ARMED(call)                          \
    int32_t code = fault(call);                      \
    if (code > 0) {                                  \
        errno = code;                                \
        return -1;                                   \
    }

int accept4(int fd, struct sockaddr *restrict address, socklen_t *restrict length, int flags) {
    FAIL_IF_ARMED(CALL_ACCEPT)
    return REAL(accept4)(fd, address, length, flags);
}

ssize_t recv(int fd, void *bytes, size_t count, int flags) {
    FAIL_IF_ARMED(CALL_RECV)
    return REAL(recv)(fd, bytes, code == CODE_SHORT && count > 1 ? 1 : count, flags);
}

ssize_t send(int fd, const void *bytes, size_t count, int flags) {
    FAIL_IF_ARMED(CALL_SEND)
    return REAL(send)(fd, bytes, code == CODE_SHORT && count > 1 ? 1 : count, flags);
}

// A partial result is possible for a stream but not for a datagram.
ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
    FAIL_IF_ARMED(CALL_SENDMSG)
    if (code == CODE_SHORT && message->msg_iovlen > 0) {
        struct iovec first = message->msg_iov[0];
        first.iov_len = first.iov_len > 1 ? first.iov_len - 1 : first.iov_len;
        struct msghdr less = *message;
        less.msg_iov = &first;
        less.msg_iovlen = 1;
        return REAL(sendmsg)(fd, &less, flags);
    }
    return REAL(sendmsg)(fd, message, flags);
}

int sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags) {
    FAIL_IF_ARMED(CALL_SENDMMSG)
    return REAL(sendmmsg)(fd, messages, code == CODE_SHORT && count > 1 ? 1 : count, flags);
}

int recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags, struct timespec *limit) {
    FAIL_IF_ARMED(CALL_RECVMMSG)
    return REAL(recvmmsg)(fd, messages, code == CODE_SHORT && count > 1 ? 1 : count, flags, limit);
}

int epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event) {
    if (operation != EPOLL_CTL_DEL) {
        FAIL_IF_ARMED(CALL_EPOLL_CTL)
    }
    return REAL(epoll_ctl)(epoll, operation, fd, event);
}

int socket(int domain, int type, int protocol) {
    FAIL_IF_ARMED(CALL_SOCKET)
    return REAL(socket)(domain, type, protocol);
}

int connect(int fd, const struct sockaddr *address, socklen_t length) {
    FAIL_IF_ARMED(CALL_CONNECT)
    return REAL(connect)(fd, address, length);
}

int poll(struct pollfd *descriptors, nfds_t count, int milliseconds) {
    FAIL_IF_ARMED(CALL_POLL)
    return REAL(poll)(descriptors, count, milliseconds);
}

int fsync(int fd) {
    FAIL_IF_ARMED(CALL_FSYNC)
    return REAL(fsync)(fd);
}
