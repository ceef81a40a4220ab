"""A server with HTTP on one processor, and `apus bench viewers` on another."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
sys.dont_write_bytecode = True

from servers import Apus, pinned
from video import make_video

# Viewers that join per second.
RAMP = 250
# Without it, the server's cost includes waking the receiver, which depends on how fast that reads (docs/measuring.md).
GATHER = ("--gather-ms", 1)


class Bench:
    def __init__(self, options: argparse.Namespace):
        self.apus, self.port, self.work = options.apus.resolve(), options.port, options.work
        self.work.mkdir(parents=True, exist_ok=True)
        self.count, self.seconds = options.viewers, options.seconds
        self.url = f"rtsp://127.0.0.1:{self.port}/cam"
        self.file = f"http://127.0.0.1:{self.port + 1}/cam/index.mp4"
        self.socket = f"ws://127.0.0.1:{self.port + 1}/cam/ws"
        self.playlist = f"http://127.0.0.1:{self.port + 1}/cam/index.m3u8"
        self.server_processor, self.receiver_processor = sorted(os.sched_getaffinity(0))[:2]
        self.video = make_video(self.work)

    def describes(self) -> bool:
        command = [self.apus, "bench", "joins", "--url", self.url, "--transport", "tcp", "--stay-ms", "0", "--pause-ms", "0"]
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0

    def start(self, count: int, url: str, *more) -> subprocess.Popen:
        # All join, and are measured for as long as the options say.
        seconds = count / RAMP + 1.5 + self.seconds
        command = [self.apus, "bench", "viewers", url, "--count", count, "--ramp", RAMP, "--seconds", seconds, "--json", *more]
        return subprocess.Popen(pinned(self.receiver_processor, command), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def measure(self, count: int, url: str, *more) -> dict:
        """The report of so many viewers of a fresh server."""
        with ApusWithHTTP(self) as server:
            return self.report(self.start(count, url, "--server-pid", server.pid, *more))

    def report(self, process: subprocess.Popen) -> dict:
        return json.loads(process.communicate()[0])


class ApusWithHTTP(Apus):
    def begin(self, idr_bytes: int):
        self.http_port = self.bench.port + 1
        super().begin(idr_bytes)


def arguments(description: str, viewers: int, seconds: float, limit: float) -> argparse.Namespace:
    """The command line; `viewers`, `seconds` and `limit` are the defaults."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("apus", type=Path, help="the server's binary")
    parser.add_argument("--viewers", type=int, default=viewers, help=f"viewers at the same time ({viewers})")
    parser.add_argument("--seconds", type=float, default=seconds, help=f"duration of each measurement after all have joined ({seconds})")
    parser.add_argument("--rounds", type=int, default=3, help="rounds, each with all protocols (3)")
    parser.add_argument("--limit", type=float, default=limit, help=f"highest accepted ratio ({limit})")
    parser.add_argument("--port", type=int, default=18660)
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "apus-http", help="folder for the video and logs")
    return parser.parse_args()


def cost(report: dict) -> float:
    return report["steady"]["processorSecondsPerGigabyte"]


def median_cost(reports: list[dict]) -> float:
    return statistics.median(cost(report) for report in reports)


def row(name: str, reports: list[dict]) -> str:
    every = ", ".join(f"{cost(report):.2f}" for report in reports)
    delay = " / ".join(f"{statistics.median(report['captureToArrival'][key] for report in reports):.2f}" for key in ("p50", "p99"))
    load = max(report["steady"]["receiverLoad"] for report in reports)
    gaps = sum(report["gaps"] for report in reports)
    return f"| {name} | {median_cost(reports):.2f} ({every}) | {gaps} | {delay} | {load * 100:.0f} % |"


def table_head(bench: Bench) -> str:
    titles = f"| {bench.count} viewers of 2 Mbit/s | CPU-s/GB, median (all rounds) | gaps | capture → last byte, p50 / p99, ms | receiver |"
    return f"{titles}\n|---|---|---|---|---|"
