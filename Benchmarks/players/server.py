"""The server under test and its log of viewers."""

import re
import subprocess
import threading
import time
from datetime import datetime
from pathlib import Path


class Server:
    """`apus serve` with one video file."""

    def __init__(self, apus: Path, video: Path, port: int, log: Path):
        self.url = f"rtsp://127.0.0.1:{port}/cam"
        # (time of PLAY, log line) of each viewer, by this host's clock.
        self.joins: list[tuple[float, str]] = []
        self._listening = threading.Event()
        self._log = log.open("a")
        self._playlist = [apus, "playlist", "--port", str(port), "--host", "127.0.0.1", "cam"]
        self._process = subprocess.Popen(
            [apus, "serve", "--http-port", "0", "--port", str(port), video],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        )  # fmt: skip
        threading.Thread(target=self._read, daemon=True).start()
        if not self._listening.wait(10):
            self.close()
            raise SystemExit(f"the server does not start; see {log}")
        time.sleep(1)

    def join_after(self, instant: float) -> float | None:
        """When the first viewer after `instant` received its PLAY response."""
        return next((time for time, _ in self.joins if time >= instant), None)

    def write_playlist(self, path: Path):
        """Writes the playlist that users open in VLC for less delay."""
        path.write_bytes(subprocess.check_output(self._playlist))

    def close(self):
        self._process.terminate()
        self._process.wait()

    def _read(self):
        for line in self._process.stdout:
            self._log.write(line)
            self._log.flush()
            if "listening on" in line:
                self._listening.set()
            if match := re.match(r"(\S+Z) +\w+ +joined ", line):
                self.joins.append((datetime.fromisoformat(match[1]).timestamp(), line))
