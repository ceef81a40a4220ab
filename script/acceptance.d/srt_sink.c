// Viewers of SRT in one process, which count bytes. Prints the sum at each line that comes on standard input.
//   srt_sink COUNT STREAMID PORT…     at most 1024; viewer i connects to PORT i, modulo their number, on this host
#include <arpa/inet.h>
#include <poll.h>
#include <srt/srt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Tries for a second: srt-live-transmit binds its port shortly before it listens, and rejects connections between.
static SRTSOCKET connect_viewer(const char *stream_id, int port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    SRTSOCKET viewer = SRT_INVALID_SOCK;
    for (int tries = 0; viewer == SRT_INVALID_SOCK; tries++) {
        viewer = srt_create_socket();
        srt_setsockflag(viewer, SRTO_STREAMID, stream_id, strlen(stream_id));
        if (srt_connect(viewer, (struct sockaddr *)&address, sizeof address) != SRT_ERROR) break;
        fprintf(stderr, "srt_sink: port %d: %s\n", port, srt_getlasterror_str());
        if (tries == 20) exit(1);
        srt_close(viewer);
        viewer = SRT_INVALID_SOCK;
        usleep(50000);
    }
    int waits = 0;
    srt_setsockflag(viewer, SRTO_RCVSYN, &waits, sizeof waits);
    return viewer;
}

int main(int count, char **words) {
    int viewers = atoi(words[1]), ports = count - 3;
    srt_startup();
    srt_setloglevel(2);
    int poll_id = srt_epoll_create(), wanted = SRT_EPOLL_IN | SRT_EPOLL_ERR;
    for (int i = 0; i < viewers; i++) {
        SRTSOCKET viewer = connect_viewer(words[2], atoi(words[3 + i % ports]));
        srt_epoll_add_usock(poll_id, viewer, &wanted);
    }
    puts("connected");
    fflush(stdout);
    int input = 0, readable = SRT_EPOLL_IN;
    srt_epoll_add_ssock(poll_id, input, &readable);
    uint64_t bytes = 0;
    int lost = 0;
    while (1) {
        SRTSOCKET ready[1024];
        SYSSOCKET system[1];
        int ready_count = 1024, system_count = 1;
        // A timeout leaves the counts as they were.
        if (srt_epoll_wait(poll_id, ready, &ready_count, NULL, NULL, 1000, system, &system_count, NULL, NULL) == SRT_ERROR) ready_count = 0;
        for (int i = 0; i < ready_count; i++) {
            char message[1500];
            int length;
            while ((length = srt_recvmsg(ready[i], message, sizeof message)) > 0) bytes += length;
            if (length < 0 && srt_getlasterror(NULL) != SRT_EASYNCRCV) {
                lost++;
                srt_epoll_remove_usock(poll_id, ready[i]);
            }
        }
        struct pollfd line = {.fd = input, .events = POLLIN};
        if (poll(&line, 1, 0) > 0) {
            char text[64];
            if (!fgets(text, sizeof text, stdin)) return 0;
            printf("%llu %d\n", (unsigned long long)bytes, lost);
            fflush(stdout);
        }
    }
}
