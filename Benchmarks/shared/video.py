"""The video for all servers, split into access units, which may contain the instant of their hand-over in an SEI message:

plain     no SEI message
stamped   the wall clock alone, as `apus bench viewers` expects it
captured  the format of Apus's capture-time SEI (docs/timestamps.md), which `apus measure` reads
"""

import itertools
import re
import struct
import subprocess
import time
import uuid
from pathlib import Path

FRAMES_PER_SECOND = 30
# The identifier that `apus bench viewers` expects in an SEI message (H.264, D.1.6).
STAMP = b"apus-bench-stamp"
CAPTURE = uuid.UUID("9c2b6c9e-5e9d-4444-903f-1866e524bed6").bytes
# The seconds from 1900, NTP's epoch, to 1970.
NTP_SECONDS = 2_208_988_800
START_CODE = b"\x00\x00\x00\x01"
ACCESS_UNIT_DELIMITER = START_CODE + b"\x09\xf0"


# An IDR frame every two seconds; or only the first one, and a column of intra blocks that crosses the frame in two seconds.
REFRESHES = {"film.264": "keyint=60:min-keyint=60", "refreshed.264": "keyint=60:intra-refresh=1"}


def make_video(folder: Path, name: str = "film.264") -> Path:
    """Creates a video of 1280×720, 2 Mbit/s, one slice per frame, 20 s."""
    video = folder / name
    if not video.exists():
        subprocess.run(
            ["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=1280x720:rate=30"]
            + ["-vf", "noise=alls=12:allf=t", "-t", "20", "-c:v", "libx264", "-preset", "veryfast", "-tune", "zerolatency"]
            + ["-x264-params", f"sliced-threads=0:slices=1:scenecut=0:{REFRESHES[name]}"]
            + ["-b:v", "2M", "-maxrate", "2M", "-bufsize", "1M", "-pix_fmt", "yuv420p", "-f", "h264", "-y", str(video)],
            check=True,
        )
    return video


class Unit:
    """One access unit: the NAL units before its slice, and the slice. Only IDR frames have parameter sets."""

    def __init__(self, head: bytes, slice: bytes, is_idr: bool):
        self.head, self.slice, self.is_idr = head, slice, is_idr

    def handed_over(self, stamps: str, number: int = 0, padding: int = 0) -> bytes:
        """The unit, optionally with an SEI message that contains the current time, and one with `padding` bytes."""
        stamp = {"plain": lambda: b"", "stamped": hand_over, "captured": lambda: captured(number)}[stamps]()
        filler = sei(b"apus-bench-bytes" + b"\xff" * padding) if padding else b""
        return self.head + stamp + filler + self.slice


def hand_over() -> bytes:
    return sei(STAMP + b"%016x" % time.time_ns())


def captured(number: int) -> bytes:
    """An SEI message with the frame number and the capture time by both clocks; the encode times are unknown."""
    monotonic, wall = time.monotonic_ns(), time.time_ns()
    ntp = ((wall // 10**9 + NTP_SECONDS) << 32) + (wall % 10**9 << 32) // 10**9
    return sei(CAPTURE + struct.pack(">BBIQQII", 1, 0, number, ntp, monotonic, 0xFFFFFFFF, 0xFFFFFFFF))


def sei(data: bytes) -> bytes:
    """An SEI NAL unit of unregistered user data, with emulation prevention (H.264, 7.4.1)."""
    size = b"\xff" * (len(data) // 255) + bytes([len(data) % 255])
    return START_CODE + re.sub(rb"\x00\x00(?=[\x00-\x03])", b"\x00\x00\x03", b"\x06\x05" + size + data) + b"\x80"


def units(video: Path) -> list[Unit]:
    """The access units of a video with one slice per frame."""
    stream = video.read_bytes()
    starts = [match.start() for match in re.finditer(b"\x00\x00\x00\x01|(?<!\x00)\x00\x00\x01", stream)]
    result, begin = [], 0
    for start, end in zip(starts, starts[1:] + [len(stream)]):
        header = stream[start + 3] if stream[start + 2] == 1 else stream[start + 4]
        if header & 0x1F in (1, 5):
            result.append(Unit(stream[begin:start], stream[start:end], header & 0x1F == 5))
            begin = end
    return result


def instants():
    """Waits from one frame's instant to the next, endlessly, and counts the frames."""
    due = time.monotonic()
    for number in itertools.count():
        yield number
        due += 1 / FRAMES_PER_SECOND
        time.sleep(max(0.0, due - time.monotonic()))
