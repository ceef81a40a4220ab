"""Apus's own pictures from capture to decoder, and whether what the server says of each adds up to what the client finds."""

import json
import subprocess
import tempfile
import threading
from pathlib import Path

from report import percentile

# The server keeps the last 1024 pictures, half a minute of them.
POLL_SECONDS = 10


def measure_own(bench, transport: str, seconds: float) -> dict:
    """What `apus measure` and `apus status` say, and the p99 of the difference between the two, picture by picture, in ms."""
    with tempfile.TemporaryDirectory() as folder:
        configuration = Path(folder) / "apus.yml"
        configuration.write_text(
            f"server: {{ port: {bench.port} }}\ncontrol: {{ socket: {folder}/control }}\n"
            "paths: { cam: { source: testcard, timestamps: all } }\n"
        )
        server = subprocess.Popen(
            [bench.apus, "serve", "--config", configuration, "--log-level", "warning"], stdout=subprocess.DEVNULL
        )
        try:
            while not bench.describes():
                if server.poll() is not None:
                    raise SystemExit("apus has ended")
            journal = Journal(bench.apus, configuration)
            measured = bench.measure(bench.url, transport, seconds)
            pictures = journal.finish()
            status = ask(bench.apus, configuration)
        finally:
            server.kill()
            server.wait()
    differences = [abs(difference) for difference in compare(measured["frames"], pictures)]
    return measured | {
        "status": status["streams"][0],
        "difference": percentile(differences, 99) if differences else None,
        "compared": len(differences),
    }


class Journal:
    """Asks for the instants of the last pictures again and again, so that none is forgotten."""

    def __init__(self, apus: Path, configuration: Path):
        self.apus, self.configuration, self.pictures = apus, configuration, {}
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.ask_again_and_again)
        self.thread.start()

    def ask_again_and_again(self):
        while not self.is_over.wait(POLL_SECONDS):
            self.take()

    def take(self):
        for picture in ask(self.apus, self.configuration)["streams"][0]["pictureTimes"]:
            self.pictures[picture["frameNumber"]] = picture

    def finish(self) -> dict[int, dict]:
        """By frame number."""
        self.is_over.set()
        self.thread.join()
        self.take()
        return self.pictures


def ask(apus: Path, configuration: Path) -> dict:
    command = [apus, "status", "--config", configuration, "--json", "--pictures"]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def compare(frames: list[dict], pictures: dict[int, dict]) -> list[float]:
    """Of each picture: the server's stages, then the way and the decoder, less what the client found from SEI alone, in ms."""
    differences = []
    for frame in frames:
        picture = pictures.get(int(frame["frame_number"] or -1))
        if not picture or not frame["decoded_ns"] or not picture.get("firstSent"):
            continue
        stages = (
            (picture["encoderIn"] - picture["captured"])
            + (picture["encoderOut"] - picture["encoderIn"])
            + (picture["packaged"] - picture["encoderOut"])
            + (picture["firstSent"] - picture["packaged"])
        )
        way = int(frame["last_packet_ns"]) - picture["firstSent"]
        decoding = int(frame["decoded_ns"]) - int(frame["last_packet_ns"])
        differences.append((stages + way + decoding) / 1e6 - float(frame["decoded_ms"]))
    return differences
