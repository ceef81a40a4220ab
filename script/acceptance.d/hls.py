#!/usr/bin/env python3
"""HLS in hls.js over a network that becomes slower or is cut: when the quality changes, how long playback stalls, and how old frames are.

Usage: hls.py [segments] [low-latency] [cut]; without arguments all three.
The link has 4, 1 and again 4 Mbit/s, and the stream qualities of 2.6, 1.3 and 0.5 Mbit/s; hls.js goes up to 0.7 of a link. Needs root (script/impair).
"""
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

from streams import end_all, folder, free_port

ROOT = Path(__file__).resolve().parents[2]
HTTP = free_port()
failures = []
# Seconds after the first packet at which the link changes.
# hls.js believes slowly in a faster link, because it weighs each measurement with its duration.
SLOWER, FASTER, END = 40, 65, 130
CUT, JOINED = 20, 35


def check(what, holds, seen):
    print(f"{'ok     ' if holds else 'BROKEN '} {what}: {seen}", flush=True)
    if not holds:
        failures.append(what)


def play(down, seconds, options, segment_seconds):
    """What the player, with these options of hls.js, saw over the link."""
    configuration = os.path.join(folder, "apus.yml")
    video = {"frameRate": 30, "gopMilliseconds": 1000 * segment_seconds}
    with open(configuration, "w") as file:
        json.dump({
            "server": {"port": free_port()}, "http": {"port": HTTP}, "access": {"open": True}, "control": {"socket": ""},
            "hls": {"segmentSeconds": segment_seconds},
            "paths": {
                # The test card needs half of a bitrate, and with noise three quarters.
                "cam": {"source": "testcard", "video": {**video, "width": 1280, "height": 720, "bitrate": 3_400_000},
                        "effects": {"filters": "noise=alls=12:allf=t"}},
                "cam/medium": {"source": "stream:cam", "video": {**video, "width": 864, "height": 480, "bitrate": 1_700_000}},
                "cam/low": {"source": "stream:cam", "video": {**video, "width": 432, "height": 240, "bitrate": 600_000}},
            }}, file)
    client = f"{ROOT}/.build-python/bin/python {ROOT}/Tests/Browser/hls_ladder.py"
    output = subprocess.run(
        [ROOT / "script/impair", "--port", str(HTTP), "--down", down, "--statistics", os.path.join(folder, "statistics"),
         "--server", f"exec {os.environ['APUS_BINARY']} serve --config {configuration} >{folder}/notice 2>{folder}/log",
         "--client", f"{client} http://$APUS_IMPAIR_SERVER:{HTTP} {seconds} {shlex.quote(json.dumps(options))}"],
        capture_output=True, text=True)
    if output.returncode != 0:
        raise SystemExit(output.stderr[-2000:] + open(f"{folder}/log").read()[-1000:])
    with open(os.path.join(folder, "statistics")) as file:
        return {**json.loads(output.stdout.strip().splitlines()[-1]), "began": json.load(file)["began"]}


def since(result, event):
    """Seconds from the first packet to an event."""
    return event["at"] / 1000 - result["began"]


def ladder(low_latency):
    name = "with low latency" if low_latency else "2 s segments"
    result = play(f"rate 4mbit at {SLOWER}s rate 1mbit at {FASTER}s rate 4mbit", END, {"lowLatencyMode": low_latency},
                  1 if low_latency else 2)
    levels = [(since(result, level), level["height"]) for level in result["levels"]]
    stalls = [(since(result, stall), stall["seconds"]) for stall in result["stalls"]]
    choices = [(since(result, choice), choice["height"]) for choice in result["choices"]]
    text = "; ".join(
        f"{what} {', '.join(f'{height}p at {at:.1f} s' for at, height in events)}"
        for what, events in (("chosen", choices), ("displayed", levels)))
    # What is in the buffer is displayed before.
    lower = next((at for at, height in choices if SLOWER < at < FASTER and height < 720), None)
    higher = next((at for at, height in choices if at > FASTER and height > 240), None)
    if low_latency:
        check(f"{name}: stalls last at most 2.5 s in all", sum(seconds for _, seconds in stalls) <= 2.5, stalls)
    else:
        check(f"{name}: a lower quality within 4 s after the link is slower", lower is not None and lower - SLOWER <= 4, text)
        check(f"{name}: no stall of more than 1 s", all(seconds <= 1 for _, seconds in stalls), stalls)
    check(f"{name}: a higher quality when the link is faster", higher is not None, text)


def cut():
    # By default hls.js stays a second further behind the live edge after each stall.
    result = play(f"at {CUT}s down at {JOINED}s up", 60, {"lowLatencyMode": True, "liveSyncOnStallIncrease": 0}, 1)
    ages = [(since(result, sample), sample["age"]) for sample in result["ages"] if sample["age"] is not None]
    before = [age for at, age in ages if 10 < at < CUT]
    limit = max(before, default=0) + 300
    live = next((at for at, age in ages if at > JOINED and age <= limit), None)
    after = [age for at, age in ages if at > JOINED]
    text = f"{live - JOINED:.1f} s after" if live else f"not live again, at least {min(after, default=0):.0f} ms behind"
    check("after a cut of 15 s: at the live edge within 2 s", bool(before) and live is not None and live - JOINED <= 2,
          f"{text}; before it at most {max(before, default=0):.0f} ms behind, at the end {after[-1] if after else 0:.0f} ms")


parts = {"segments": lambda: ladder(False), "low-latency": lambda: ladder(True), "cut": cut}
try:
    for name in sys.argv[1:] or parts:
        parts[name]()
finally:
    end_all()
print(f"{len(failures)} of the checks failed" if failures else "all checks passed")
sys.exit(1 if failures else 0)
