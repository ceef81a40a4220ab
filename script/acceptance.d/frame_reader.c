// Notes when parts of a stream arrive at a connection, and prints them when it ends or SIGTERM comes.
//   frame_reader rtsp DESCRIPTOR CHANNEL    for each marked packet of a channel: the time and its last 8 bytes, in hexadecimal
//   frame_reader bytes DESCRIPTOR           after each read: the time and the number of bytes so far
// Times are nanoseconds of the monotonic clock. What of the stream has been read before comes on standard input.
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { TAIL_BYTES = 8, MOST_EVENTS = 1000000 };
static struct { int64_t time; uint64_t value; } events[MOST_EVENTS];
static int event_count;
static unsigned char buffer[1 << 20];
static size_t filled;
static volatile sig_atomic_t is_over;

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void note(int64_t time, uint64_t value) {
    if (event_count < MOST_EVENTS) events[event_count].time = time, events[event_count++].value = value;
}

// Takes complete packets from the buffer (RFC 2326, 10.12). Answers to requests are text without a body.
static void take_packets(int64_t time, int channel) {
    size_t at = 0;
    while (filled - at >= 4) {
        unsigned char *packet = buffer + at;
        size_t length;
        if (*packet == '$') {
            length = 4 + (packet[2] << 8 | packet[3]);
            if (filled - at < length) break;
            if (packet[1] == channel && length >= 4 + 12 + TAIL_BYTES && packet[5] & 0x80) {
                uint64_t tail = 0;
                for (size_t i = length - TAIL_BYTES; i < length; i++) tail = tail << 8 | packet[i];
                note(time, tail);
            }
        } else {
            unsigned char *end = memmem(packet, filled - at, "\r\n\r\n", 4);
            if (!end) break;
            length = end + 4 - packet;
        }
        at += length;
    }
    memmove(buffer, buffer + at, filled - at);
    filled -= at;
}

static void end(int signal) {
    (void)signal;
    is_over = 1;
}

int main(int count, char **words) {
    if (count < 3) return 64;
    bool is_rtsp = strcmp(words[1], "rtsp") == 0;
    int connection = atoi(words[2]), channel = is_rtsp ? atoi(words[3]) : 0;
    uint64_t bytes = 0;
    struct sigaction action = {.sa_handler = end};
    sigaction(SIGTERM, &action, NULL);
    ssize_t received;
    while ((received = read(STDIN_FILENO, buffer + filled, sizeof buffer - filled)) > 0) filled += received;
    while (!is_over) {
        struct pollfd readable = {.fd = connection, .events = POLLIN};
        if (poll(&readable, 1, 1000) <= 0) continue;
        received = recv(connection, buffer + filled, sizeof buffer - filled, 0);
        int64_t time = now();
        if (received <= 0) break;
        if (is_rtsp) {
            filled += received;
            take_packets(time, channel);
        } else {
            note(time, bytes += received);
        }
    }
    for (int i = 0; i < event_count; i++) printf("%lld %llx\n", (long long)events[i].time, (unsigned long long)events[i].value);
    return 0;
}
