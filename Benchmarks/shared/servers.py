"""The servers to compare, each pinned to one processor and serving the video live at /cam."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent


def pinned(processor: int, command: list) -> list[str]:
    return ["taskset", "-c", str(processor), *map(str, command)]


class Server:
    """A running server; the end of the `with` block stops it."""

    name = ""

    def __init__(self, bench: "Bench", stamps: str = "plain", idr_bytes: int = 0, video: Path | None = None):
        self.bench, self.stamps, self.video = bench, stamps, video or bench.video
        self.processes: list[subprocess.Popen] = []
        self.log = (bench.work / f"{self.name}.log").open("w")
        self.begin(idr_bytes)
        for _ in range(100):
            if bench.describes():
                return
            time.sleep(0.1)
        self.__exit__()
        raise SystemExit(f"{self.name} does not serve {bench.url}: see {bench.work}/{self.name}.log")

    def run(self, processor: int, command: list) -> subprocess.Popen:
        process = subprocess.Popen(pinned(processor, command), stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        self.processes.append(process)
        return process

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
        for process in self.processes:
            process.wait()
        self.log.close()


class Apus(Server):
    name = "Apus"
    # 0: no HTTP.
    http_port = 0

    def begin(self, idr_bytes: int):
        fifo = self.bench.work / "video.fifo"
        fifo.unlink(missing_ok=True)
        os.mkfifo(fifo)
        command = [self.bench.apus, "serve", "--http-port", self.http_port, "--loops", 1, "--port", self.bench.port, "--log-level", "warning"]
        self.pid = self.run(self.bench.server_processor, [*command, f"cam={fifo}"]).pid
        feeder = [sys.executable, HERE / "feeder.py", self.video, fifo]
        self.run(self.bench.receiver_processor, [*feeder, self.stamps, idr_bytes])


class GStreamer(Server):
    name = "gst-rtsp-server"
    python = "/usr/bin/python3"

    def begin(self, idr_bytes: int):
        command = [self.python, HERE / "gstreamer_server.py", self.video, self.bench.port, self.stamps]
        self.pid = self.run(self.bench.server_processor, command).pid

    @classmethod
    def is_installed(cls) -> bool:
        check = "import gi; gi.require_version('GstRtspServer', '1.0'); from gi.repository import GstRtspServer"
        return subprocess.run([cls.python, "-c", check], stderr=subprocess.DEVNULL).returncode == 0
