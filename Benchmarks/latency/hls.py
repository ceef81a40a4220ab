"""Measures the latency of HLS: ffmpeg segments the video, and ffmpeg as the player outputs it."""

import os
import re
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from video import CAPTURE

FEEDER = Path(__file__).resolve().parents[1] / "shared" / "feeder.py"
SEGMENT_SECONDS = 2


def measure_hls(video: Path, seconds: float) -> list[float]:
    """Milliseconds from hand-over to output of each frame. The player starts three segments before the end, which RFC 8216 (6.3.3)
    requires and ffmpeg does by default."""
    with tempfile.TemporaryDirectory() as folder:
        fifo, playlist = Path(folder) / "video.fifo", Path(folder) / "live.m3u8"
        os.mkfifo(fifo)
        segmenter = subprocess.Popen(
            ["ffmpeg", "-nostdin", "-v", "error", "-use_wallclock_as_timestamps", "1", "-f", "h264", "-i", str(fifo)]
            + ["-c", "copy", "-f", "hls", "-hls_time", str(SEGMENT_SECONDS), "-hls_list_size", "6"]
            + ["-hls_flags", "delete_segments", str(playlist)],
            stderr=subprocess.DEVNULL,
        )
        feeder = subprocess.Popen([sys.executable, FEEDER, video, fifo, "captured"])
        try:
            wait_for_segments(playlist, 3)
            return watch(playlist, seconds)
        finally:
            for process in (feeder, segmenter):
                process.kill()
                process.wait()


def wait_for_segments(playlist: Path, count: int):
    end = time.monotonic() + 60
    while not playlist.exists() or playlist.read_text().count("#EXTINF") < count:
        if time.monotonic() > end:
            raise SystemExit(f"ffmpeg has not made {count} segments within a minute")
        time.sleep(0.05)


def watch(playlist: Path, seconds: float) -> list[float]:
    """Plays frames at their normal rate and returns their ages in milliseconds."""
    player = subprocess.Popen(
        ["ffmpeg", "-nostdin", "-v", "error", "-re", "-i", str(playlist), "-c", "copy", "-flush_packets", "1", "-f", "h264", "-"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        bufsize=0,
    )
    ages, rest, end = [], b"", None
    while end is None or time.monotonic() < end:
        more = os.read(player.stdout.fileno(), 1 << 20)
        if not more:
            break
        end = end or time.monotonic() + seconds
        now, rest = time.monotonic_ns(), rest + more
        found = list(re.finditer(re.escape(CAPTURE), rest))
        for match in found:
            content = rest[match.end() : match.end() + 45].replace(b"\x00\x00\x03", b"\x00\x00")
            if len(content) >= 30:
                _, _, _, _, captured = struct.unpack(">BBIQQ", content[:22])
                ages.append((now - captured) / 1e6)
        rest = rest[-128:] if not found else rest[found[-1].end() :][-128:]
    player.kill()
    player.wait()
    return ages
