#!/usr/bin/env python3
"""What waits for a publisher: ffmpeg's handshake with Digest, and a viewer that was there before, whose DESCRIBE is held or who is shown
a slate, until its first frame. And frames of ffmpeg over TCP that come late. Usage: waiting.py [COUNT]

strace notes when ffmpeg sends what. It stops ffmpeg at nothing else, and no relay is in between, whose kernel would acknowledge in the
server's place.
"""
import os
import re
import signal
import statistics
import subprocess
import sys
import threading
import time

from streams import Frames, Server, Wire, end_all, folder, start, wait

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 10
HANDSHAKE_LIMIT, FIRST_FRAME_LIMIT, LATENESS_LIMIT = 0.020, 0.100, 0.030
programs = {"ffmpeg": "ffmpeg", "ffmpeg-new": os.environ["FFMPEG_NEW"]}
failures = []


def check(what, values, limit):
    """Prints the median and the maximum of durations in seconds, which must be below the limit."""
    known = [value for value in values if value is not None]
    holds = len(known) == len(values) and max(known) < limit
    figures = f"p50 {1000 * statistics.median(known):.1f}, max {1000 * max(known):.1f} ms" if known else "never"
    print(f"{'ok     ' if holds else 'BROKEN '} {what}: n={len(known)} {figures}, limit {1000 * limit:.0f} ms", flush=True)
    if not holds:
        failures.append(what)


def make_clip():
    """Half a minute of video with a keyframe every second, and its sequence parameter set."""
    clip = os.path.join(folder, "clip.mkv")
    subprocess.run(
        "ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=640x360:r=25 -t 30 -c:v libx264 -preset ultrafast -tune zerolatency -g 25 "
        f"-pix_fmt yuv420p -y {clip}".split(), check=True)
    stream = subprocess.run(
        f"ffmpeg -nostdin -v error -i {clip} -c copy -bsf:v h264_mp4toannexb -t 0.1 -f h264 -".split(), check=True, capture_output=True
    ).stdout
    return clip, next(unit for unit in re.split(rb"\x00\x00\x00?\x01", stream) if unit and unit[0] & 31 == 7)


class Publisher:
    """An ffmpeg that publishes the clip, and what it has sent. strace passes the signal that ends it on (-I2)."""

    def __init__(self, server, program, transport, user=""):
        self.trace, self.server, self.sent = os.path.join(folder, "strace"), server, []
        self.joined, self.left = (server.log().count(f"publisher {event}") + 1 for event in ("joined", "left"))
        # strace has the wall clock only.
        self.wall_clock = time.time() - time.monotonic()
        self.process = start(
            ["strace", "-I2", "-f", "--seccomp-bpf", "-ttt", "-xx", "-s", "24", "-e", "trace=sendto,sendmsg", "-o", self.trace]
            + [programs[program], "-nostdin", "-v", "error", "-re", "-i", CLIP, "-c", "copy", "-f", "rtsp", "-rtsp_transport", transport]
            + ["-muxdelay", "0", f"rtsp://{user}127.0.0.1:{server.port}/cam"])

    def stop(self):
        """Ends it, and reads what it has sent."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        self.server.logged_at("publisher left", self.left, 5)
        for line in open(self.trace, errors="replace"):
            found = re.match(r"\d+ +(\d+\.\d+) send\w+\(\d+, \"((?:\\x[0-9a-f]{2})+)\"", line)
            if found:
                message = bytes.fromhex(found[2].replace("\\x", ""))
                self.sent.append((float(found[1]) - self.wall_clock, message))

    def first(self, wanted):
        """When it began to send the first message for which `wanted` is true; None if it never did."""
        return next((instant for instant, message in self.sent if wanted(message)), None)

    @property
    def first_request(self):
        return self.first(lambda message: message.startswith(b"OPTIONS"))

    @property
    def first_packet(self):
        """The first packet of the clip is that of a keyframe, and follows the answer to RECORD at once."""

        def is_video(message):
            packet = message[4:] if message[:1] == b"$" else message
            return len(packet) > 13 and packet[0] == 0x80 and packet[1] & 0x7F == 96

        return self.first(is_video)


def duration(end, start):
    return end - start if end is not None and start is not None else None


def measure_handshakes():
    server = Server("users:\n  pub: { password: secret, publish: ['*'], read: ['*'] }\npaths: { cam: { source: publish } }", "handshake")
    for program in programs:
        for transport in ("tcp", "udp"):
            durations = []
            for _ in range(COUNT):
                publisher = Publisher(server, program, transport, "pub:secret@")
                server.logged_at("publisher joined", publisher.joined, 10)
                # The first packet follows.
                time.sleep(0.2)
                publisher.stop()
                durations.append(duration(publisher.first_packet, publisher.first_request))
            check(f"{program} over {transport} with Digest: OPTIONS → RECORD answered", durations, HANDSHAKE_LIMIT)


def first_frame(server, waiting, publishing, viewing):
    """The time from a publisher's first packet to its first whole frame at a viewer that has waited."""
    frames, viewers = Frames(), []
    thread = threading.Thread(target=lambda: viewers.append(Wire(server.port, frames, transport=viewing)), daemon=True)
    thread.start()
    # The DESCRIBE has arrived, or the viewer is shown the slate, when the publisher begins.
    time.sleep(0.05)
    if waiting == "slate":
        wait(10, lambda: frames.events)
    publisher = Publisher(server, "ffmpeg", publishing)
    thread.join(10)
    wait(5, lambda: viewers and SET in viewers[0].whole)
    publisher.stop()
    for viewer in viewers:
        viewer.socket.close()
    return duration(viewers[0].whole.get(SET) if viewers else None, publisher.first_packet)


