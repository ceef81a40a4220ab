"""What remains broken in ffmpeg, by a model of its requests and of the relay's losses.

The model follows libavformat's rtpdec.c and rtsp.c. A packet behind a gap is queued. At its arrival, ffmpeg sends a NACK, unless it sent
one in the last 200 ms. The NACK names the first missing packet and those of the 16 behind it that are missing before the last queued
one. 100 ms after the first queued packet arrived, ffmpeg gives up what is missing in front of that packet. The server repeats each
requested packet once in 200 ms. Requests and repeated packets pass the relay like all packets, and may be lost.
"""

import heapq
from dataclasses import dataclass

from losses import DOWN, UP, LossProcess

REQUEST_INTERVAL = 0.200
PATIENCE = 0.100
MASK_BITS = 16
REPETITION_INTERVAL = 0.200


@dataclass
class Link:
    seed: int
    loss: str
    round_trip: float


class FFmpeg:
    """The receiver's queue of one track."""

    def __init__(self):
        self.first: int | None = None
        self.last: int | None = None
        # When each packet behind a gap arrived.
        self.queue: dict[int, float] = {}
        self.requested_at = float("-inf")
        self.missed: set[int] = set()

    @property
    def gives_up_at(self) -> float:
        return self.queue[min(self.queue)] + PATIENCE if self.queue else float("inf")

    def give_up(self):
        """Parses the first queued packet without those in front of it."""
        first = min(self.queue)
        self.missed.update(range(self.last + 1, first))
        self.last = first - 1
        self.take_queued()

    def receive(self, number: int, now: float) -> list[int]:
        """Takes a packet, and returns what a NACK asks for."""
        if self.last is None:
            self.first, self.last = number, number - 1
        if number <= self.last:
            return []
        self.queue[number] = now
        self.take_queued()
        if not self.queue or now - self.requested_at < REQUEST_INTERVAL:
            return []
        self.requested_at = now
        first, newest = self.last + 1, max(self.queue)
        return [wanted for wanted in range(first, min(newest, first + MASK_BITS + 1)) if wanted not in self.queue]

    def take_queued(self):
        while self.last + 1 in self.queue:
            self.last += 1
            del self.queue[self.last]


def unrepaired(link: Link, down: list[tuple[float, int | None]], up: list[float]) -> set[int]:
    """The sequence numbers that ffmpeg never parses.

    `down` are the times at which packets of the server reach the relay, without repetitions, and the sequence numbers of those with
    media. `up` are the times of the client's packets without NACKs. A packet's number decides about its loss, so repetitions shift
    the losses of all later packets, as in the relay.
    """
    down_losses, up_losses = LossProcess(link.seed, DOWN, link.loss), LossProcess(link.seed, UP, link.loss)
    receiver, repeated_at = FFmpeg(), {}
    # Events: (time, order, kind, sequence number or what is requested).
    order = iter(range(1 << 62))
    events = [(time, next(order), "sent", number) for time, number in down] + [(time, next(order), "up", None) for time in up]
    heapq.heapify(events)

    def later(time: float, kind: str, what):
        heapq.heappush(events, (time, next(order), kind, what))

    while events:
        now, _, kind, what = heapq.heappop(events)
        while receiver.gives_up_at <= now:
            receiver.give_up()
        if kind == "sent":
            if not down_losses.loses_next() and what is not None:
                later(now + link.round_trip / 2, "arrived", what)
        elif kind == "arrived":
            if wanted := receiver.receive(what, now):
                later(now, "up", wanted)
        elif kind == "up":
            if not up_losses.loses_next() and what:
                later(now + link.round_trip / 2, "requested", what)
        else:
            for number in what:
                if now - repeated_at.get(number, float("-inf")) >= REPETITION_INTERVAL:
                    repeated_at[number] = now
                    later(now, "sent", number)
    while receiver.queue:
        receiver.give_up()
    # What was lost before the first packet that arrived is missed without a gap.
    return receiver.missed | {number for _, number in down if number is not None and number < (receiver.first or 0)}


def lost(link: Link, down: list[tuple[float, int | None]]) -> set[int]:
    """The sequence numbers that the relay loses if nothing is repeated."""
    losses = LossProcess(link.seed, DOWN, link.loss)
    return {number for _, number in down if losses.loses_next() and number is not None}
