"""Viewers on a link that becomes slower and faster, one after the other: how old frames are, and which bitrate arrives."""

import argparse
import csv
import json
import os
import shutil
from pathlib import Path

import clean_viewers as clean
from cell import Failure, impair
from clients import URL
from lag import Arrival, arrivals
from packets import read_packets
from plot import plot
from servers import Apus

FAST, SLOW = 4.0, 1.0
SLOWER, FASTER = 10, 40
QUEUE = "200ms"
# Frames older than this are late; the same as in the acceptance criteria of the rate control.
LATE = 0.15
RESTORED = 2.7
BIN = 0.2
# With noise, the test card needs three quarters of its bitrate: 3 Mbit/s.
PATH = {
    "source": "testcard",
    "timestamps": "all",
    "video": {"width": 1280, "height": 720, "frameRate": 30, "bitrate": 4_000_000, "gopMilliseconds": 2000},
    "effects": {"filters": "noise=alls=12:allf=t"},
}


def link(slow: float = SLOW) -> str:
    """The link's settings for script/impair."""
    return f"rate {FAST:g}mbit queue {QUEUE} at {SLOWER}s rate {slow:g}mbit at {FASTER}s rate {FAST:g}mbit"


def client(name: str, transport: str, seconds: int, folder: Path) -> str:
    """The client's command line."""
    sink = "rtph264depay ! h264parse ! fakesink sync=true"
    commands = {
        "ffmpeg": f"ffmpeg -nostdin -v warning -rtsp_transport {transport} -i {URL} -c copy -f null -",
        "mpv": f"mpv --no-config --no-terminal --rtsp-transport={transport} --vo=null --ao=null {URL}",
        "gstreamer": f"gst-launch-1.0 -q rtspsrc location={URL} protocols={transport} latency=200 ! {sink}",
        "measure": f"$APUS_BINARY measure {URL} --transport {transport} --seconds {seconds + 10} --csv {folder}/measured.csv",
    }
    return f"timeout --signal=INT --kill-after=5 {seconds} {commands[name]}"


def sampled_server(options: dict, folder: Path, path: dict = PATH) -> str:
    """The server, and beside it a process that asks twice a second for its status."""
    serve = Apus(options).command(folder, path)
    status = f"{os.environ['APUS_BINARY']} status --config {folder}/apus.yml --json"
    sampling = f'( while sleep 0.5; do date "+%s.%N"; {status} | tr -d "\\n"; echo; done >{folder}/status 2>/dev/null ) & '
    return sampling + serve


