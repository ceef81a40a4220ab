#include "CLinux.h"

#include <stddef.h>
#include <string.h>

// Offsets in struct tcp_info (Linux 6.2) of what netinet/tcp.h does not declare. The layout is kernel ABI and only grows.
// (linux/tcp.h, which declares all of it, and netinet/tcp.h cannot be included together.)
enum {
    ACKNOWLEDGED_OFFSET = 120,
    UNSENT_OFFSET = 144,
    LEAST_ROUND_TRIP_OFFSET = 148,
    WINDOW_LIMITED_OFFSET = 176,
    PEER_WINDOW_OFFSET = 228,
    INFORMATION_SIZE = PEER_WINDOW_OFFSET + 4
};

int64_t clinux_peer_window(int fd) {
    uint8_t information[INFORMATION_SIZE];
    socklen_t length = sizeof(information);
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, information, &length) != 0 || length < sizeof(information)) return -1;
    uint32_t window;
    memcpy(&window, information + PEER_WINDOW_OFFSET, sizeof(window));
    return window;
}

int clinux_tcp_path(int fd, struct clinux_tcp_path *path) {
    uint8_t information[INFORMATION_SIZE];
    socklen_t length = sizeof(information);
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, information, &length) != 0 || length < sizeof(information)) return -1;
    memcpy(&path->acknowledged, information + ACKNOWLEDGED_OFFSET, sizeof(path->acknowledged));
    memcpy(&path->least_round_trip, information + LEAST_ROUND_TRIP_OFFSET, sizeof(path->least_round_trip));
    memcpy(&path->window_limited, information + WINDOW_LIMITED_OFFSET, sizeof(path->window_limited));
    memcpy(&path->unsent, information + UNSENT_OFFSET, sizeof(path->unsent));
    memcpy(&path->in_flight, information + offsetof(struct tcp_info, tcpi_unacked), sizeof(path->in_flight));
    memcpy(&path->selected, information + offsetof(struct tcp_info, tcpi_sacked), sizeof(path->selected));
    memcpy(&path->silence, information + offsetof(struct tcp_info, tcpi_last_ack_recv), sizeof(path->silence));
    return 0;
}