def measure_first_frames():
    paths = {"DESCRIBE": "{ source: publish }", "slate": "{ source: publish, absent: { show: slate, afterSeconds: 1 } }"}
    for waiting, path in paths.items():
        for publishing in ("tcp", "udp"):
            for viewing in ("tcp", "udp"):
                durations = []
                for _ in range(COUNT):
                    # A server that has had a publisher knows its tracks.
                    server = Server(f"access: {{ loopback: publish, open: true }}\npaths: {{ cam: {path} }}", "first")
                    durations.append(first_frame(server, waiting, publishing, viewing))
                    server.process.terminate()
                    server.process.wait()
                    subprocess.run(["rm", "-rf", server.state], check=True)
                what = "its DESCRIBE is held" if waiting == "DESCRIBE" else "it is shown a slate"
                check(f"viewer over {viewing}, {what}: first packet over {publishing} → first frame", durations, FIRST_FRAME_LIMIT)


def lateness(server, seconds):
    """By how much the latest frame of ffmpeg over TCP comes later than the least delayed one."""
    arrivals = []

    class Arrivals(Wire):
        def frame(self, channel, packet):
            super().frame(channel, packet)
            if channel == 0 and packet[1] & 0x80:
                arrivals.append((time.monotonic(), int.from_bytes(packet[4:8], "big")))

    publisher = Publisher(server, "ffmpeg", "tcp")
    viewer = Arrivals(server.port, Frames())
    time.sleep(seconds)
    publisher.stop()
    viewer.socket.close()
    # The first frames are those of the past, compressed in time.
    delays = [arrival - (stamp - arrivals[0][1] & 0xFFFFFFFF) / 90_000 for arrival, stamp in arrivals[25:]]
    return max(delays) - min(delays)


def measure_lateness():
    """ffmpeg leaves Nagle's algorithm on: its kernel keeps the rest of a frame until the first packet is acknowledged. Other work on this
    host may delay frames, too, so one of three attempts must succeed."""
    server = Server("access: { loopback: publish, open: true }\npaths: { cam: { source: publish } }", "late")
    attempts = []
    while len(attempts) < 3 and (not attempts or min(attempts) > LATENESS_LIMIT):
        attempts.append(lateness(server, 12))
    check("ffmpeg over tcp, 12 s: by how much the latest frame is late", [min(attempts)], LATENESS_LIMIT)


try:
    CLIP, SET = make_clip()
    measure_handshakes()
    measure_first_frames()
    measure_lateness()
finally:
    end_all()
print(f"{len(failures)} of the checks failed" if failures else "all checks passed")
sys.exit(1 if failures else 0)
