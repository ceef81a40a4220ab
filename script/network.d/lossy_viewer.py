"""A simulated viewer that loses packets and asks for them (RFC 3550, RFC 4585), without its sockets."""

import random
import struct
from dataclasses import dataclass

RECEIVER_REPORT, TRANSPORT_FEEDBACK, NACK = 201, 205, 1
# FFmpeg asks once in this time (libavformat/rtpdec.c: MIN_FEEDBACK_INTERVAL).
ASKS_EVERY = 0.2
# A player with a jitter buffer of a second. FFmpeg gives up after 0.1 s, so it asks less often.
GIVES_UP_AFTER = 1.0


@dataclass
class Counts:
    """Of packets, except the requests, which are datagrams."""

    received: int = 0
    # By this viewer, on purpose.
    lost: int = 0
    requests: int = 0
    asked: int = 0
    repaired: int = 0
    duplicates: int = 0
    given_up: int = 0


class LossyViewer:
    def __init__(self, loss: float, seed: int):
        self.loss, self.random, self.counts = loss, random.Random(seed), Counts()
        self.ssrc = seed & 0xFFFFFFFF
        self.media_ssrc = b""
        self.first = self.highest = 0
        # The time since which a packet is missing, and the time of the last request for it.
        self.missing: dict[int, tuple[float, float]] = {}
        self.reported = (0, 0)

    def receive(self, packet: bytes, seconds: float):
        """A packet of RTP arrives; this viewer may lose it."""
        self.counts.received += 1
        if self.random.random() < self.loss:
            self.counts.lost += 1
            return
        if not self.media_ssrc:
            self.media_ssrc = packet[8:12]
            self.first = self.highest = int.from_bytes(packet[2:4], "big")
            return
        number = self.highest + ((int.from_bytes(packet[2:4], "big") - self.highest + 0x8000) & 0xFFFF) - 0x8000
        if number > self.highest:
            self.missing.update((one, (seconds, 0.0)) for one in range(self.highest + 1, number))
            self.highest = number
        elif self.missing.pop(number, None):
            self.counts.repaired += 1
        else:
            self.counts.duplicates += 1

    def request(self, seconds: float) -> bytes | None:
        """The next request: of all missing packets that were not asked for just now."""
        if not self.missing:
            return None
        for number in [one for one, (since, _) in self.missing.items() if seconds - since > GIVES_UP_AFTER]:
            del self.missing[number]
            self.counts.given_up += 1
        wanted = [one for one, (_, asked) in self.missing.items() if seconds - asked >= ASKS_EVERY]
        if not wanted:
            return None
        for number in wanted:
            self.missing[number] = self.missing[number][0], seconds
        self.counts.requests += 1
        self.counts.asked += len(wanted)
        entries = b"".join(nack_entries(wanted))
        return struct.pack(">BBHI", 0x80 | NACK, TRANSPORT_FEEDBACK, 2 + len(entries) // 4, self.ssrc) + self.media_ssrc + entries

    def report(self) -> bytes:
        """A receiver report of what was missing when it arrived, repaired or not, since the report before (RFC 3550, 6.4.2)."""
        expected = self.highest - self.first + 1
        lost = len(self.missing) + self.counts.given_up
        more, more_lost = expected - self.reported[0], max(0, lost - self.reported[1])
        self.reported = expected, lost
        fraction = min(255, 256 * more_lost // more) if more else 0
        block = self.media_ssrc + struct.pack(">IIIII", fraction << 24 | lost & 0xFFFFFF, self.highest & 0xFFFFFFFF, 0, 0, 0)
        return struct.pack(">BBHI", 0x81, RECEIVER_REPORT, 7, self.ssrc) + block


def nack_entries(numbers: list[int]):
    """Each names a packet and any of the 16 after it (RFC 4585, 6.2.1). The numbers ascend."""
    while numbers:
        first = numbers[0]
        bits = sum(1 << number - first - 1 for number in numbers[1:17] if number <= first + 16)
        yield struct.pack(">HH", first & 0xFFFF, bits)
        numbers = [number for number in numbers[1:] if number > first + 16]
