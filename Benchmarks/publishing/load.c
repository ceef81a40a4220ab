// Publishes a video to a server many times and watches each stream, and measures the time from the last packet of a frame to the server
// until its last packet to the viewer:
//
//   load VIDEO.264 PORT PUBLISH VIEW COUNT TRANSPORT SECONDS PID
//
// Stream number i is published to rtsp://127.0.0.1:PORT/PUBLISH/i and watched at /VIEW/i, over TRANSPORT (udp or tcp). PID is the
// server's process. The result is a line of JSON.
//
// Each frame carries its number in its slice. A publisher sends the packets of a frame one by one without a pause, as ffmpeg does, and
// notes when it begins to send the last one, by the clock of the kernel's receive times (SO_TIMESTAMPNS). So it does not matter when
// this program reads a packet. One thread serves all sessions.
#include "rtsp.h"
#include <linux/net_tstamp.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sys/epoll.h>

enum {
    frames_per_second = 30,
    keyframe_interval = 60,
    // Of an RTP packet with its header, as ffmpeg sends them.
    packet_limit = 1472,
    most_frames = 4096,
    // Frames under way of a stream.
    sent_capacity = 128,
    // Bytes of a slice before the mark, which hold its header.
    mark_offset = 8,
    // Sessions that are being set up at once.
    opening_limit = 16,
};

static const int64_t second = 1000000000, interval = second / frames_per_second;
// Between a stream's first packet and its viewer, and between the last viewer and the measurement: a fast start is over by then, and a
// server that keeps the newest 12 s of a stream (Apus does) reuses memory, as it does for the rest of the day.
static const int64_t head_start = second / 2, settling_time = 14 * second, set_up_limit = 60 * second;
static const char mark[] = "mark";

struct frame {
    const byte *slice;
    size_t length;
    bool is_keyframe;
};

// The first request that was not answered.
enum step { unopened, announcing, describing, setting_up, starting, active };

struct session {
    bool publishes;
    enum step step;
    struct stream *stream;
    struct link *link;
    // Of the UDP transport.
    int rtp, rtcp;
    uint16_t port;
    int sequence;
    char id[64];
};

struct stream {
    int number;
    struct session publisher, viewer;
    // The number of the first frame; before it is sent, modulo the keyframe interval. It differs, so that the keyframes of the streams do
    // not come at once.
    int64_t delay;
    uint16_t sequence;
    int64_t began_at;
    // When the last packet of each of the newest frames was sent.
    int64_t sent[sent_capacity];
    // At the viewer: the frame whose beginning came last, and the number of the last packet.
    int64_t arriving;
    int last_sequence;
};

static struct frame film[most_frames];
static int film_length;
static byte *sets[2];
static size_t set_lengths[2];
static bool is_tcp;
static uint16_t server_port;
static const char *publish_path, *view_path;
static struct stream *streams;
static int count, poller, opening, active_count;
static uint16_t next_port = 30000;

// The measurement, by the wall clock; nothing counts before it begins.
static int64_t begin_at = INT64_MAX, end_at = INT64_MAX;
static float *latencies;
static size_t latency_count, latency_capacity, sent_frames;
static int64_t byte_count, lost, latest_frame;

static void die(const char *what, const char *detail) {
    fprintf(stderr, "load: %s: %s\n", what, detail);
    exit(1);
}

// MARK: the video

static void add_unit(byte *unit, size_t length) {
    int type = unit[0] & 31;
    if (type == 7 || type == 8) {
        sets[type - 7] = unit, set_lengths[type - 7] = length;
    } else if ((type == 1 || type == 5) && length > 64 && film_length < most_frames) {
        film[film_length++] = (struct frame){unit, length, type == 5};
    }
}

static void read_film(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) fail(path);
    fseek(file, 0, SEEK_END);
    size_t length = ftell(file);
    rewind(file);
    byte *bytes = malloc(length);
    if (fread(bytes, 1, length, file) != length) fail(path);
    fclose(file);
    byte *end = bytes + length, *unit = NULL;
    for (byte *place = bytes; place && place + 3 <= end; place++) {
        byte *next = memmem(place, end - place, "\0\0\1", 3), *stop = next ? next : end;
        if (unit) {
            while (stop > unit && !stop[-1]) stop--;
            add_unit(unit, stop - unit);
        }
        unit = next ? next + 3 : NULL, place = next;
        if (!next) break;
    }
    if (!film_length || !film[0].is_keyframe || !sets[0] || !sets[1]) die(path, "does not begin with a keyframe");
}

