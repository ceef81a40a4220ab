#!/usr/bin/env python3
"""Watches a stream over WebSockets, as the page does, and prints one line of JSON: the server's cost, as `apus bench viewers` does.

Usage: sockets.py HOST PORT PATH VIEWERS RAMP SECONDS SERVER_PID
The window of the cost begins a second after the last viewer has joined.
"""

import json
import resource
import selectors
import socket
import sys
import time

from usage import processor_seconds

TEXT, BINARY, CLOSE, PING = 1, 2, 8, 9
PONG = bytes([0x8A, 0x80, 0, 0, 0, 0])


class Viewer:
    """One connection. Media are counted and not kept."""

    def __init__(self, host: str, port: int, path: str):
        self.socket = socket.create_connection((host, port))
        self.socket.sendall((
            f"GET {path}/ws HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
        self.waiting = bytearray()
        # Bytes of the present media message that are still to come.
        self.rest = 0
        self.is_open = False
        self.byte_count = self.media_count = self.drop_count = 0

    def receive(self):
        bytes = self.socket.recv(262_144)
        if not bytes:
            raise ConnectionError("the server has closed a connection")
        self.byte_count += len(bytes)
        if self.rest >= len(bytes):
            self.rest -= len(bytes)
            return
        self.waiting += memoryview(bytes)[self.rest:]
        self.rest = 0
        if not self.is_open:
            end = self.waiting.find(b"\r\n\r\n")
            if end < 0:
                return
            if not self.waiting.startswith(b"HTTP/1.1 101 "):
                raise ConnectionError(self.waiting[:end].decode())
            del self.waiting[:end + 4]
            self.is_open = True
        while self.read_message():
            pass

    def read_message(self) -> bool:
        """Takes the next message (RFC 6455, section 5.2), or the first part of one with media. False if there is none yet."""
        if len(self.waiting) < 10 and (len(self.waiting) < 2 or len(self.waiting) < header_length(self.waiting[1])):
            return False
        opcode, size, header = self.waiting[0] & 15, self.waiting[1] & 127, header_length(self.waiting[1])
        if size >= 126:
            size = int.from_bytes(self.waiting[2:header], "big")
        if opcode == BINARY:
            self.media_count += 1
            self.rest = max(0, header + size - len(self.waiting))
            del self.waiting[:header + size]
            return True
        if len(self.waiting) < header + size:
            return False
        if opcode == TEXT and b'"drop"' in self.waiting[header:header + size]:
            self.drop_count += 1
        if opcode == PING:
            self.socket.sendall(PONG)
        if opcode == CLOSE:
            raise ConnectionError("the server has closed a connection: " + self.waiting[header + 2:header + size].decode())
        del self.waiting[:header + size]
        return True


def header_length(second: int) -> int:
    return {126: 4, 127: 10}.get(second & 127, 2)


def watch(viewers: list[Viewer], selector: selectors.BaseSelector, until: float):
    while (left := until - time.monotonic()) > 0:
        for key, _ in selector.select(left):
            key.data.receive()


def own_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main():
    host, port, path = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    count, ramp, seconds, pid = int(sys.argv[4]), int(sys.argv[5]), float(sys.argv[6]), int(sys.argv[7])
    viewers, selector = [], selectors.DefaultSelector()
    began = time.monotonic()
    for index in range(count):
        viewers.append(Viewer(host, port, path))
        selector.register(viewers[-1].socket, selectors.EVENT_READ, viewers[-1])
        watch(viewers, selector, began + (index + 1) / ramp)
    watch(viewers, selector, time.monotonic() + 1)

    def state() -> tuple:
        total = sum(viewer.byte_count for viewer in viewers)
        return processor_seconds(pid), total, [viewer.media_count for viewer in viewers], own_seconds(), time.monotonic()

    before = state()
    watch(viewers, selector, began + seconds)
    after = state()
    media = [end - begin for begin, end in zip(before[2], after[2])]
    # All get the same frames; at the edges of the window a viewer may be some ahead.
    behind = sum(1 for each in media if each < max(media) - 5)
    print(json.dumps({
        "steady": {
            "processorSecondsPerGigabyte": (after[0] - before[0]) / (after[1] - before[1]) * 1e9,
            "receiverLoad": (after[3] - before[3]) / (after[4] - before[4]),
        },
        "gaps": behind + sum(viewer.drop_count for viewer in viewers), "captureToArrival": None,
    }))


if __name__ == "__main__":
    main()
