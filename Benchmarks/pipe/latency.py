#!/usr/bin/env python3
"""Writes H.264 frames into a pipe that Apus serves, receives the stream, and prints the time from the write of a frame's last byte
to the arrival of its last packet. Frames are identified by the last bytes of their slice."""

import argparse
import re
import socket
import statistics
import struct
import sys
import threading
import time

TAIL = 16  # Enough bytes to identify a frame.


def frames(stream: bytes) -> list[bytes]:
    """The access units of a stream with one slice per frame."""
    starts = [match.start() for match in re.finditer(b"\x00\x00\x00\x01|(?<!\x00)\x00\x00\x01", stream)]
    units, begin = [], 0
    for start, end in zip(starts, starts[1:] + [len(stream)]):
        header = stream[start + 3] if stream[start + 2] == 1 else stream[start + 4]
        if header & 0x1F in (1, 5):
            units.append(stream[begin:end])
            begin = end
    return units


class Writer(threading.Thread):
    """Writes a frame every 1/30 s in the style of a certain writer."""

    def __init__(self, fifo: str, units: list[bytes], style: str):
        super().__init__(daemon=True)
        self.fifo, self.units, self.style = fifo, units, style
        self.written: dict[bytes, float] = {}

    def run(self):
        due = time.monotonic()
        with open(self.fifo, "wb", buffering=0) as pipe:
            while True:
                for unit in self.units:
                    self.write(pipe, unit)
                    due += 1 / 30
                    time.sleep(max(0.0, due - time.monotonic()))

    def write(self, pipe, unit: bytes):
        # Whole; with a buffer of 1000 bytes; in four pieces of no common length, with short or long pauses.
        quarter = -(-len(unit) // 4)
        length, pause = {
            "steady": (len(unit), 0.0),
            "dribble": (1000, 0.0005),
            "chunks": (quarter, 0.0005),
            "pauses": (quarter, 0.003),
        }[self.style]
        for start in range(0, len(unit), length):
            if start:
                time.sleep(pause)
            piece = unit[start : start + length]
            if start + length >= len(unit):
                # Before the write, because the reader may be faster than the return from it.
                self.written[unit[-TAIL:]] = time.monotonic()
            pipe.write(piece)


class Viewer:
    """A minimal RTSP client with interleaved transport."""

    def __init__(self, port: int):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.stream = self.socket.makefile("rb")
        self.sequence = 0

    def request(self, method: str, url: str, **headers: str) -> tuple[int, dict[str, str], str]:
        self.sequence += 1
        lines = [f"{method} {url} RTSP/1.0", f"CSeq: {self.sequence}"] + [f"{k}: {v}" for k, v in headers.items()]
        self.socket.sendall("\r\n".join(lines + ["", ""]).encode())
        status = int(self.stream.readline().split()[1])
        answer = {}
        while line := self.stream.readline().strip():
            name, _, value = line.decode().partition(":")
            answer[name.lower()] = value.strip()
        return status, answer, self.stream.read(int(answer.get("content-length", 0))).decode()

    def play(self, url: str):
        deadline = time.monotonic() + 10
        while True:
            status, answer, description = self.request("DESCRIBE", url)
            if status == 200:
                break
            if time.monotonic() > deadline:
                sys.exit(f"DESCRIBE {url}: {status}")
            time.sleep(0.05)
        control = re.findall(r"a=control:(\S+)", description)[-1]
        target = control if control.startswith("rtsp:") else answer["content-base"] + control
        _, answer, _ = self.request("SETUP", target, Transport="RTP/AVP/TCP;unicast;interleaved=0-1")
        self.request("PLAY", url, Session=answer["session"].split(";")[0])

    def tails(self):
        """The last bytes of each frame and their arrival time."""
        while True:
            _, channel, length = struct.unpack(">cBH", self.stream.read(4))
            packet = self.stream.read(length)
            if channel == 0 and packet[1] & 0x80:
                yield packet[-TAIL:], time.monotonic()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--file", required=True, help="H.264, Annex B, one slice per frame")
    parser.add_argument("--fifo", required=True)
    parser.add_argument("--port", type=int, default=8554)
    parser.add_argument("--style", choices=["steady", "dribble", "chunks", "pauses"], default="steady")
    parser.add_argument("--pictures", type=int, default=450)
    options = parser.parse_args()
    with open(options.file, "rb") as file:
        writer = Writer(options.fifo, frames(file.read()), options.style)
    writer.start()
    viewer = Viewer(options.port)
    viewer.play(f"rtsp://127.0.0.1:{options.port}/cam")
    begun = time.monotonic()
    delays = []
    unknown = 0
    for tail, arrived in viewer.tails():
        written = writer.written.get(tail)
        # An unknown frame is damaged or was split. The first second is excluded: it has the fast start, and Apus learns the
        # writer's timing.
        if written is None:
            unknown += 1
        elif arrived - begun > 1:
            delays.append((arrived - written) * 1e6)
        if len(delays) + unknown >= options.pictures:
            break
    delays.sort()
    percentile = lambda share: delays[min(len(delays) - 1, int(len(delays) * share))]
    print(f"style {options.style}: {len(delays)} frames, {unknown} split or damaged")
    print(f"p50_us {statistics.median(delays):.0f}")
    print(f"p95_us {percentile(0.95):.0f}")
    print(f"p99_us {percentile(0.99):.0f}")
    print(f"max_us {delays[-1]:.0f}")
    sys.exit(unknown > options.pictures // 20)


main()
