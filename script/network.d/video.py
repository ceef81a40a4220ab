"""The video that the servers serve."""

import subprocess
from pathlib import Path

from h264 import Frame, read_frames


class Video:
    """1280×720, 30 frames a second, 2 Mbit/s, an IDR frame every two seconds, no B-frames, one slice per frame. Moving patterns with
    noise make all frames different. It is longer than a run, so that no frame comes twice."""

    def __init__(self, folder: Path, seconds: int):
        self.file = folder / f"network-{seconds}s.mp4"
        if not self.file.exists():
            self.make(seconds)
        stream = self.file.with_suffix(".264")
        if not stream.exists():
            ffmpeg("-i", self.file, "-c", "copy", "-f", "h264", stream)
        self.frames: list[Frame] = read_frames(stream)

    def make(self, seconds: int):
        unfinished = self.file.with_suffix(".unfinished")
        ffmpeg(
            *("-f", "lavfi", "-i", "testsrc2=size=1280x720:rate=30", "-vf", "noise=alls=12:allf=t", "-t", seconds),
            *("-c:v", "libx264", "-preset", "veryfast", "-tune", "zerolatency", "-pix_fmt", "yuv420p"),
            *("-x264-params", "sliced-threads=0:slices=1:scenecut=0:keyint=60:min-keyint=60"),
            *("-b:v", "2M", "-maxrate", "2M", "-bufsize", "1M", "-f", "mp4", unfinished),
        )
        unfinished.rename(self.file)


def ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *map(str, arguments)], check=True)
