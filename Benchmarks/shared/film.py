"""The film: what is fed to all servers, cut into access units, which may tell the instant of their hand-over in an SEI message:

plain     they do not
stamped   as `apus bench viewers` looks for it: the wall clock alone
captured  as Apus tells its own pictures' capture (docs/timestamps.md), which `apus measure` reads
"""

import itertools
import re
import struct
import subprocess
import time
import uuid
from pathlib import Path

FRAMES_PER_SECOND = 30
# The identifier that `apus bench viewers` looks for, and the sizes of an SEI message with it (H.264, D.1.6).
STAMP = b"apus-bench-stamp"
CAPTURE = uuid.UUID("9c2b6c9e-5e9d-4444-903f-1866e524bed6").bytes
# From 1900, when NTP begins, to 1970.
NTP_SECONDS = 2_208_988_800
START_CODE = b"\x00\x00\x00\x01"
ACCESS_UNIT_DELIMITER = START_CODE + b"\x09\xf0"


# An IDR every two seconds; or none but the first, and a column of intra blocks that crosses the picture in that time.
REFRESHES = {"film.264": "keyint=60:min-keyint=60", "refreshed.264": "keyint=60:intra-refresh=1"}


def make_film(folder: Path, name: str = "film.264") -> Path:
    """1280×720, 2 Mbit/s, one slice per picture, 20 s."""
    film = folder / name
    if not film.exists():
        subprocess.run(
            ["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=1280x720:rate=30"]
            + ["-vf", "noise=alls=12:allf=t", "-t", "20", "-c:v", "libx264", "-preset", "veryfast", "-tune", "zerolatency"]
            + ["-x264-params", f"sliced-threads=0:slices=1:scenecut=0:{REFRESHES[name]}"]
            + ["-b:v", "2M", "-maxrate", "2M", "-bufsize", "1M", "-pix_fmt", "yuv420p", "-f", "h264", "-y", str(film)],
            check=True,
        )
    return film


class Unit:
    """One access unit: what comes before its slice, and the slice. Only an IDR has parameter sets."""

    def __init__(self, head: bytes, slice: bytes, is_idr: bool):
        self.head, self.slice, self.is_idr = head, slice, is_idr

    def handed_over(self, stamps: str, number: int = 0, padding: int = 0) -> bytes:
        """The unit: perhaps with an SEI message that tells the instant now, and one that makes it `padding` bytes longer."""
        stamp = {"plain": lambda: b"", "stamped": hand_over, "captured": lambda: captured(number)}[stamps]()
        filler = sei(b"apus-bench-bytes" + b"\xff" * padding) if padding else b""
        return self.head + stamp + filler + self.slice


def hand_over() -> bytes:
    return sei(STAMP + b"%016x" % time.time_ns())


def captured(number: int) -> bytes:
    """Frame number, capture by both clocks; what the encoder took is not known."""
    monotonic, wall = time.monotonic_ns(), time.time_ns()
    ntp = ((wall // 10**9 + NTP_SECONDS) << 32) + (wall % 10**9 << 32) // 10**9
    return sei(CAPTURE + struct.pack(">BBIQQII", 1, 0, number, ntp, monotonic, 0xFFFFFFFF, 0xFFFFFFFF))


def sei(data: bytes) -> bytes:
    """An SEI NAL unit of unregistered user data, with emulation prevention (H.264, 7.4.1)."""
    size = b"\xff" * (len(data) // 255) + bytes([len(data) % 255])
    return START_CODE + re.sub(rb"\x00\x00(?=[\x00-\x03])", b"\x00\x00\x03", b"\x06\x05" + size + data) + b"\x80"


def units(film: Path) -> list[Unit]:
    """The access units of a film with one slice per picture."""
    stream = film.read_bytes()
    starts = [match.start() for match in re.finditer(b"\x00\x00\x00\x01|(?<!\x00)\x00\x00\x01", stream)]
    result, begin = [], 0
    for start, end in zip(starts, starts[1:] + [len(stream)]):
        header = stream[start + 3] if stream[start + 2] == 1 else stream[start + 4]
        if header & 0x1F in (1, 5):
            result.append(Unit(stream[begin:start], stream[start:end], header & 0x1F == 5))
            begin = end
    return result


def instants():
    """Waits from one picture's instant to the next, for ever, and counts them."""
    due = time.monotonic()
    for number in itertools.count():
        yield number
        due += 1 / FRAMES_PER_SECOND
        time.sleep(max(0.0, due - time.monotonic()))
