"""Frames of H.264, as lists of their slices' bytes: from a byte stream (H.264, annex B) and from RTP packets (RFC 6184)."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from packets import RTPPacket

SLICE, IDR_SLICE = 1, 5
AGGREGATE, FRAGMENT = 24, 28


@dataclass(frozen=True)
class Frame:
    """One frame, identified by the bytes of its slices; other NAL units, such as SEI and delimiters, do not count."""

    digest: bytes
    is_keyframe: bool


def frames(nal_units) -> list[Frame]:
    """The frames of consecutive NAL units. A slice whose `first_mb_in_slice` is 0 begins a frame: its first bit is then set."""
    result: list[list[bytes]] = []
    for unit in nal_units:
        if not unit or unit[0] & 31 not in (SLICE, IDR_SLICE):
            continue
        if not result or len(unit) < 2 or unit[1] & 0x80:
            result.append([])
        result[-1].append(unit)
    return [Frame(digest(units), units[0][0] & 31 == IDR_SLICE) for units in result]


def digest(units: list[bytes]) -> bytes:
    # The header's two bits of importance may change on the way: muxers rewrite them.
    return hashlib.blake2b(b"".join(bytes([unit[0] & 31]) + unit[1:] for unit in units), digest_size=12).digest()


def byte_stream_units(data: bytes) -> list[bytes]:
    """The NAL units between start codes, without trailing zeros, which belong to the next start code."""
    return [unit.rstrip(b"\0") for unit in data.split(b"\0\0\1")[1:]]


def read_frames(file: Path) -> list[Frame]:
    return frames(byte_stream_units(file.read_bytes()))


def packetized_units(packets: list[RTPPacket]):
    """The NAL units in consecutive RTP packets."""
    fragments = b""
    for packet in packets:
        data = packet.payload
        kind = data[0] & 31 if data else 0
        if kind == AGGREGATE:
            data = data[1:]
            while len(data) > 2:
                count = int.from_bytes(data[:2], "big")
                yield data[2 : 2 + count]
                data = data[2 + count :]
        elif kind == FRAGMENT:
            if data[1] & 0x80:
                fragments = bytes([data[0] & 0xE0 | data[1] & 31])
            fragments += data[2:]
            if data[1] & 0x40:
                yield fragments
        else:
            yield data
