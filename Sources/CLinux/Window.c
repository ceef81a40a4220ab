#include "CLinux.h"

#include <string.h>

// The offset of tcpi_snd_wnd in struct tcp_info (Linux 6.2). The layout is kernel ABI and only grows.
// (linux/tcp.h, which declares it, and netinet/tcp.h cannot be included together.)
enum { PEER_WINDOW_OFFSET = 228 };

int64_t clinux_peer_window(int fd) {
    uint8_t information[PEER_WINDOW_OFFSET + 4];
    socklen_t length = sizeof(information);
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, information, &length) != 0 || length < sizeof(information)) return -1;
    uint32_t window;
    memcpy(&window, information + PEER_WINDOW_OFFSET, sizeof(window));
    return window;
}
