#!/usr/bin/env python3
"""How soon a published stream is on air: from ANNOUNCE to the last packet of the first keyframe at a viewer that asks again and
again for the path. ffmpeg and GStreamer publish a file that begins with a keyframe over TCP and UDP, with and without Digest, with a
query and with a slash at the end. Usage: starts.py [ROUNDS]
"""
import os
import statistics
import subprocess
import sys

from streams import Frames, Relay, Server, Wire, end_all, folder, start, wait

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 3
LIMIT = 0.3
failures = []
clip = os.path.join(folder, "clip.mkv")
subprocess.run(
    "ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=640x360:r=25 -f lavfi -i sine=r=48000 -t 20 -c:v libx264 -preset ultrafast "
    f"-bf 0 -g 25 -pix_fmt yuv420p -c:a aac -ac 2 -y {clip}".split(), check=True)


def publisher(program, transport, url):
    if program == "ffmpeg":
        return ["ffmpeg", "-nostdin", "-v", "error", "-re", "-i", clip, "-c", "copy", "-muxdelay", "0", "-rtsp_transport",
                transport, "-f", "rtsp", url]
    return ["gst-launch-1.0", "-q", "rtspclientsink", "name=sink", f"location={url}", f"protocols={transport}", "filesrc",
            f"location={clip}", "!", "matroskademux", "name=demux", "demux.video_0", "!", "queue", "!", "h264parse", "!", "sink.",
            "demux.audio_0", "!", "queue", "!", "aacparse", "!", "sink."]


def measure(server, program, transport, access, suffix, path):
    login = ""
    if access == "digest":
        login = "publisher:" + open(os.path.join(server.state, "publisher-password")).read().strip() + "@"
    relay = Relay(server.port)
    process = start(publisher(program, transport, f"rtsp://{login}127.0.0.1:{relay.port}/{path}{suffix}"),
                    stderr=open(os.path.join(folder, "publisher.log"), "ab"))
    viewer = Wire(server.port, Frames(), path)
    wait(5, lambda: viewer.keyframe_at)
    viewer.socket.close()
    process.kill()
    process.wait()
    return viewer.keyframe_at - relay.announced_at if viewer.keyframe_at else None


try:
    paths = ", ".join(f"p{number}: {{ source: publish }}" for number in range(200))
    servers = {
        "open": Server(f"access: {{ loopback: publish }}\npaths: {{ {paths} }}", "open"),
        "digest": Server(f"access: {{ open: true }}\npaths: {{ {paths} }}", "digest"),
    }
    number = 0
    for program in ("ffmpeg", "gst"):
        for transport in ("tcp", "udp"):
            for access, server in servers.items():
                for form, suffix in (("plain", ""), ("query", "?token=1&x=y"), ("slash", "/")):
                    found = []
                    for _ in range(ROUNDS):
                        found.append(measure(server, program, transport, access, suffix, f"p{number % 200}"))
                        number += 1
                    known = [value for value in found if value is not None]
                    holds = len(known) == len(found) and max(known) <= LIMIT
                    what = f"{program} {transport} {access} {form}"
                    text = ", ".join(f"{value * 1000:.0f}" for value in known)
                    print(f"{'ok     ' if holds else 'BROKEN '} {what}: on air {text} ms after ANNOUNCE"
                          f" (p50 {statistics.median(known) * 1000:.0f})" if known else f"BROKEN  {what}: not on air", flush=True)
                    if not holds:
                        failures.append(what)
finally:
    end_all()
print(f"{len(failures)} of the checks failed" if failures else "all checks passed")
sys.exit(1 if failures else 0)
