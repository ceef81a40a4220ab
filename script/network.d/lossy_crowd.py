"""Many simulated viewers over UDP in one process: lossy_crowd.py HOST PORT COUNT LOSS SECONDS FILE.

They come from 127.0.0.2, so that what the server remembers of their address does not concern viewers from 127.0.0.1. FILE has their
counts at the end, as JSON. The file FILE.playing appears when all play.
"""

import json
import re
import select
import signal
import socket
import sys
import time
from collections import deque
from dataclasses import asdict
from pathlib import Path

from lossy_viewer import Counts, LossyViewer

ADDRESS = "127.0.0.2"
SO_RCVBUFFORCE = 33
AGENT = "Lavf60.16.100"
REPORTS_EVERY = 5.0
# How long requests wait, so that packets that were lost together are asked for together.
TICK = 0.01


class Member:
    """One viewer with its sockets."""

    def __init__(self, host: str, port: int, loss: float, seed: int):
        self.viewer = LossyViewer(loss, seed)
        self.media, self.feedback = datagram_sockets()
        self.sequence = 0
        self.connection = socket.create_connection((host, port), 10, (ADDRESS, 0))
        self.url = f"rtsp://{host}:{port}/cam"
        self.request("DESCRIBE", self.url, "Accept: application/sdp")
        client_port = self.media.getsockname()[1]
        answer = self.request("SETUP", f"{self.url}/track1", f"Transport: RTP/AVPF;unicast;client_port={client_port}-{client_port + 1}")
        session = re.search(r"(?i)session: *([^;\r]+)", answer)[1]
        self.feedback.connect((host, int(re.search(r"server_port=\d+-(\d+)", answer)[1])))
        self.request("PLAY", self.url, f"Session: {session}")
        self.reports_at = time.monotonic() + REPORTS_EVERY

    def request(self, method: str, url: str, header: str) -> str:
        self.sequence += 1
        self.connection.sendall(f"{method} {url} RTSP/1.0\r\nCSeq: {self.sequence}\r\nUser-Agent: {AGENT}\r\n{header}\r\n\r\n".encode())
        answer = b""
        while b"\r\n\r\n" not in answer or len(answer) < answer.index(b"\r\n\r\n") + 4 + body_bytes(answer):
            more = self.connection.recv(65536)
            if not more:
                raise SystemExit(f"the server closed the connection after {method}")
            answer += more
        if not answer.startswith(b"RTSP/1.0 200"):
            raise SystemExit(f"{method}: {answer.splitlines()[0].decode()}")
        return answer.decode()

    def ask(self, seconds: float):
        if message := self.viewer.request(seconds):
            self.feedback.send(message)

    def report(self):
        if self.viewer.media_ssrc:
            self.feedback.send(self.viewer.report())
        self.reports_at += REPORTS_EVERY


def datagram_sockets() -> tuple[socket.socket, socket.socket]:
    """For RTP and RTCP: an even port and the next one (RFC 3550, 11)."""
    while True:
        pair = socket.socket(socket.AF_INET, socket.SOCK_DGRAM), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        # Room for many seconds, because the machine may be busy: losses are to be those on purpose.
        pair[0].setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 20)
        pair[0].bind((ADDRESS, 0))
        port = pair[0].getsockname()[1]
        try:
            if port % 2 == 0:
                pair[1].bind((ADDRESS, port + 1))
                return pair
        except OSError:
            # Taken by another program.
            pass
        for one in pair:
            one.close()


def body_bytes(answer: bytes) -> int:
    length = re.search(rb"(?i)content-length: *(\d+)", answer)
    return int(length[1]) if length else 0


class Crowd:
    def __init__(self):
        self.poll, self.members, self.ticks_at = select.epoll(), {}, 0.0
        # Those that miss packets, and all by the time of their next report.
        self.missing: set[Member] = set()
        self.reporting: deque[Member] = deque()

    def add(self, member: Member):
        self.members[member.media.fileno()] = member
        self.reporting.append(member)
        self.poll.register(member.media, select.EPOLLIN)

    def turn(self, timeout: float):
        """Receives what has arrived, and asks for what is missing."""
        events = self.poll.poll(timeout, 512)
        seconds = time.monotonic()
        for descriptor, _ in events:
            self.receive(self.members[descriptor], seconds)
        if seconds >= self.ticks_at:
            self.ticks_at = seconds + TICK
            self.tick(seconds)

    def receive(self, member: Member, seconds: float):
        try:
            packet = member.media.recv(2048, socket.MSG_DONTWAIT)
        except BlockingIOError:
            # A datagram with a wrong checksum woke it.
            return
        # Types of RTCP (RFC 5761, 4).
        if not 192 <= packet[1] < 224:
            member.viewer.receive(packet, seconds)
            if member.viewer.missing:
                self.missing.add(member)

    def tick(self, seconds: float):
        for member in self.missing:
            member.ask(seconds)
        self.missing = {member for member in self.missing if member.viewer.missing}
        while self.reporting and self.reporting[0].reports_at <= seconds:
            self.reporting[0].report()
            self.reporting.rotate(-1)

    def counts(self) -> dict:
        each = [asdict(member.viewer.counts) for member in self.members.values()]
        return {name: sum(one[name] for one in each) for name in asdict(Counts())}


def main():
    host, port, count, loss, seconds, file = sys.argv[1:]
    ended = []
    signal.signal(signal.SIGTERM, lambda *_: ended.append(True))
    crowd, end = Crowd(), time.monotonic() + float(seconds)
    for number in range(int(count)):
        crowd.add(Member(host, int(port), float(loss), number + 1))
        # What arrives meanwhile would not fit into the sockets.
        crowd.turn(0)
    Path(f"{file}.playing").touch()
    begun = time.monotonic(), crowd.counts()
    while not ended and time.monotonic() < end:
        crowd.turn(TICK)
    counts = crowd.counts()
    elapsed = time.monotonic() - begun[0]
    per_second = {f"{name}PerSecond": (value - begun[1][name]) / elapsed for name, value in counts.items()}
    Path(file).write_text(json.dumps({**counts, **per_second, "processorSeconds": time.process_time()}) + "\n")


if __name__ == "__main__":
    main()
