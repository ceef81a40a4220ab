// Sends pieces of a file when they are due, and prints when it began to send the last part of each, in nanoseconds of the monotonic clock.
//   paced_writer FILE tcp DESCRIPTOR                  an open connection
//   paced_writer FILE srt PORT LATENCY STREAMID       calls an SRT server of this host
// The file has for each piece its due time in microseconds, its length (32 bits each, of this machine), and its bytes. With srt, a piece
// is sent in messages of 1,316 bytes. Prints the times when all is sent.
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <srt/srt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MESSAGE_BYTES = 1316, MOST_PIECES = 100000 };
static int64_t began[MOST_PIECES];
static char piece[1 << 22];

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static SRTSOCKET call(char **words) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(words[3])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int latency = atoi(words[4]);
    srt_startup();
    srt_setloglevel(2);
    SRTSOCKET publisher = srt_create_socket();
    srt_setsockflag(publisher, SRTO_LATENCY, &latency, sizeof latency);
    srt_setsockflag(publisher, SRTO_STREAMID, words[5], strlen(words[5]));
    if (srt_connect(publisher, (struct sockaddr *)&address, sizeof address) == SRT_ERROR) {
        fprintf(stderr, "paced_writer: %s\n", srt_getlasterror_str());
        exit(1);
    }
    return publisher;
}

// Sends all, and returns when it began with the last part. Answers of the server are thrown away.
static int64_t write_tcp(int connection, const char *bytes, size_t count) {
    static char answers[65536];
    int64_t last = 0;
    while (recv(connection, answers, sizeof answers, MSG_DONTWAIT) > 0) {}
    while (count) {
        last = now();
        ssize_t sent = send(connection, bytes, count, MSG_NOSIGNAL);
        if (sent < 0 && errno == EAGAIN) {
            struct pollfd writable = {.fd = connection, .events = POLLOUT};
            poll(&writable, 1, -1);
            continue;
        }
        if (sent <= 0) return -1;
        bytes += sent;
        count -= sent;
    }
    return last;
}

static int64_t write_srt(SRTSOCKET publisher, const char *bytes, size_t count) {
    int64_t last = 0;
    while (count) {
        size_t length = count < MESSAGE_BYTES ? count : MESSAGE_BYTES;
        last = now();
        if (srt_sendmsg2(publisher, bytes, length, NULL) == SRT_ERROR) return -1;
        bytes += length;
        count -= length;
    }
    return last;
}

int main(int count, char **words) {
    bool is_srt = count == 6;
    FILE *file = fopen(words[1], "rb");
    if (!file || (count != 4 && !is_srt)) return 64;
    int connection = is_srt ? call(words) : atoi(words[3]), number = 0;
    int64_t start = now();
    uint32_t head[2];
    while (fread(head, sizeof head, 1, file) == 1 && head[1] <= sizeof piece && fread(piece, head[1], 1, file) == 1) {
        int64_t due = start + head[0] * 1000LL;
        struct timespec time = {due / 1000000000, due % 1000000000};
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL)) {}
        int64_t last = is_srt ? write_srt(connection, piece, head[1]) : write_tcp(connection, piece, head[1]);
        if (last < 0 || number == MOST_PIECES) {
            fprintf(stderr, "paced_writer: the connection ended after %d pieces\n", number);
            return 1;
        }
        began[number++] = last;
    }
    // What is underway over SRT arrives, with its latency, before the connection ends.
    if (is_srt) usleep(2000 * atoi(words[4]));
    for (int i = 0; i < number; i++) printf("%lld\n", (long long)began[i]);
    if (is_srt) srt_close(connection), srt_cleanup();
    return 0;
}
