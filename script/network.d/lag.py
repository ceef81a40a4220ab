"""How old frames are when their last packet has arrived, by the capture time in their SEI (docs/timestamps.md)."""

import struct
from dataclasses import dataclass

from h264 import FRAGMENT, packetized_units
from interleaved import interleaved_packets
from packets import MediaStream, Packet, RTPPacket
from picture_size import PARAMETER_SET, picture_size

IDENTIFIER = bytes.fromhex("9c2b6c9e5e9d4444903f1866e524bed6")
SEI = 6
# The seconds from 1900, NTP's epoch, to 1970.
NTP_SECONDS = 2_208_988_800


@dataclass
class Arrival:
    """One frame that has arrived."""

    seconds: float
    lag: float
    byte_count: int
    # The source's number.
    number: int
    # Whether no packet is missing.
    is_whole: bool
    # Of keyframes: what its parameter set announces.
    picture: tuple[int, int] | None = None


def arrivals(packets: list[Packet], is_tcp: bool) -> list[Arrival]:
    """The frames that arrived, those with missing packets included if their SEI has arrived."""
    return stream_arrivals(MediaStream(interleaved_packets(packets) if is_tcp else packets))


def stream_arrivals(stream: MediaStream) -> list[Arrival]:
    frames: dict[int, list[RTPPacket]] = {}
    for packet in sorted(stream.first, key=lambda packet: packet.sequence_number):
        frames.setdefault(packet.timestamp, []).append(packet)
    result, last = [], None
    for parts in frames.values():
        span = parts[-1].sequence_number - parts[0].sequence_number + 1
        is_whole = last in (None, parts[0].sequence_number - 1) and span == len(parts) and parts[-1].is_marked
        last = parts[-1].sequence_number
        if (stated := capture_time(parts)) is not None:
            number, captured = stated
            arrived = max(part.packet.seconds for part in parts)
            byte_count = sum(part.packet.byte_count for part in parts)
            result.append(Arrival(arrived, arrived - captured, byte_count, number, is_whole, announced_picture(parts)))
    return sorted(result, key=lambda arrival: arrival.seconds)


def capture_time(parts: list[RTPPacket]) -> tuple[int, float] | None:
    """The frame's number, and its capture time in seconds since 1970."""
    for unit in packetized_units(parts):
        if unit[:1] != bytes([SEI]) or IDENTIFIER not in unit:
            continue
        plain = unit.replace(b"\0\0\3", b"\0\0")
        number, ntp = struct.unpack_from(">IQ", plain, plain.index(IDENTIFIER) + 18)
        return number, ntp / 2**32 - NTP_SECONDS
    return None


def announced_picture(parts: list[RTPPacket]) -> tuple[int, int] | None:
    # A parameter set is small; fragments without their first one could begin with any byte.
    whole = [part for part in parts if part.payload and part.payload[0] & 31 != FRAGMENT]
    return next((picture_size(unit) for unit in packetized_units(whole) if unit and unit[0] & 31 == PARAMETER_SET), None)