def run(name: str, transport: str, seconds: int, options: dict, folder: Path, clean_viewers: int = 0, slow: float = SLOW) -> dict:
    """Runs one viewer, and others on a clean link, and returns its frames and figures. Times count from the first packet, as those of
    the link."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    server = clean.link(clean_viewers, seconds, folder) + sampled_server(options, folder)
    impair(1, link(slow), server, client(name, transport, seconds, folder), seconds + 60, folder, up="")
    relay = json.loads((folder / "relay.json").read_text())
    try:
        frames = arrivals(read_packets(folder / "client.pcap"), transport == "tcp")
    except (ValueError, IndexError) as error:
        raise Failure(f"{error}; {(folder / 'client.log').read_text()[-300:]}") from error
    for frame in frames:
        frame.seconds -= relay["began"]
    status = list(read_status(folder / "status", relay["began"]))
    numbers = {frame.number for frame in frames}
    return {
        "clean": clean.measured(folder, relay["began"], numbers, range(SLOWER, FASTER)) if clean_viewers else None,
        "viewer": f"{name} {transport}",
        **figures(frames, status, seconds),
        "droppedByQueue": relay["down"]["droppedByQueue"],
        "bitrate": received_bitrate(frames, seconds),
        "lag": worst_lag(frames, seconds),
        "stream": stream_bitrate(status),
    }


def figures(frames: list[Arrival], status: list[tuple[float, dict]], seconds: int) -> dict:
    after = [frame for frame in frames if SLOWER <= frame.seconds < FASTER]
    late = [frame.seconds for frame in after if frame.lag > LATE]
    numbers = sorted({frame.number for frame in frames})
    restored = next((at for at, rate in averaged(received_bitrate(frames, seconds), 2.0) if at > FASTER and rate >= RESTORED), None)
    viewers = [viewer for _, one in status for viewer in one["viewers"] if not viewer["peer"].startswith(clean.NETWORK)]
    return {
        "worstLag": max((frame.lag for frame in after), default=None),
        # From the first late frame to the last.
        "lateSeconds": late[-1] - late[0] if late else 0.0,
        "lateShare": len(late) / len(after) if after else None,
        "longestGap": max((later.seconds - one.seconds for one, later in zip(frames, frames[1:])), default=None),
        "restoredAfter": restored and restored - FASTER,
        "frames": len(frames),
        "wholeFrames": sum(frame.is_whole for frame in frames),
        "missingFrames": numbers[-1] - numbers[0] + 1 - len(numbers) if numbers else None,
        "lastFrame": frames[-1].seconds if frames else None,
        "sessions": len({viewer["id"] for viewer in viewers}),
        "droppedByServer": max((viewer["droppedUnits"] for viewer in viewers), default=0),
    }


def read_status(file: Path, began: float):
    """The times and contents of the samples."""
    lines = file.read_text().splitlines()
    for at, text in zip(lines[::2], lines[1::2]):
        try:
            yield float(at) - began, json.loads(text)
        except ValueError:
            # Asked before the server listened, or ended while it answered.
            continue


def stream_bitrate(status: list[tuple[float, dict]]) -> list[tuple[float, float]]:
    """What the encoder produced between samples, in Mbit/s."""
    points = [(at, one["streams"][0]["bytes"]) for at, one in status]
    return [(later, (more - less) * 8e-6 / (later - at)) for (at, less), (later, more) in zip(points, points[1:])]


def received_bitrate(frames: list[Arrival], seconds: int) -> list[tuple[float, float]]:
    bins = [0] * int(seconds / BIN)
    for frame in frames:
        if 0 <= frame.seconds < len(bins) * BIN:
            bins[int(frame.seconds / BIN)] += frame.byte_count
    return averaged([((index + 0.5) * BIN, count * 8e-6 / BIN) for index, count in enumerate(bins)], 1.0)


def worst_lag(frames: list[Arrival], seconds: int) -> list[tuple[float, float]]:
    bins: dict[int, float] = {}
    for frame in frames:
        place = int(frame.seconds / BIN)
        bins[place] = max(bins.get(place, 0.0), frame.lag)
    return [((place + 0.5) * BIN, lag) for place, lag in sorted(bins.items()) if place * BIN < seconds]


def averaged(points: list[tuple[float, float]], window: float) -> list[tuple[float, float]]:
    """Means of the last `window` seconds."""
    count = round(window / BIN)
    values = [value for _, value in points]
    return [(at, sum(values[max(0, index - count + 1) : index + 1]) / min(count, index + 1)) for index, (at, _) in enumerate(points)]


def write(runs: list[dict], seconds: int, name: str):
    """The CSV file and the plot of all viewers."""
    link = [(0, FAST), (SLOWER, FAST), (SLOWER, SLOW), (FASTER, SLOW), (FASTER, FAST), (seconds, FAST)]
    Path(f"{name}.svg").write_text(plot(link, {run["viewer"]: run for run in runs}, seconds))
    with open(f"{name}.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(("viewer", "quantity", "seconds", "value"))
        for one in runs:
            for quantity in ("bitrate", "lag", "stream"):
                rows.writerows((one["viewer"], quantity, f"{at:.2f}", f"{value:.4f}") for at, value in one[quantity])


def table(runs: list[dict]) -> str:
    lines = [
        "| viewer | worst lag (s) | late frames | late for (s) | longest gap (s) | 2.7 Mbit/s again after (s) | frames | whole | missing | dropped by the server | dropped by the queue | last frame (s) | sessions |",
        "|---" * 13 + "|",
    ]
    for one in runs:
        restored = "never" if one["restoredAfter"] is None else f"{one['restoredAfter']:.1f}"
        lines.append(
            f"| {one['viewer']} | {one['worstLag'] or 0:.2f} | {100 * (one['lateShare'] or 0):.0f} % | {one['lateSeconds']:.1f} | {one['longestGap'] or 0:.2f} | {restored} | "
            f"{one['frames']} | {one['wholeFrames']} | {one['missingFrames']} | {one['droppedByServer']} | {one['droppedByQueue']} | {one['lastFrame'] or 0:.1f} | {one['sessions']} |"
        )
    return "\n".join(lines)


def main(words: list[str], wait_while):
    parser = argparse.ArgumentParser(prog="script/network rates", allow_abbrev=False)
    viewers = ["ffmpeg:tcp", "mpv:tcp", "gstreamer:tcp", "gstreamer:udp", "ffmpeg:udp", "mpv:udp", "measure:tcp", "measure:udp"]
    parser.add_argument("--viewers", nargs="+", choices=viewers, default=viewers[:6], metavar="NAME:TRANSPORT")
    parser.add_argument("--seconds", type=int, default=70)
    parser.add_argument("--config-extra", type=json.loads, default={}, metavar="JSON")
    parser.add_argument("--name", default="rates", help="of the files NAME.csv, NAME.svg and NAME.json")
    parser.add_argument("--clean-viewers", type=int, default=0, metavar="N", help="others on a clean link, in a run with and one without a slow viewer")
    parser.add_argument("--wait-while", type=Path, metavar="FILE")
    options = parser.parse_args(words)
    runs, comparisons = [], []
    for viewer in options.viewers:
        wait_while(options.wait_while)
        name, transport = viewer.split(":")
        try:
            if options.clean_viewers:
                reference = run(name, transport, options.seconds, options.config_extra, Path.cwd() / "run", options.clean_viewers, FAST)
            runs.append(run(name, transport, options.seconds, options.config_extra, Path.cwd() / "run", options.clean_viewers))
            if options.clean_viewers:
                runs[-1]["cleanReference"] = reference["clean"]
                comparisons.append(clean.table(reference["clean"], runs[-1]["clean"]))
        except Failure as failure:
            print(f"BROKEN  {viewer}: {failure}", flush=True)
            continue
        print(table(runs[-1:]).splitlines()[-1], flush=True)
    write(runs, options.seconds, options.name)
    Path(f"{options.name}.json").write_text(json.dumps(runs) + "\n")
    print("\n" + "\n\n".join([table(runs), *comparisons]))
