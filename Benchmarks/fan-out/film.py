"""The film: what is fed to all servers, cut into access units, which may be stamped with the instant of their hand-over."""

import re
import subprocess
import time
from pathlib import Path

FRAMES_PER_SECOND = 30
# The identifier that `apus bench viewers` looks for, and the sizes of an SEI message with it (H.264, D.1.6).
STAMP = b"apus-bench-stamp"
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

    def handed_over(self, is_stamped: bool, padding: int = 0) -> bytes:
        """The unit: perhaps with an SEI message that tells the instant now, and one that makes it `padding` bytes longer."""
        stamp = sei(STAMP + b"%016x" % time.time_ns()) if is_stamped else b""
        filler = sei(b"apus-bench-bytes" + b"\xff" * padding) if padding else b""
        return self.head + stamp + filler + self.slice


def sei(data: bytes) -> bytes:
    """An SEI NAL unit of unregistered user data; nothing in it needs emulation prevention."""
    size = b"\xff" * (len(data) // 255) + bytes([len(data) % 255])
    return START_CODE + b"\x06\x05" + size + data + b"\x80"


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
    """Waits from one picture's instant to the next, for ever."""
    due = time.monotonic()
    while True:
        yield
        due += 1 / FRAMES_PER_SECOND
        time.sleep(max(0.0, due - time.monotonic()))
