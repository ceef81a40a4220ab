"""Packets of a capture, and what RTP and RTCP say in them (RFC 3550, RFC 4585)."""

import struct
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

TCP, UDP = 6, 17
SERVER_ADDRESS = bytes([10, 77, 1, 1])
# Types of RTCP packets (RFC 3550, 12.1; RFC 4585, 6.1), which RTP packets do not use (RFC 5761, 4).
RTCP_TYPES = range(192, 224)
TRANSPORT_FEEDBACK, PAYLOAD_FEEDBACK, NACK = 205, 206, 1
TRANSPORT_STREAM = 33


@dataclass
class Packet:
    """One IP packet, with what its transport carries."""

    seconds: float
    is_down: bool
    protocol: int
    byte_count: int
    payload: bytes
    # TCP only: the number of the first byte, and the client's port.
    first_byte: int = 0
    client_port: int = 0

    @property
    def is_rtcp(self) -> bool:
        return self.protocol == UDP and len(self.payload) >= 8 and self.payload[0] >> 6 == 2 and self.payload[1] in RTCP_TYPES

    @property
    def is_rtp(self) -> bool:
        return self.protocol == UDP and len(self.payload) >= 12 and self.payload[0] >> 6 == 2 and self.payload[1] not in RTCP_TYPES


def read_packets(file: Path) -> list[Packet]:
    """The IPv4 packets of a capture, in order."""
    data, position, packets = file.read_bytes(), 24, []
    while position + 16 <= len(data):
        seconds, nanoseconds, count, _ = struct.unpack_from("<IIII", data, position)
        packet = data[position + 16 : position + 16 + count]
        position += 16 + count
        if len(packet) < 20 or packet[0] >> 4 != 4:
            continue
        transport = packet[(packet[0] & 15) * 4 :]
        head = 8 if packet[9] == UDP else (transport[12] >> 4) * 4 if packet[9] == TCP else 0
        is_down = packet[12:16] == SERVER_ADDRESS
        client_port = int.from_bytes(transport[2:4] if is_down else transport[0:2], "big")
        first_byte = int.from_bytes(transport[4:8], "big") if packet[9] == TCP else 0
        # The IP header states the length; a frame may be padded.
        end = int.from_bytes(packet[2:4], "big") - (packet[0] & 15) * 4
        packets.append(Packet(seconds + nanoseconds / 1e9, is_down, packet[9], len(packet), transport[head:end], first_byte, client_port))
    return packets


@dataclass
class RTPPacket:
    packet: Packet
    # Without wraparound: it begins anywhere, and grows by one from packet to packet.
    sequence_number: int
    timestamp: int
    payload_type: int
    is_marked: bool
    ssrc: bytes
    payload: bytes


def rtp_packet(packet: Packet) -> RTPPacket:
    data = packet.payload
    begin = 12 + 4 * (data[0] & 15)
    if data[0] & 0x10:
        begin += 4 + 4 * int.from_bytes(data[begin + 2 : begin + 4], "big")
    end = len(data) - (data[-1] if data[0] & 0x20 else 0)
    number, timestamp = struct.unpack_from(">HI", data, 2)
    return RTPPacket(packet, number, timestamp, data[1] & 0x7F, data[1] >= 0x80, data[8:12], data[begin:end])


class MediaStream:
    """The RTP packets of the video that the server has sent: first transmissions, and everything that was sent to repair them."""

    def __init__(self, packets: list[Packet]):
        everything = [rtp_packet(packet) for packet in packets if packet.is_down and packet.is_rtp]
        if not everything:
            raise ValueError("the server has sent no RTP packet")
        ssrc = Counter(packet.ssrc for packet in everything).most_common(1)[0][0]
        self.first: list[RTPPacket] = []
        self.repeated: list[RTPPacket] = []
        seen: set[int] = set()
        last = None
        for packet in everything:
            # RTX has its own SSRC (RFC 4588).
            if packet.ssrc != ssrc:
                self.repeated.append(packet)
                continue
            if last is not None:
                packet.sequence_number = last + ((packet.sequence_number - last + 0x8000) & 0xFFFF) - 0x8000
            if packet.sequence_number in seen:
                self.repeated.append(packet)
                continue
            last = packet.sequence_number
            seen.add(last)
            self.first.append(packet)

    @property
    def is_transport_stream(self) -> bool:
        return self.first[0].payload_type == TRANSPORT_STREAM


def never_arrived(sent: MediaStream, arrived: MediaStream) -> list[RTPPacket]:
    """The media packets of which no copy arrived, not even a repeated one; up to the last that arrived."""
    ssrc = sent.first[0].ssrc

    def key(packet: RTPPacket) -> tuple[int, int]:
        # RTX has the original sequence number in front of the payload (RFC 4588, 4).
        number = packet.sequence_number if packet.ssrc == ssrc else int.from_bytes(packet.payload[:2], "big")
        return number & 0xFFFF, packet.timestamp

    present = {key(packet) for packet in arrived.first + arrived.repeated}
    last = max((index for index, packet in enumerate(sent.first) if key(packet) in present), default=-1)
    return [packet for packet in sent.first[: last + 1] if key(packet) not in present]


def feedback_kinds(packet: Packet) -> list[tuple[int, int]]:
    """Type and format of each feedback message in a compound packet, such as (205, 1) for a NACK."""
    found, data = [], packet.payload
    while len(data) >= 4:
        if data[1] in (TRANSPORT_FEEDBACK, PAYLOAD_FEEDBACK):
            found.append((data[1], data[0] & 31))
        data = data[4 + 4 * int.from_bytes(data[2:4], "big") :]
    return found
