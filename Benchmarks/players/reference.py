"""The reference client, which is connected all the time and records when each frame of the video has arrived.

It receives the stream interleaved over TCP and identifies each frame by the last bytes of its slice, so it needs neither a decoder
nor timestamps nor any clock but its own.
"""

import re
import socket
import threading
import time
from urllib.parse import urljoin, urlparse

from video import VideoIndex


class Reference(threading.Thread):
    """Defines live: frame n is live once it and all frames before it have arrived."""

    KEEPALIVE = 20
    # After this many later frames, a missing frame will not arrive: the server has dropped it because this client was slow.
    MISSING_LIMIT = 30

    def __init__(self, url: str, index: VideoIndex):
        super().__init__(daemon=True)
        self._url = url
        self._index = index
        self._sequence = 0
        self._fragments = bytearray()
        self._ahead: set[int] = set()
        self._newest: int | None = None
        # (arrival, number) of each frame in the order in which they became live; append-only.
        self.live: list[tuple[float, int]] = []
        self.lost_packets = 0
        self._expected_sequence: int | None = None
        self.failure: str | None = None

    def run(self):
        try:
            self._play()
            while True:
                self._receive()
        except (OSError, EOFError) as error:
            self.failure = f"the reference client lost the stream: {error}"

    def age(self, number: int, now: float) -> float:
        """For how many seconds frame `number` has been live at `now`, in its latest loop."""
        for arrival, candidate in reversed(self.live):
            if candidate == number and arrival <= now:
                return now - arrival
        return float("nan")

    def number_at(self, now: float) -> int:
        """The number of the live frame at `now`."""
        return next((number for arrival, number in reversed(self.live) if arrival <= now), 0)

    # RTSP

    def _play(self):
        place = urlparse(self._url)
        self._socket = socket.create_connection((place.hostname, place.port or 554))
        self._file = self._socket.makefile("rb")
        headers, description = self._request("DESCRIBE", self._url, "Accept: application/sdp")
        base = headers.get("content-base", self._url)
        video = description[description.index("m=video") :]
        control = re.search(r"a=control:(\S+)", video).group(1)
        headers, _ = self._request("SETUP", urljoin(base, control), "Transport: RTP/AVP/TCP;unicast;interleaved=0-1")
        self._base, self._session = base, f"Session: {headers['session'].split(';')[0]}"
        self._request("PLAY", base, self._session)
        self._kept_alive = time.monotonic()

    def _keep_alive(self):
        """Sends a keepalive, because servers disconnect idle clients after a minute."""
        if time.monotonic() - self._kept_alive > self.KEEPALIVE:
            self._kept_alive = time.monotonic()
            self._send("OPTIONS", self._base, self._session)

    def _request(self, method: str, url: str, header: str) -> tuple[dict[str, str], str]:
        self._send(method, url, header)
        return self._response(self._file.readline())

    def _send(self, method: str, url: str, header: str):
        self._sequence += 1
        self._socket.sendall(
            f"{method} {url} RTSP/1.0\r\nCSeq: {self._sequence}\r\nUser-Agent: reference\r\n{header}\r\n\r\n".encode()
        )

    def _response(self, status: bytes) -> tuple[dict[str, str], str]:
        headers = {}
        while line := self._file.readline().decode().strip():
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        if b" 200 " not in status:
            raise OSError(status.decode().strip())
        return headers, self._file.read(int(headers.get("content-length", 0))).decode()

    # RTP (RFC 6184)

    def _receive(self):
        self._keep_alive()
        head = self._file.read(4)
        if head == b"RTSP":
            self._response(self._file.readline())
            return
        if len(head) < 4 or head[0] != 0x24:
            raise EOFError("the connection ended, or is no longer interleaved")
        packet = self._file.read(head[2] << 8 | head[3])
        if head[1] != 0:
            return
        sequence = packet[2] << 8 | packet[3]
        if self._expected_sequence not in (None, sequence):
            self.lost_packets += 1
        self._expected_sequence = sequence + 1 & 0xFFFF
        payload = packet[12:]
        kind = payload[0] & 0x1F
        if kind == 28:
            self._fragments += payload[2:]
            if payload[1] & 0x40:
                self._finish(bytes(self._fragments))
                self._fragments.clear()
        elif kind in (1, 5):
            self._finish(payload)
        elif kind == 24:
            self._split(payload[1:])

    def _split(self, units: bytes):
        while len(units) > 2:
            length = units[0] << 8 | units[1]
            if units[2] & 0x1F in (1, 5):
                self._finish(units[2 : 2 + length])
            units = units[2 + length :]

    def _finish(self, unit: bytes):
        number = self._index.number(unit)
        if number is None:
            return
        now = time.time()
        count = self._index.frame_count
        if self._newest is None:
            self._newest = number - 1
        if (number - self._newest - 1) % count > count // 2:
            return
        self._ahead.add(number)
        if len(self._ahead) > self.MISSING_LIMIT:
            self._newest, self._ahead = number - 1, {number}
        while (following := (self._newest + 1) % count) in self._ahead:
            self._ahead.remove(following)
            self._newest = following
            self.live.append((now, following))
