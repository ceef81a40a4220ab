#!/usr/bin/env python3
"""What viewers over WebRTC cost the server, beside as many over plain UDP, and how soon many who join at once have a frame. Usage:
webrtc-cost.py [VIEWERS [SECONDS]]

The same stream of 2 Mbit/s goes to all viewers of one kind for some seconds, then to those of the other kind, five times. The server has
one event loop, on the first processor, and `apus bench viewers`, on the second, is the viewers. Each pair of runs, a minute long, has a ratio,
and the median of the ratios counts: a virtual machine's speed may change by a quarter within minutes. Then others join within one second
while some watch: each must have a keyframe soon, and nobody who watches may miss a packet.
"""
import json
import os
import statistics
import subprocess
import sys
import time

from costs import allow_descriptors, stream_file
from streams import end_all, free_ports, start, wait

VIEWERS = int(sys.argv[1]) if len(sys.argv) > 1 else 500
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 20
APUS = os.environ["APUS_BINARY"]
ROUNDS, COST_LIMIT = 5, 2.0
JOINS_PER_SECOND = 100
WATCHING, JOINING, JOIN_LIMIT_MILLISECONDS = 100, 200, 500
SERVER_PROCESSOR, VIEWERS_PROCESSOR = "0", "1"


def viewers(url, count, per_second, seconds, *more):
    """The report of `apus bench viewers`."""
    command = ["taskset", "-c", VIEWERS_PROCESSOR, APUS, "bench", "viewers", "--url", url, "--count", str(count), "--ramp", str(per_second),
               "--seconds", str(seconds), "--json", *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def report(process):
    return json.loads(process.communicate()[0])


def check(what, holds, seen):
    print(f"{'ok     ' if holds else 'BROKEN '} {what}: {seen}", flush=True)
    return 0 if holds else 1


def cost(server, name, url, number):
    """Processor seconds per gigabyte; `None` if a viewer was not served."""
    seen = report(viewers(url, VIEWERS, JOINS_PER_SECOND, VIEWERS / JOINS_PER_SECOND + 2 + SECONDS, "--server-pid", str(server.pid)))
    steady = seen.get("steady") or {}
    each = steady.get("processorSecondsPerGigabyte")
    print(f"        round {number + 1}, {VIEWERS} over {name}: {steady.get('bytes', 0) / 1e9:.3f} GB, {each or 0:.3f} CPU-s/GB, "
          f"{steady.get('lost')} packets lost, failures {seen.get('failures')}", flush=True)
    return each if seen.get("established") == VIEWERS and not steady.get("lost") else None


def storm(url):
    """The reports of those who watch and of those who join."""
    watching = viewers(url, WATCHING, JOINS_PER_SECOND, 12)
    time.sleep(WATCHING / JOINS_PER_SECOND + 3)
    joining = report(viewers(url, JOINING, JOINING, 5))
    return report(watching), joining


failures = 0
try:
    allow_descriptors()
    rtsp, http, media = free_ports(3)
    configuration = f"""access: {{ open: true }}
http: {{ port: {http} }}
webrtc: {{ port: {media}, pendingSessionsPerAddress: {max(VIEWERS, JOINING)} }}
paths: {{ cam: {{ source: {stream_file()} }} }}
"""
    with open("webrtc-cost.yml", "w") as file:
        file.write(configuration)
    log = open("webrtc-cost.log", "w")
    server = start(["taskset", "-c", SERVER_PROCESSOR, APUS, "serve", "--port", str(rtsp), "--loops", "1", "--log-level", "warning",
                    "--config", "webrtc-cost.yml"], stdout=log, stderr=log)
    urls = {"UDP": f"rtsp://127.0.0.1:{rtsp}/cam", "WebRTC": f"http://127.0.0.1:{http}/cam/whep"}
    probe = [APUS, "bench", "joins", "--url", urls["UDP"], "--transport", "tcp", "--stay-ms", "0", "--pause-ms", "0"]
    wait(20, lambda: subprocess.run(probe, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0)
    costs = {name: [] for name in urls}
    for number in range(ROUNDS):
        for name, url in urls.items():
            costs[name].append(cost(server, name, url, number))
    failures += check(f"all {VIEWERS} viewers are served without a loss", all(each for costs_of in costs.values() for each in costs_of), costs)
    medians = {name: statistics.median(each or 0 for each in known) for name, known in costs.items()}
    ratios = [protected / plain if protected and plain else 0 for protected, plain in zip(costs["WebRTC"], costs["UDP"])]
    ratio = statistics.median(ratios)
    failures += check(f"a gigabyte over WebRTC costs at most {COST_LIMIT} times as much as over UDP", 0 < ratio <= COST_LIMIT,
                      f"{medians['WebRTC']:.3f} and {medians['UDP']:.3f} CPU-s/GB, {ratio:.2f} times "
                      f"({', '.join(f'{each:.2f}' for each in ratios)})")
    watching, joining = storm(urls["WebRTC"])
    first = joining.get("connectToRandomAccess") or {}
    failures += check(f"{JOINING} who join within a second have a keyframe within {JOIN_LIMIT_MILLISECONDS} ms",
                      joining.get("established") == first.get("count") == JOINING and first["max"] <= JOIN_LIMIT_MILLISECONDS,
                      f"{joining.get('established')} joined, {first}")
    failures += check(f"none of {WATCHING} who watch misses a packet", watching.get("established") == WATCHING and watching.get("gaps") == 0,
                      f"{watching.get('gaps')} gaps, {(watching.get('steady') or {}).get('lost')} packets lost")
finally:
    end_all()
sys.exit(1 if failures else 0)