static void base64(const byte *bytes, size_t length, char *text) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t index = 0; index < length; index += 3) {
        uint32_t group = bytes[index] << 16;
        if (index + 1 < length) group |= bytes[index + 1] << 8;
        if (index + 2 < length) group |= bytes[index + 2];
        for (int digit = 0; digit < 4; digit++) *text++ = digits[group >> (18 - 6 * digit) & 63];
        if (index + 1 >= length) text[-2] = '=';
        if (index + 2 >= length) text[-1] = '=';
    }
    *text = 0;
}

// MARK: requests

static void watch(int fd, struct session *session, bool is_media) {
    // The lowest bit of the address tells a socket for packets from a connection.
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = (uintptr_t)session | is_media};
    if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event)) fail("epoll_ctl");
}

static const char *url(struct session *session) {
    static char text[128];
    const char *path = session->publishes ? publish_path : view_path;
    snprintf(text, sizeof text, "rtsp://127.0.0.1:%u/%s/%d", server_port, path, session->stream->number);
    return text;
}

static void request(struct session *session, const char *method, const char *target, const char *headers, const char *body) {
    char text[4096];
    int length = snprintf(
        text, sizeof text, "%s %s RTSP/1.0\r\nCSeq: %d\r\nUser-Agent: load\r\n%s", method, target, ++session->sequence, headers);
    if (*session->id) length += snprintf(text + length, sizeof text - length, "Session: %s\r\n", session->id);
    if (*body) length += snprintf(text + length, sizeof text - length, "Content-Length: %zu\r\n", strlen(body));
    length += snprintf(text + length, sizeof text - length, "\r\n%s", body);
    if (send(session->link->fd, text, length, MSG_NOSIGNAL) != length) die(method, "the connection takes no request");
}

static void announce(struct session *session) {
    char body[2048], first[512], other[512];
    base64(sets[0], set_lengths[0], first), base64(sets[1], set_lengths[1], other);
    snprintf(
        body, sizeof body,
        "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=load\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=video 0 RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\n"
        "a=fmtp:96 packetization-mode=1; sprop-parameter-sets=%s,%s; profile-level-id=%02X%02X%02X\r\na=control:streamid=0\r\n",
        first, other, sets[0][1], sets[0][2], sets[0][3]);
    request(session, "ANNOUNCE", url(session), "Content-Type: application/sdp\r\n", body);
}

static void set_up(struct session *session, const char *control) {
    char target[512], headers[256];
    const char *mode = session->publishes ? ";mode=record" : "";
    if (is_tcp) {
        snprintf(headers, sizeof headers, "Transport: RTP/AVP/TCP;unicast;interleaved=0-1%s\r\n", mode);
    } else {
        session->port = bind_pair(&session->rtp, &session->rtcp, next_port);
        next_port = session->port + 2;
        snprintf(
            headers, sizeof headers, "Transport: RTP/AVP;unicast;client_port=%u-%u%s\r\n", session->port, session->port + 1, mode);
    }
    if (strstr(control, "://")) {
        snprintf(target, sizeof target, "%s", control);
    } else {
        snprintf(target, sizeof target, "%s/%s", url(session), control);
    }
    request(session, "SETUP", target, headers, "");
}

static void open_session(struct session *session, struct stream *stream, bool publishes) {
    *session = (struct session){.publishes = publishes, .stream = stream, .rtp = -1, .rtcp = -1, .link = calloc(1, sizeof(struct link))};
    session->link->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = loopback(server_port);
    if (connect(session->link->fd, (void *)&address, sizeof address)) fail("connect");
    fcntl(session->link->fd, F_SETFL, O_NONBLOCK);
    set(session->link->fd, IPPROTO_TCP, TCP_NODELAY, 1);
    if (!publishes) set(session->link->fd, SOL_SOCKET, SO_TIMESTAMPNS, 1);
    watch(session->link->fd, session, false);
    session->step = publishes ? announcing : describing;
    opening++;
    if (publishes) announce(session);
    else request(session, "DESCRIBE", url(session), "Accept: application/sdp\r\n", "");
}

// The packets of a session may pass in both directions from now on.
static void prepare_datagrams(struct session *session, const char *transport) {
    if (is_tcp) return;
    if (!session->publishes) {
        set(session->rtp, SOL_SOCKET, SO_TIMESTAMPNS, 1);
        set(session->rtp, IPPROTO_UDP, UDP_GRO, 1);
        return watch(session->rtp, session, true);
    }
    struct sockaddr_in address = loopback(parameter(transport, "server_port=", 0));
    if (connect(session->rtp, (void *)&address, sizeof address)) fail("connect");
}

