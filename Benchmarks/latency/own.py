"""Measures frames of Apus's test card from capture to decoder, and compares the server's times with the client's."""

import json
import subprocess
import tempfile
import threading
from pathlib import Path

from report import percentile

# The server keeps the times of the last 1024 frames, half a minute.
POLL_SECONDS = 10


def measure_own(bench, transport: str, seconds: float) -> dict:
    """The results of `apus measure` and `apus status`, and the p99 of their difference per frame in milliseconds."""
    with tempfile.TemporaryDirectory() as folder:
        configuration = Path(folder) / "apus.yml"
        configuration.write_text(
            f"server: {{ port: {bench.port} }}\ncontrol: {{ socket: {folder}/control }}\n"
            "paths: { cam: { source: testcard, timestamps: all } }\n"
        )
        server = subprocess.Popen(
            [bench.apus, "serve", "--http-port", "0", "--config", configuration, "--log-level", "warning"],
            stdout=subprocess.DEVNULL
        )
        try:
            while not bench.describes():
                if server.poll() is not None:
                    raise SystemExit("apus has exited")
            frame_times = FrameTimes(bench.apus, configuration)
            measured = bench.measure(bench.url, transport, seconds)
            server_frames = frame_times.finish()
            status = ask(bench.apus, configuration)
        finally:
            server.kill()
            server.wait()
    differences = [abs(difference) for difference in compare(measured["frames"], server_frames)]
    return measured | {
        "status": status["streams"][0],
        "difference": percentile(differences, 99) if differences else None,
        "compared": len(differences),
    }


class FrameTimes:
    """Polls the server for the times of the last frames, so that none is lost."""

    def __init__(self, apus: Path, configuration: Path):
        self.apus, self.configuration, self.frames = apus, configuration, {}
        self.is_done = threading.Event()
        self.thread = threading.Thread(target=self.poll)
        self.thread.start()

    def poll(self):
        while not self.is_done.wait(POLL_SECONDS):
            self.take()

    def take(self):
        for frame in ask(self.apus, self.configuration)["streams"][0]["pictureTimes"]:
            self.frames[frame["frameNumber"]] = frame

    def finish(self) -> dict[int, dict]:
        """The times by frame number."""
        self.is_done.set()
        self.thread.join()
        self.take()
        return self.frames


def ask(apus: Path, configuration: Path) -> dict:
    command = [apus, "status", "--config", configuration, "--json", "--pictures"]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def compare(frames: list[dict], server_frames: dict[int, dict]) -> list[float]:
    """Per frame: the sum of the server's stages, the network and the decoder, minus the client's latency from SEI, in ms."""
    differences = []
    for frame in frames:
        times = server_frames.get(int(frame["frame_number"] or -1))
        if not times or not frame["decoded_ns"] or not times.get("firstSent"):
            continue
        stages = (
            (times["encoderIn"] - times["captured"])
            + (times["encoderOut"] - times["encoderIn"])
            + (times["packaged"] - times["encoderOut"])
            + (times["firstSent"] - times["packaged"])
        )
        way = int(frame["last_packet_ns"]) - times["firstSent"]
        decoding = int(frame["decoded_ns"]) - int(frame["last_packet_ns"])
        differences.append((stages + way + decoding) / 1e6 - float(frame["decoded_ms"]))
    return differences
