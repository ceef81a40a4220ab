"""RTP packets that came inside the RTSP connection (RFC 2326, 10.12), with the times at which they could be read."""

import re
from collections import Counter
from dataclasses import replace

from packets import TCP, UDP, Packet


class Connection:
    """The bytes of the server in one TCP connection, in order."""

    def __init__(self):
        self.next: int | None = None
        # Segments behind a missing one.
        self.waiting: dict[int, bytes] = {}
        self.buffer = bytearray()

    def receive(self, packet: Packet):
        if self.next is None:
            self.next = packet.first_byte
        self.waiting[(packet.first_byte - self.next) & 0xFFFFFFFF] = packet.payload
        offset = 0
        # Offsets count from `next`; those of the upper half are bytes that were there before.
        while True:
            found = next((at for at in self.waiting if at <= offset < at + len(self.waiting[at])), None)
            if found is None:
                break
            data = self.waiting.pop(found)
            self.buffer += data[offset - found :]
            offset = found + len(data)
        self.next = (self.next + offset) & 0xFFFFFFFF
        self.waiting = {at - offset: data for at, data in self.waiting.items() if at > offset and at < 1 << 31}

    def messages(self):
        """Removes and returns all complete interleaved packets, with their channels; skips RTSP messages."""
        while len(self.buffer) >= 4:
            if self.buffer[0] == 0x24:
                end = 4 + int.from_bytes(self.buffer[2:4], "big")
                if len(self.buffer) < end:
                    return
                yield self.buffer[1], bytes(self.buffer[4:end])
            else:
                head = self.buffer.find(b"\r\n\r\n") + 4
                if head < 4:
                    return
                length = re.search(rb"(?i)content-length: *(\d+)", self.buffer[:head])
                end = head + (int(length[1]) if length else 0)
                if len(self.buffer) < end:
                    return
            del self.buffer[:end]


def interleaved_packets(packets: list[Packet], channel: int = 0) -> list[Packet]:
    """The packets of one channel in the busiest connection, as if each had come by itself."""
    segments = [packet for packet in packets if packet.is_down and packet.protocol == TCP and packet.payload]
    busiest = Counter(segment.client_port for segment in segments).most_common(1)
    connection, result = Connection(), []
    for segment in segments:
        if segment.client_port == busiest[0][0]:
            connection.receive(segment)
            for number, data in connection.messages():
                if number == channel:
                    result.append(replace(segment, protocol=UDP, byte_count=len(data), payload=data))
    return result