static void answered(struct session *session, const char *text) {
    int status = 0;
    sscanf(text, "RTSP/1.0 %d", &status);
    if (status != 200) die(url(session), text);
    if (!*session->id) {
        const char *id = header(text, "Session:");
        snprintf(session->id, sizeof session->id, "%.*s", (int)strcspn(id, ";"), id);
    }
    switch (session->step) {
    case announcing:
        session->step = setting_up;
        return set_up(session, "streamid=0");
    case describing: {
        const char *medium = strstr(text, "m=video"), *line = medium ? strstr(medium, "a=control:") : NULL;
        if (!line) die(url(session), "the description has no video");
        char control[256];
        snprintf(control, sizeof control, "%.*s", (int)strcspn(line + 10, "\r\n"), line + 10);
        session->step = setting_up;
        return set_up(session, control);
    }
    case setting_up:
        prepare_datagrams(session, header(text, "Transport:"));
        session->step = starting;
        return request(session, session->publishes ? "RECORD" : "PLAY", url(session), "Range: npt=0.000-\r\n", "");
    case starting:
        session->step = active, opening--;
        if (!session->publishes) active_count++;
        return;
    case unopened: case active: return;
    }
}

// MARK: publishing

static void send_packet(struct session *session, byte *bytes, size_t length) {
    int fd = session->rtp;
    if (is_tcp) {
        bytes -= interleaved_header, length += interleaved_header, fd = session->link->fd;
        bytes[0] = '$', bytes[1] = 0;
        write16(bytes + 2, length - interleaved_header);
    }
    while (length) {
        ssize_t taken = send(fd, bytes, length, MSG_NOSIGNAL);
        if (taken < 0 && errno != EAGAIN) fail("send");
        if (taken < 0) poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, 1000);
        else bytes += taken, length -= taken;
    }
}

// Sends a frame in fragmentation units of the greatest length (RFC 6184, 5.8).
static void publish(struct stream *stream, int64_t number) {
    struct frame frame = film[(number - stream->delay) % film_length];
    byte buffer[interleaved_header + packet_limit + 8], slice[64], *packet = buffer + interleaved_header;
    memcpy(slice, frame.slice, sizeof slice);
    char text[16];
    snprintf(text, sizeof text, "%s%08x", mark, (unsigned)number);
    memcpy(slice + mark_offset, text, strlen(text));
    int64_t instant = 0;
    for (size_t place = 1; place < frame.length;) {
        size_t room = packet_limit - rtp_header - 2, left = frame.length - place, length = left < room ? left : room;
        bool is_last = length == left;
        packet[0] = 0x80, packet[1] = 96 | is_last << 7;
        write16(packet + 2, stream->sequence++);
        write32(packet + 4, number * (90000 / frames_per_second));
        write32(packet + 8, 1 + stream->number);
        packet[12] = (frame.slice[0] & 0xE0) | 28;
        packet[13] = (place == 1) << 7 | is_last << 6 | (frame.slice[0] & 31);
        memcpy(packet + 14, frame.slice + place, length);
        if (place == 1) memcpy(packet + 14, slice + 1, sizeof slice - 1 < length ? sizeof slice - 1 : length);
        if (is_last) instant = stream->sent[number % sent_capacity] = now_by(CLOCK_REALTIME);
        send_packet(&stream->publisher, packet, 14 + length);
        place += length;
    }
    if (instant >= begin_at && instant < end_at) sent_frames++;
}

// MARK: viewing

// The number in a payload that contains the beginning of a slice (RFC 6184, 5.2); otherwise -1.
static int64_t frame_number(const byte *payload, size_t length) {
    const byte *slice = NULL;
    size_t available = 0;
    int type = payload[0] & 31;
    if (type == 28 && length > 2 && payload[1] & 0x80) slice = payload + 1, available = length - 1;
    if (type == 1 || type == 5) slice = payload, available = length;
    if (type == 24) {
        for (size_t place = 1; place + 3 < length; place += 2 + read16(payload + place)) {
            int inner = payload[place + 2] & 31;
            if (inner == 1 || inner == 5) slice = payload + place + 2, available = read16(payload + place);
        }
    }
    unsigned number;
    char text[9] = "";
    if (available < mark_offset + 12 || memcmp(slice + mark_offset, mark, 4)) return -1;
    memcpy(text, slice + mark_offset + 4, 8);
    return sscanf(text, "%x", &number) == 1 ? (int64_t)number : -1;
}

