#!/usr/bin/env python3
"""SRT over links that lose packets or are cut, in network namespaces (script/impair). Usage: srt-loss.py [SECONDS]

First ffmpeg publishes over a link that loses 5 % in both directions, with a round trip of 40 ms, and two viewers play over the same kind
of link, all with a latency of 200 ms: no frame may be missing or altered, NAL unit by NAL unit. Beside it, what ffmpeg publishes in the
same way to a receiver that is libsrt alone (srt-live-transmit): what is lost there, no server could have. Then the link is cut three times for 5 s:
in both directions, from the clients to the server only, and from the server only. Publishers and viewers must come back by themselves.
"""
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

from streams import end_all, folder

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "script/network.d"))

from comparison import compare
from h264 import byte_stream_units, frames, read_frames
from transport_stream import video_bytes
from video import Video

import srt_link
from srt_link import RTSP, SRT

SECONDS = int(sys.argv[1]) if len(sys.argv) > 1 else 300
FRAMES_PER_SECOND = 30
# Seconds after the first packet. libsrt ends a connection after 5 s without a packet, so the longest cut ends all of them.
CUTS = {"5 s, both directions": (25, 30), "5 s, to the server": (55, 60), "5 s, from the server": (85, 90), "9 s, both directions": (115, 124)}
END = 150
# Calls to a host that is away end after 3 s, and pauses between them become longer.
RETURN_LIMIT = 10.0
failures = []


def check(what, holds, seen):
    print(f"{'ok     ' if holds else 'BROKEN '} {what}: {seen}", flush=True)
    if not holds:
        failures.append(what)


def over_link(role, video, seconds, up, down):
    """Runs Apus at one end of a link, and the clients of a role at the other; the link's statistics."""
    path = {"source": "publish", "srt": {"latencyMilliseconds": 200}}
    configuration = {
        "server": {"port": RTSP}, "srt": {"port": SRT}, "rtmp": {"serve": "no"}, "control": {"socket": ""}, "access": {"open": True},
        "paths": {**{name: path for name in ("cam", *srt_link.PUBLISHERS)}, "file": {"source": str(video)}},
    }
    Path(folder, "server.json").write_text(json.dumps(configuration))
    server = f"exec {shlex.quote(os.environ['APUS_BINARY'])} serve --http-port 0 --config {folder}/server.json >{folder}/{role}.log 2>&1"
    return linked(server, role, video, seconds, up, down)


def linked(server, role, video, seconds, up, down):
    """Runs a server at one end of a link, and the clients of a role at the other; the link's statistics."""
    statistics = Path(folder, f"{role}.statistics")
    client = ["python3", f"{ROOT}/script/acceptance.d/srt_link.py", role, folder, str(video), str(seconds)]
    done = subprocess.run(
        [ROOT / "script/impair", "--port", str(SRT), "--up", up, "--down", down, "--statistics", statistics,
         "--server", server, "--client", shlex.join(client)],
        env=dict(os.environ, STATE_DIRECTORY=srt_link.state(folder)), capture_output=True, text=True)
    if done.returncode == 77:
        print(done.stderr.strip())
        sys.exit(77)
    if done.returncode != 0:
        raise SystemExit(done.stderr[-2000:] + Path(folder, f"{role}.log").read_text()[-1000:])
    return json.loads(statistics.read_text())


def lose():
    # Longer than the run, so that all frames differ.
    video = Video(Path.cwd(), SECONDS + 30)
    link = ("loss 5% delay 20ms", "loss 5% delay 20ms")
    show(over_link("loss", video.file, SECONDS, *link))
    for viewer, arrived in {
        "ffmpeg": read_frames(Path(folder, "received.264")),
        "srt-live-transmit": frames(byte_stream_units(video_bytes(Path(folder, "received.ts").read_bytes()))),
    }.items():
        result, text = damage(video, arrived)
        wanted = FRAMES_PER_SECOND * SECONDS * 0.95
        check(f"5 % lost, 40 ms, latency 200 ms, {viewer}: no damaged frame in {SECONDS} s",
              not result.broken and not result.altered and result.expected >= wanted, text)
    file = Path(folder, "reference.ts")
    receiver = f"exec srt-live-transmit -q 'srt://:{SRT}?mode=listener&latency=200' file://con >{file}"
    show(linked(receiver, "reference", video.file, SECONDS, *link))
    print(f"        libsrt alone: {damage(video, frames(byte_stream_units(video_bytes(file.read_bytes()))))[1]}")


def show(seen):
    print(f"        lost {seen['up']['lost']} of {seen['up']['packets']} packets to the server, "
          f"{seen['down']['lost']} of {seen['down']['packets']} from it")


def damage(video, arrived):
    places = {frame.digest: place for place, frame in enumerate(video.frames)}
    # The viewer joined at this frame. The last one may be cut off.
    first = next((places[frame.digest] for frame in arrived if frame.digest in places), 0)
    result = compare(video.frames[first:], arrived[:-1])
    return result, f"{result.expected} frames, {len(result.broken)} missing, {result.altered} altered"


def cut():
    video = Video(Path.cwd(), SECONDS + 30).file
    up, down = ("delay 20ms" + "".join(
        f" at {begin}s down at {end}s up" for name, (begin, end) in CUTS.items() if direction in name or "both" in name)
        for direction in ("to the server", "from the server"))
    seen = over_link("cut", video, END, up, down)
    print(f"        dropped {seen['up']['interrupted']} packets to the server and {seen['down']['interrupted']} from it")
    arrivals = json.loads(Path(folder, "arrivals.json").read_text())
    for name, times in arrivals.items():
        times = [instant - seen["began"] for instant in times]
        for what, (begin, end) in CUTS.items():
            before = any(begin - 2 < instant < begin for instant in times)
            gap_begin = max((instant for instant in times if instant <= end), default=0.0)
            back = next((instant for instant in times if instant > end), None)
            text = f"the next frame {back - end:.2f} s after the link is back" if back else "never again"
            check(f"cut of {what}: {name}", before and back is not None and back - end <= RETURN_LIMIT,
                  f"{text}, the last one {end - gap_begin:.2f} s before" if before else "nothing before the cut")
    starts = json.loads(Path(folder, "starts.json").read_text())
    print("        started again: " + ", ".join(f"{name} {count - 1} times" for name, count in starts.items()))


try:
    lose()
    cut()
finally:
    end_all()
print(f"{len(failures)} of the checks failed" if failures else "all checks passed")
sys.exit(1 if failures else 0)
