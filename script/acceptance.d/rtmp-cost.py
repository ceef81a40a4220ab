#!/usr/bin/env python3
"""What viewers over RTMP cost the server, beside as many over RTSP/TCP. Usage: rtmp-cost.py [VIEWERS [SECONDS]]

The same stream of 2 Mbit/s goes to all viewers of one kind for some seconds, then to those of the other kind, three times. One thread
reads what they are sent and looks at none of it.
"""
import os
import select
import sys
import threading
import time

import rtmp
from costs import allow_descriptors, processor_seconds, stream_file
from streams import Frames, Server, Session, end_all, free_port, wait

VIEWERS = int(sys.argv[1]) if len(sys.argv) > 1 else 500
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 20
ROUNDS, LIMIT = 3, 1.2
# The frames since the last keyframe, which each viewer gets at first, have been sent.
SETTLING_SECONDS = 3


class Reader:
    """Reads all sockets, and counts their bytes."""

    def __init__(self):
        self.bytes, self.ended, self.is_over = 0, 0, False
        self.poll, self.sockets = select.epoll(), {}
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def add(self, viewer):
        viewer.setblocking(False)
        self.sockets[viewer.fileno()] = viewer
        self.poll.register(viewer, select.EPOLLIN)

    def run(self):
        buffer = bytearray(1 << 18)
        while not self.is_over:
            for descriptor, _ in self.poll.poll(0.2):
                viewer = self.sockets[descriptor]
                try:
                    count = viewer.recv_into(buffer)
                except OSError:
                    count = 0
                self.bytes += count
                if not count:
                    self.ended += 1
                    self.poll.unregister(viewer)

    def stop(self):
        self.is_over = True
        self.thread.join()
        for viewer in self.sockets.values():
            viewer.close()


def measure(server, connect):
    """Processor seconds, gigabytes, and the viewers that were disconnected."""
    reader = Reader()
    for _ in range(VIEWERS):
        reader.add(connect())
    time.sleep(SETTLING_SECONDS)
    used, received = processor_seconds([server.process]), reader.bytes
    time.sleep(SECONDS)
    used, received = processor_seconds([server.process]) - used, reader.bytes - received
    left = server.log().count("info     left")
    ended = reader.ended
    reader.stop()
    # All are away before others come.
    wait(20, lambda: server.log().count("info     left") >= left + VIEWERS - ended)
    return used, received / 1e9, ended


failures = 0
try:
    allow_descriptors()
    port = free_port()
    # One log line for each viewer.
    server = Server(f"rtmp: {{ serve: 'yes', port: {port} }}\naccess: {{ open: true }}\n"
                    f"paths: {{ live/cam: {{ source: {stream_file()} }} }}", "cost")
    Session(server.port, Frames(), "live/cam").socket.close()
    ways = {
        "RTSP/TCP": lambda: Session(server.port, Frames(), "live/cam").socket,
        "RTMP": lambda: rtmp.playing(port, "live", "cam"),
    }
    totals = {name: [0.0, 0.0] for name in ways}
    for number in range(ROUNDS):
        for name, connect in ways.items():
            used, gigabytes, ended = measure(server, connect)
            print(f"        round {number + 1}, {VIEWERS} over {name}: {gigabytes:.3f} GB, {used:.2f} CPU-s, "
                  f"{used / gigabytes if gigabytes else 0:.3f} CPU-s/GB"
                  + (f", {ended} DISCONNECTED" if ended else ""), flush=True)
            failures += bool(ended)
            totals[name][0] += used
            totals[name][1] += gigabytes
    costs = {name: used / gigabytes for name, (used, gigabytes) in totals.items()}
    ratio = costs["RTMP"] / costs["RTSP/TCP"]
    failures += ratio > LIMIT
    print(f"{'ok     ' if ratio <= LIMIT else 'BROKEN '} RTMP costs {costs['RTMP']:.3f} CPU-s/GB, RTSP/TCP {costs['RTSP/TCP']:.3f}: "
          f"{ratio:.2f} times as much, limit {LIMIT}")
finally:
    end_all()
sys.exit(1 if failures else 0)