static void arrived(struct stream *stream, int64_t arrival) {
    int64_t instant = stream->sent[stream->arriving % sent_capacity];
    if (instant < begin_at || instant >= end_at) return;
    if (latency_count == latency_capacity) {
        latency_capacity = latency_capacity ? 2 * latency_capacity : 4096;
        latencies = realloc(latencies, latency_capacity * sizeof *latencies);
    }
    latencies[latency_count++] = (arrival - instant) / 1e6;
}

static void receive_packet(struct stream *stream, const byte *bytes, size_t length, int64_t arrival) {
    if (length < rtp_header + 3 || (bytes[0] & 0xC0) != 0x80) return;
    uint16_t sequence = read16(bytes + 2);
    size_t start = rtp_header + 4 * (bytes[0] & 15);
    if (bytes[0] & 0x10 && length > start + 4) start += 4 + 4 * read16(bytes + start + 2);
    if (length < start + 3) return;
    if (arrival >= begin_at && arrival < end_at) {
        byte_count += length;
        if (stream->last_sequence >= 0) lost += (uint16_t)(sequence - stream->last_sequence - 1);
    }
    stream->last_sequence = sequence;
    int64_t number = frame_number(bytes + start, length - start);
    if (number >= 0) stream->arriving = number;
    if (bytes[1] & 0x80 && stream->arriving >= 0) arrived(stream, arrival), stream->arriving = -1;
}

// The kernel's receive time, and the length of the packets in a datagram that holds several.
static int64_t arrival_of(struct msghdr *message, size_t *segment) {
    int64_t arrival = 0;
    for (struct cmsghdr *control = CMSG_FIRSTHDR(message); control; control = CMSG_NXTHDR(message, control)) {
        if (control->cmsg_level == SOL_SOCKET && control->cmsg_type == SO_TIMESTAMPNS) {
            struct timespec *time = (void *)CMSG_DATA(control);
            arrival = time->tv_sec * second + time->tv_nsec;
        }
        if (control->cmsg_level == IPPROTO_UDP && control->cmsg_type == UDP_GRO) *segment = *(int *)CMSG_DATA(control);
    }
    return arrival ? arrival : now_by(CLOCK_REALTIME);
}

static void receive_datagrams(struct session *session) {
    enum { batch = 16 };
    static byte bytes[batch][65536], controls[batch][256];
    static struct iovec parts[batch];
    static struct mmsghdr messages[batch];
    for (int index = 0; index < batch; index++) {
        parts[index] = (struct iovec){bytes[index], sizeof bytes[index]};
        messages[index].msg_hdr = (struct msghdr){
            .msg_iov = parts + index, .msg_iovlen = 1, .msg_control = controls[index], .msg_controllen = sizeof controls[index]};
    }
    int received = recvmmsg(session->rtp, messages, batch, MSG_DONTWAIT, NULL);
    for (int index = 0; index < received; index++) {
        size_t length = messages[index].msg_len, segment = length;
        int64_t arrival = arrival_of(&messages[index].msg_hdr, &segment);
        for (size_t place = 0; place < length; place += segment) {
            size_t rest = length - place;
            receive_packet(session->stream, bytes[index] + place, rest < segment ? rest : segment, arrival);
        }
    }
}

static void receive(struct session *session) {
    struct link *link = session->link;
    make_room(link, 65536);
    byte control[256];
    struct iovec part = {link->bytes + link->end, link_capacity - link->end};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    ssize_t received = recvmsg(link->fd, &header, 0);
    if (received < 0 && errno == EAGAIN) return;
    if (received <= 0) die(url(session), "the server closed the connection");
    link->end += received;
    size_t length, unused;
    int64_t arrival = arrival_of(&header, &unused);
    for (enum item item; (item = first_item(link, &length)) != nothing; link->begin += length) {
        byte *start = link->bytes + link->begin, former = start[length];
        if (item == packet && !session->publishes && start[1] == 0) {
            receive_packet(session->stream, start + interleaved_header, length - interleaved_header, arrival);
        } else if (item == message) {
            start[length] = 0;
            answered(session, (char *)start);
            start[length] = former;
        }
    }
}

// MARK: the run

static double processor_seconds(int process) {
    char path[64], text[1024] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", process);
    FILE *file = fopen(path, "r");
    if (!file || !fgets(text, sizeof text, file)) fail(path);
    fclose(file);
    unsigned long user, system;
    // The name may contain blanks; the last parenthesis ends it.
    if (sscanf(strrchr(text, ')') + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system) != 2) fail(path);
    return (double)(user + system) / sysconf(_SC_CLK_TCK);
}

// Processor time in seconds, of the server and of this process.
struct use {
    double server, own;
};

static struct use use;

