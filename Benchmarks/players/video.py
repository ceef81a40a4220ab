"""The video for the players: moving content with the frame number in large black and white squares, and a tone.

The number is encoded as a row of 18 squares of 32 x 32 pixels from the top left corner, black for 0 and white for 1:

    squares  0       1 ... 12                      13 ... 16               17
             white   frame number, most            its checksum: the       black
                     significant bit first         xor of its nibbles
"""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

SQUARE = 32
SQUARES = 18
WIDTH, HEIGHT = 1280, 720


@dataclass(frozen=True)
class Recipe:
    """The parameters of a video. All stay within the limits of a fast start: at most 150 frames and 1 MB between IDR frames."""

    name: str
    b_frames: int
    frame_rate: int = 30
    gop_frames: int = 120
    seconds: int = 60
    bitrate: int = 1_800_000

    @property
    def frame_count(self) -> int:
        return self.frame_rate * self.seconds


RECIPES = [Recipe("no-b-frames", b_frames=0), Recipe("b-frames", b_frames=2)]


def number_bits(number: int) -> list[int]:
    """The squares that encode a frame number, from the left."""
    checksum = (number ^ number >> 4 ^ number >> 8) & 0xF
    word = 1 << 17 | number << 5 | checksum << 1
    return [word >> (SQUARES - 1 - square) & 1 for square in range(SQUARES)]


def number_in(bits: list[int]) -> int | None:
    """The frame number in a row of squares, or None if there is none or it is damaged."""
    word = int("".join(map(str, bits)), 2)
    number = word >> 5 & 0xFFF
    return number if number_bits(number) == bits else None


def make_video(recipe: Recipe, folder: Path) -> Path:
    """Creates the video with ffmpeg unless it exists."""
    path = folder / f"{recipe.name}-{recipe.seconds}s-{recipe.bitrate}.mp4"
    if path.exists():
        return path
    unfinished = path.with_suffix(".part.mp4")
    rate = recipe.frame_rate
    command = [
        "ffmpeg", "-nostdin", "-v", "error", "-y",
        "-f", "lavfi", "-i", f"testsrc2=size={WIDTH}x{HEIGHT}:rate={rate}",
        "-f", "rawvideo", "-pixel_format", "gray", "-video_size", f"{SQUARES}x1", "-framerate", str(rate), "-i", "pipe:0",
        "-f", "lavfi", "-i", "sine=frequency=440:beep_factor=2:sample_rate=48000",
        "-filter_complex",
        f"[1]scale={SQUARES * SQUARE}:{SQUARE}:flags=neighbor[number];[0][number]overlay=shortest=1,format=yuv420p[video]",
        "-map", "[video]", "-map", "2", "-t", str(recipe.seconds),
        "-c:v", "libx264", "-preset", "veryfast", "-bf", str(recipe.b_frames),
        "-g", str(recipe.gop_frames), "-keyint_min", str(recipe.gop_frames), "-sc_threshold", "0",
        "-b:v", str(recipe.bitrate), "-maxrate", str(recipe.bitrate),
        "-bufsize", str(recipe.bitrate // 2),
        "-c:a", "aac", "-b:a", "128k", "-ac", "2", "-movflags", "+faststart", str(unfinished),
    ]  # fmt: skip
    codes = b"".join(bytes(255 * bit for bit in number_bits(number)) for number in range(recipe.frame_count))
    subprocess.run(command, input=codes, check=True)
    unfinished.rename(path)
    return path


class VideoIndex:
    """Identifies the frame of a NAL unit and gives its number in presentation order."""

    TAIL = 24

    def __init__(self, video: Path):
        packets = json.loads(
            subprocess.check_output(
                ["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=pts", "-of", "json", video]
            )
        )["packets"]
        times = [packet["pts"] for packet in packets]
        order = {time: number for number, time in enumerate(sorted(times))}
        stream = subprocess.check_output(
            ["ffmpeg", "-nostdin", "-v", "error", "-i", video, "-map", "0:v:0", "-c", "copy", "-f", "h264", "-"]
        )
        slices = [unit for unit in _nal_units(stream) if unit[0] & 0x1F in (1, 5)]
        if len(slices) != len(times):
            raise SystemExit(f"{video}: {len(slices)} slices in {len(times)} frames; one slice per frame is needed")
        self.frame_count = len(times)
        self._number_of_tail = {unit[-self.TAIL :]: order[time] for unit, time in zip(slices, times)}
        if len(self._number_of_tail) != len(times):
            raise SystemExit(f"{video}: frames with the same last bytes cannot be distinguished")

    def number(self, nal_unit: bytes) -> int | None:
        """The number of the frame to which this slice belongs."""
        return self._number_of_tail.get(nal_unit[-self.TAIL :])


def _nal_units(stream: bytes) -> list[bytes]:
    """The NAL units of an Annex B stream; without trailing zeros."""
    return [unit.rstrip(b"\0") for unit in stream.split(b"\0\0\1") if unit.rstrip(b"\0")]
