"""The results of all runs: a JSON file that every run is added to, and the Markdown table."""

import json
from pathlib import Path
from statistics import mean

HEADS = (
    "client", "server", "frames", "broken", "stale", "events", "healed: mean, worst (s)", "predicted: broken, events",
    "lost: down, up", "never arrived", "NACKs", "repeated", "first frame (ms)",
)  # fmt: skip
CELL = ("server", "client", "loss", "round_trip_milliseconds", "seconds", "source")
LOSS_NAMES = {"none": "no loss", "bursts": "1 % in bursts of 4"}


class Results:
    def __init__(self, file: Path):
        self.file = file
        self.runs: list[dict] = json.loads(file.read_text()) if file.exists() else []

    def add(self, run: dict):
        """Adds a run, in the place of an earlier one of the same cell and seed."""
        key = (*CELL, "seed")
        self.runs = [other for other in self.runs if any(other.get(name, "file") != run[name] for name in key)] + [run]
        self.file.write_text(json.dumps(self.runs, indent=1) + "\n")

    def table(self) -> str:
        """A table for each loss and round trip, with a row for each client and server. Figures of several seeds are separated by
        slashes."""
        sections: dict[tuple, dict[tuple, list[dict]]] = {}
        for run in sorted(self.runs, key=lambda run: run["seed"]):
            section = sections.setdefault((run["loss"], run["round_trip_milliseconds"], run["seconds"], run.get("source", "file")), {})
            section.setdefault((run["client"], run["server"]), []).append(run)
        lines = []
        for (loss, round_trip, seconds, source), rows in sections.items():
            lines += [f"**{LOSS_NAMES.get(loss, loss.replace('%', ' %'))}, round trip {round_trip} ms, {seconds} s{', test card' * (source == 'testcard')}**", ""]
            lines += ["| " + " | ".join(HEADS) + " |", "|---" * len(HEADS) + "|"]
            lines += [row(client, server, runs) for (client, server), runs in sorted(rows.items())]
            lines.append("")
        return "\n".join(lines)


def row(client: str, server: str, runs: list[dict]) -> str:
    def each(text):
        return " / ".join(text(run) for run in runs)

    # Without a NACK there was no repair to predict, and with twins for VLC there is no model.
    def prediction(run):
        kind = "ffmpegModel" if run["requests"] and client in ("ffmpeg", "mpv") else "withoutRepair"
        return f"{run[kind + 'Broken']}, {run[kind + 'Events']}" if kind + "Broken" in run and not (run["requests"] and client == "gstreamer") else "–"

    cells = [
        client, server, each(lambda run: str(run["expected"])), each(lambda run: str(run["broken"])),
        each(lambda run: str(run["stale"])), each(lambda run: str(run["events"])),
        each(lambda run: f"{run['healedMean']:.1f}, {run['healedWorst']:.1f}"), each(prediction),
        each(lambda run: f"{run['lostDown']}, {run['lostUp']}"), each(lambda run: str(run.get("neverArrived", "–"))),
        each(lambda run: str(run["requests"])),
        f"{100 * mean(run['repeatedShare'] for run in runs):.1f} %",
        each(lambda run: f"{1000 * run['firstFrameSeconds']:.0f}"),
    ]  # fmt: skip
    return "| " + " | ".join(cells) + " |"