static struct use used_since(struct use former, int process) {
    return (struct use){processor_seconds(process) - former.server, now_by(CLOCK_PROCESS_CPUTIME_ID) / 1e9 - former.own};
}

// Publishes frame `number` of a stream, which was due `late` nanoseconds ago.
static void serve(struct stream *stream, int64_t number, int64_t late) {
    if (stream->publisher.step != active) return;
    if (!stream->began_at) {
        // The film begins with the first frame that is sent.
        if (number % keyframe_interval != stream->delay) return;
        stream->delay = number, stream->began_at = now_by(CLOCK_MONOTONIC);
    }
    if (late > latest_frame && begin_at != INT64_MAX) latest_frame = late;
    publish(stream, number);
}

// Opens sessions, a few at a time: first publishers, then the viewer of each stream that has begun.
static void open_some(int64_t now) {
    for (int index = 0; index < count && opening < opening_limit; index++) {
        struct stream *stream = streams + index;
        if (stream->publisher.step == unopened) open_session(&stream->publisher, stream, true);
        if (stream->viewer.step == unopened && stream->began_at && now - stream->began_at > head_start)
            open_session(&stream->viewer, stream, false);
    }
}

static int ascending(const void *one, const void *other) {
    float difference = *(const float *)one - *(const float *)other;
    return (difference > 0) - (difference < 0);
}

static float percentile(double percent) { return latency_count ? latencies[(size_t)((latency_count - 1) * percent / 100)] : -1; }

static void begin(int64_t duration, int process) {
    begin_at = now_by(CLOCK_REALTIME), end_at = begin_at + duration;
    use = used_since((struct use){0, 0}, process);
}

static void report(int64_t duration) {
    qsort(latencies, latency_count, sizeof *latencies, ascending);
    printf(
        "{\"frames\": %zu, \"missing\": %zd, \"lost\": %lld, \"bytes\": %lld, \"seconds\": %.3f, \"server_seconds\": %.3f, "
        "\"own_load\": %.3f, \"late\": %.3f, \"p50\": %.4f, \"p95\": %.4f, \"p99\": %.4f, \"max\": %.4f}\n",
        latency_count, (ssize_t)(sent_frames - latency_count), (long long)lost, (long long)byte_count, duration / 1e9, use.server,
        use.own / (duration / 1e9), latest_frame / 1e6, percentile(50), percentile(95), percentile(99), percentile(100));
}

int main(int argc, char **argv) {
    if (argc != 9) return fputs("load VIDEO.264 PORT PUBLISH VIEW COUNT TRANSPORT SECONDS PID\n", stderr), 64;
    read_film(argv[1]);
    server_port = atoi(argv[2]), publish_path = argv[3], view_path = argv[4], count = atoi(argv[5]);
    is_tcp = !strcmp(argv[6], "tcp");
    int64_t duration = atof(argv[7]) * second;
    int process = atoi(argv[8]);
    streams = calloc(count, sizeof *streams);
    for (int index = 0; index < count; index++) {
        streams[index].number = index, streams[index].delay = index * keyframe_interval / count;
        streams[index].arriving = streams[index].last_sequence = -1;
    }
    poller = epoll_create1(EPOLL_CLOEXEC);
    int64_t start = now_by(CLOCK_MONOTONIC), next = 0, deadline = start + set_up_limit, latest_open = 0;
    enum { joining, settling, measuring, draining } phase = joining;
    for (;;) {
        int64_t now = now_by(CLOCK_MONOTONIC), due = start + next * interval / count;
        if (now - latest_open > second / 100) open_some(now), latest_open = now;
        if (phase == joining && active_count == count) phase = settling, deadline = now + settling_time;
        if (now >= deadline) {
            switch (phase) {
            case joining: die("set-up", "takes more than a minute"); break;
            case settling: begin(duration, process), phase = measuring, deadline = now + duration; break;
            case measuring: use = used_since(use, process), phase = draining, deadline = now + second / 4; break;
            case draining: return report(duration), 0;
            }
        }
        if (due <= now) serve(streams + next % count, next / count, now - due), next++;
        // Sessions are opened every 10 ms at most.
        int64_t pause = due <= now ? 0 : due - now < second / 100 ? due - now : second / 100;
        struct epoll_event events[64];
        int ready = epoll_pwait2(poller, events, 64, &(struct timespec){0, pause}, NULL);
        for (int index = 0; index < ready; index++) {
            struct session *session = (void *)(uintptr_t)(events[index].data.u64 & ~1ULL);
            if (events[index].data.u64 & 1) receive_datagrams(session);
            else receive(session);
        }
    }
}
