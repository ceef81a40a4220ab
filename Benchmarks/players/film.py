"""The film that is played: a moving picture with its frame number in big black and white squares, and a tone.

The code is a row of 18 squares of 32 x 32 pixels from the top left corner, black for 0 and white for 1:

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
    """What a film is made like. All fit the limits of a prelude: at most 150 frames and 1 MB from one IDR to the next."""

    name: str
    b_frames: int
    frames_per_second: int = 30
    gop_frames: int = 120
    seconds: int = 60
    bits_per_second: int = 1_800_000

    @property
    def frame_count(self) -> int:
        return self.frames_per_second * self.seconds


RECIPES = [Recipe("no-b-frames", b_frames=0), Recipe("b-frames", b_frames=2)]


def code_bits(number: int) -> list[int]:
    """The squares of a frame number, from the left."""
    checksum = (number ^ number >> 4 ^ number >> 8) & 0xF
    word = 1 << 17 | number << 5 | checksum << 1
    return [word >> (SQUARES - 1 - square) & 1 for square in range(SQUARES)]


def number_in(bits: list[int]) -> int | None:
    """The frame number of a row of squares, or None where there is none or a damaged one."""
    word = int("".join(map(str, bits)), 2)
    number = word >> 5 & 0xFFF
    return number if code_bits(number) == bits else None


def make_film(recipe: Recipe, folder: Path) -> Path:
    """Makes the film with ffmpeg, unless it is there already."""
    path = folder / f"{recipe.name}-{recipe.seconds}s-{recipe.bits_per_second}.mp4"
    if path.exists():
        return path
    unfinished = path.with_suffix(".part.mp4")
    rate = recipe.frames_per_second
    command = [
        "ffmpeg", "-nostdin", "-v", "error", "-y",
        "-f", "lavfi", "-i", f"testsrc2=size={WIDTH}x{HEIGHT}:rate={rate}",
        "-f", "rawvideo", "-pixel_format", "gray", "-video_size", f"{SQUARES}x1", "-framerate", str(rate), "-i", "pipe:0",
        "-f", "lavfi", "-i", "sine=frequency=440:beep_factor=2:sample_rate=48000",
        "-filter_complex",
        f"[1]scale={SQUARES * SQUARE}:{SQUARE}:flags=neighbor[code];[0][code]overlay=shortest=1,format=yuv420p[picture]",
        "-map", "[picture]", "-map", "2", "-t", str(recipe.seconds),
        "-c:v", "libx264", "-preset", "veryfast", "-bf", str(recipe.b_frames),
        "-g", str(recipe.gop_frames), "-keyint_min", str(recipe.gop_frames), "-sc_threshold", "0",
        "-b:v", str(recipe.bits_per_second), "-maxrate", str(recipe.bits_per_second),
        "-bufsize", str(recipe.bits_per_second // 2),
        "-c:a", "aac", "-b:a", "128k", "-ac", "2", "-movflags", "+faststart", str(unfinished),
    ]  # fmt: skip
    codes = b"".join(bytes(255 * bit for bit in code_bits(number)) for number in range(recipe.frame_count))
    subprocess.run(command, input=codes, check=True)
    unfinished.rename(path)
    return path


class FilmIndex:
    """Which frame a NAL unit of the film is: in the order of decoding, with its number in the order of presentation."""

    TAIL = 24

    def __init__(self, film: Path):
        packets = json.loads(
            subprocess.check_output(
                ["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=pts", "-of", "json", film]
            )
        )["packets"]
        times = [packet["pts"] for packet in packets]
        order = {time: number for number, time in enumerate(sorted(times))}
        stream = subprocess.check_output(
            ["ffmpeg", "-nostdin", "-v", "error", "-i", film, "-map", "0:v:0", "-c", "copy", "-f", "h264", "-"]
        )
        slices = [unit for unit in _nal_units(stream) if unit[0] & 0x1F in (1, 5)]
        if len(slices) != len(times):
            raise SystemExit(f"{film}: {len(slices)} slices in {len(times)} frames; one slice per frame is needed")
        self.frame_count = len(times)
        self._number_of_tail = {unit[-self.TAIL :]: order[time] for unit, time in zip(slices, times)}
        if len(self._number_of_tail) != len(times):
            raise SystemExit(f"{film}: frames that end alike cannot be told apart")

    def number(self, nal_unit: bytes) -> int | None:
        """The number of the frame whose slice this is."""
        return self._number_of_tail.get(nal_unit[-self.TAIL :])


def _nal_units(stream: bytes) -> list[bytes]:
    """The NAL units of an Annex B stream; zeros at their ends are not part of them."""
    return [unit.rstrip(b"\0") for unit in stream.split(b"\0\0\1") if unit.rstrip(b"\0")]
