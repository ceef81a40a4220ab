// The least that a receiver of SRT can do: notes when libsrt hands over each message of one publisher. Prints its port, and when the
// publisher has left, for each message the nanoseconds of the monotonic clock and the number of bytes so far, in hexadecimal.
//   srt_receiver LATENCY      in milliseconds
#include <arpa/inet.h>
#include <srt/srt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_MESSAGES = 1000000 };
static struct { int64_t time; uint64_t bytes; } messages[MOST_MESSAGES];

static int fail(const char *what) {
    fprintf(stderr, "srt_receiver: %s: %s\n", what, srt_getlasterror_str());
    return 1;
}

int main(int count, char **words) {
    if (count != 2) return 64;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int length = sizeof address, latency = atoi(words[1]);
    srt_startup();
    srt_setloglevel(2);
    SRTSOCKET listener = srt_create_socket();
    srt_setsockflag(listener, SRTO_LATENCY, &latency, sizeof latency);
    if (srt_bind(listener, (struct sockaddr *)&address, sizeof address) == SRT_ERROR) return fail("bind");
    if (srt_listen(listener, 1) == SRT_ERROR) return fail("listen");
    srt_getsockname(listener, (struct sockaddr *)&address, &length);
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    SRTSOCKET publisher = srt_accept(listener, NULL, NULL);
    if (publisher == SRT_INVALID_SOCK) return fail("accept");
    int message_count = 0, received;
    uint64_t bytes = 0;
    char message[1500];
    while (message_count < MOST_MESSAGES && (received = srt_recvmsg(publisher, message, sizeof message)) > 0) {
        struct timespec time;
        clock_gettime(CLOCK_MONOTONIC, &time);
        messages[message_count].time = time.tv_sec * 1000000000LL + time.tv_nsec;
        messages[message_count++].bytes = bytes += received;
    }
    for (int i = 0; i < message_count; i++)
        printf("%lld %llx\n", (long long)messages[i].time, (unsigned long long)messages[i].bytes);
    return 0;
}
