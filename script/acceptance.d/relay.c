// The least that a server can do: passes the bytes of one connection of TCP on. Prints its port.
//   relay PORT      connects to PORT of this host
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

static char buffer[1 << 18];

int main(int count, char **words) {
    if (count != 2) return 64;
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}, there = here;
    socklen_t length = sizeof here;
    int listener = socket(AF_INET, SOCK_STREAM, 0), sink = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    there.sin_port = htons(atoi(words[1]));
    if (bind(listener, (struct sockaddr *)&here, sizeof here) || listen(listener, 1)) return 1;
    if (connect(sink, (struct sockaddr *)&there, sizeof there)) return 1;
    getsockname(listener, (struct sockaddr *)&here, &length);
    printf("%d\n", ntohs(here.sin_port));
    fflush(stdout);
    int source = accept(listener, NULL, NULL), poll_id = epoll_create1(0);
    setsockopt(sink, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = source};
    epoll_ctl(poll_id, EPOLL_CTL_ADD, source, &event);
    while (1) {
        if (epoll_wait(poll_id, &event, 1, -1) != 1) continue;
        ssize_t received = recv(source, buffer, sizeof buffer, 0);
        if (received <= 0) return 0;
        for (ssize_t sent = 0; sent < received;) {
            ssize_t now = send(sink, buffer + sent, received - sent, 0);
            if (now <= 0) return 1;
            sent += now;
        }
    }
}
