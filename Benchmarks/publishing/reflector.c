// Reads the RTP packets of each publisher and sends them on to the viewer of the same path, unchanged: reflector PORT
//
// It speaks as much RTSP as the load generator needs, has one thread, and holds nothing back: it is what the kernel and the wake-ups
// alone cost.
#include "rtsp.h"
#include <sys/epoll.h>

// What epoll reports: the first field of what its data points at.
enum kind { listening, connection, datagram_socket };

// How a client sends or receives packets.
enum transport { none, datagrams, interleaved };

struct stream;

struct client {
    enum kind kind;
    struct link link;
    struct stream *stream;
    enum transport transport;
    struct sockaddr_in destination;
};

// A path whose last part is a number.
struct stream {
    enum kind kind;
    struct client *publisher, *viewer;
    // The ports of both.
    int rtp, rtcp;
    uint16_t port;
    char description[2048];
};

enum { stream_limit = 1024 };

static struct stream *streams[stream_limit];
static int poller;
static uint16_t next_port = 20000;

static void watch(int fd, void *data) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = data};
    if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event)) fail("epoll_ctl");
}

static struct stream *stream_at(const char *url) {
    const char *slash = strrchr(url, '/');
    unsigned number = slash ? strtoul(slash + 1, NULL, 10) : 0;
    if (number >= stream_limit) fail("too many streams");
    if (!streams[number]) {
        struct stream *stream = streams[number] = calloc(1, sizeof *stream);
        stream->kind = datagram_socket;
        stream->port = bind_pair(&stream->rtp, &stream->rtcp, next_port);
        next_port = stream->port + 2;
        watch(stream->rtp, stream);
    }
    return streams[number];
}

static void reply(struct client *client, const char *sequence, const char *headers, const char *body) {
    char text[10240];
    int length = snprintf(text, sizeof text, "RTSP/1.0 200 OK\r\nCSeq: %s\r\nSession: 1\r\n%s", sequence, headers);
    length += snprintf(
        text + length, sizeof text - length, *body ? "Content-Length: %zu\r\n\r\n%s" : "\r\n", strlen(body), body);
    if (send(client->link.fd, text, length, MSG_NOSIGNAL) != length) fail("reply");
}

static void set_up(struct client *client, const char *sequence, const char *wanted) {
    char headers[512];
    if (strstr(wanted, "TCP")) {
        client->transport = interleaved;
        snprintf(headers, sizeof headers, "Transport: RTP/AVP/TCP;unicast;interleaved=0-1\r\n");
    } else {
        client->transport = datagrams;
        unsigned theirs = parameter(wanted, "client_port=", 0);
        client->destination = loopback(theirs);
        snprintf(
            headers, sizeof headers, "Transport: RTP/AVP;unicast;client_port=%u-%u;server_port=%u-%u\r\n", theirs, theirs + 1,
            client->stream->port, client->stream->port + 1);
    }
    reply(client, sequence, headers, "");
}

static void handle(struct client *client, const char *text, size_t length) {
    char method[16] = "", url[256] = "", sequence[32], wanted[512];
    sscanf(text, "%15s %255s", method, url);
    snprintf(sequence, sizeof sequence, "%.31s", header(text, "CSeq:"));
    snprintf(wanted, sizeof wanted, "%s", header(text, "Transport:"));
    if (!client->stream) client->stream = stream_at(url);
    struct stream *stream = client->stream;
    if (!strcmp(method, "ANNOUNCE")) {
        const char *body = strstr(text, "\r\n\r\n") + 4;
        snprintf(stream->description, sizeof stream->description, "%.*s", (int)(text + length - body), body);
        stream->publisher = client;
    }
    if (!strcmp(method, "SETUP")) return set_up(client, sequence, wanted);
    if (!strcmp(method, "DESCRIBE")) return reply(client, sequence, "Content-Type: application/sdp\r\n", stream->description);
    reply(client, sequence, "", "");
    if (!strcmp(method, "PLAY")) stream->viewer = client;
}

// Sends packets on, which stand behind each other with their interleaved headers.
static void pass_on(struct stream *stream, byte *packets, size_t length) {
    struct client *viewer = stream ? stream->viewer : NULL;
    if (!viewer || !length) return;
    if (viewer->transport == interleaved) {
        // A viewer that does not read for so long that its buffer is full has no place in the measurement.
        if (send(viewer->link.fd, packets, length, MSG_NOSIGNAL) != (ssize_t)length) fail("send");
        return;
    }
    for (size_t count; length; packets += count, length -= count) {
        count = interleaved_header + read16(packets + 2);
        if (packets[1] & 1) continue;
        sendto(
            stream->rtp, packets + interleaved_header, count - interleaved_header, 0, (void *)&viewer->destination,
            sizeof viewer->destination);
    }
}

static void receive_datagrams(struct stream *stream) {
    static byte bytes[interleaved_header + 65536];
    for (;;) {
        ssize_t count = recv(stream->rtp, bytes + interleaved_header, sizeof bytes - interleaved_header, 0);
        if (count < 0) return;
        bytes[0] = '$', bytes[1] = 0;
        write16(bytes + 2, count);
        pass_on(stream, bytes, interleaved_header + count);
    }
}

static void gone(struct client *client) {
    close(client->link.fd);
    if (client->stream && client->stream->publisher == client) client->stream->publisher = NULL;
    if (client->stream && client->stream->viewer == client) client->stream->viewer = NULL;
    free(client);
}

// Reads once, and takes all that is complete. Packets that follow each other are sent on in one piece.
static void receive(struct client *client) {
    struct link *link = &client->link;
    make_room(link, 65536);
    ssize_t count = recv(link->fd, link->bytes + link->end, link_capacity - link->end, 0);
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return gone(client);
    link->end += count;
    size_t length, packets = link->begin;
    for (enum item item; (item = first_item(link, &length)) != nothing; link->begin += length) {
        if (item == packet && client->stream && client->stream->publisher == client) continue;
        pass_on(client->stream, link->bytes + packets, link->begin - packets);
        if (item == message) {
            // The message ends where the next item begins, whose first byte is put back.
            byte *end = link->bytes + link->begin + length, former = *end;
            *end = 0;
            handle(client, (char *)link->bytes + link->begin, length);
            *end = former;
        }
        packets = link->begin + length;
    }
    pass_on(client->stream, link->bytes + packets, link->begin - packets);
}

int main(int argc, char **argv) {
    if (argc != 2) return fputs("reflector PORT\n", stderr), 64;
    struct sockaddr_in address = loopback(atoi(argv[1]));
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    set(listener, SOL_SOCKET, SO_REUSEADDR, 1);
    if (bind(listener, (void *)&address, sizeof address) || listen(listener, 1024)) fail("listen");
    poller = epoll_create1(EPOLL_CLOEXEC);
    static enum kind listening_kind = listening;
    watch(listener, &listening_kind);
    for (;;) {
        struct epoll_event events[64];
        int count = epoll_wait(poller, events, 64, -1);
        for (int index = 0; index < count; index++) {
            switch (*(enum kind *)events[index].data.ptr) {
            case datagram_socket: receive_datagrams(events[index].data.ptr); break;
            case connection: receive(events[index].data.ptr); break;
            case listening: {
                struct client *client = calloc(1, sizeof *client);
                client->kind = connection;
                client->link.fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
                if (client->link.fd < 0) fail("accept");
                set(client->link.fd, IPPROTO_TCP, TCP_NODELAY, 1);
                watch(client->link.fd, client);
            }
            }
        }
    }
}
