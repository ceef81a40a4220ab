"""The server itself: the release binary at free ports of loopback."""

import json
import os
import random
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BINARY = os.environ.get("APUS_BINARY", str(ROOT / ".build-release/release/apus"))


def free_port():
    """A port below those that Linux gives to clients, of which tests that run at the same time may use thousands."""
    while True:
        with socket.socket() as listener:
            try:
                listener.bind(("", random.randrange(10_000, 32_000)))
            except OSError:
                continue
            return listener.getsockname()[1]


class ServerProcess:
    """A running `apus serve` with these paths, and perhaps further sections of the configuration."""

    def __init__(self, paths, **sections):
        self.sections = {"access": {"loopback": "publish"}, **sections}
        self.folder = tempfile.TemporaryDirectory()
        self.publishers = []
        # Another process may take a port before the server does.
        for _ in range(3):
            self.rtsp_port, self.http_port, self.https_port = free_port(), free_port(), free_port()
            self.write(paths)
            with open(self.folder.name + "/log", "wb") as log:
                self.process = subprocess.Popen(
                    [BINARY, "serve", "--config", self.configuration], cwd="/", stdout=subprocess.DEVNULL, stderr=log,
                    env={**os.environ, "STATE_DIRECTORY": self.folder.name})
            if self.answers():
                return
        raise RuntimeError(self.log())

    @property
    def url(self):
        return f"http://127.0.0.1:{self.http_port}"

    @property
    def secure_url(self):
        return f"https://127.0.0.1:{self.https_port}"

    @property
    def configuration(self):
        return self.folder.name + "/apus.yml"

    def write(self, paths):
        http = {"port": self.http_port, "tlsPort": self.https_port}
        settings = {"server": {"port": self.rtsp_port}, "http": http, "paths": paths, **self.sections}
        Path(self.configuration).write_text(json.dumps(settings))

    def answers(self):
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                with urllib.request.urlopen(self.url + "/healthz", timeout=5) as response:
                    return response.status == 200
            except OSError:
                time.sleep(0.05)
        self.process.kill()
        self.process.wait()
        return False

    def change(self, paths):
        """Serves these paths instead."""
        self.write(paths)
        self.process.send_signal(signal.SIGHUP)

    def publish(self, path, source):
        """Publishes one of ffmpeg's generated pictures until the publisher that is returned is killed."""
        publisher = subprocess.Popen(
            ["ffmpeg", "-nostdin", "-v", "error", "-re", "-f", "lavfi", "-i", source,
             "-c:v", "libx264", "-preset", "ultrafast", "-tune", "zerolatency", "-pix_fmt", "yuv420p", "-g", "50",
             "-rtsp_transport", "tcp", "-f", "rtsp", f"rtsp://127.0.0.1:{self.rtsp_port}{path}"])
        self.publishers.append(publisher)
        return publisher

    def log(self):
        return Path(self.folder.name + "/log").read_text(errors="replace")

    def read(self, path):
        """The text at a path."""
        with urllib.request.urlopen(self.url + path, timeout=20) as response:
            return response.read().decode()

    def stop(self):
        for publisher in self.publishers:
            publisher.kill()
            publisher.wait()
        self.process.terminate()
        status = self.process.wait(timeout=20)
        self.end = self.log()[-2_000:]
        self.folder.cleanup()
        return status
