#!/usr/bin/env python3
"""How soon HTTP serves: from the start of the server to its listening, from the request for `index.mp4` to the first frame in ffmpeg at
phases of a GOP of 4 s, and from PLAY and a killed publisher to their events at a client of server-sent events. Usage: files.py [COUNT]
"""
import json
import os
import socket
import subprocess
import sys
import threading
import time

from streams import Frames, Wire, end_all, folder, free_port, reachable, start, wait

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 20
RTSP, HTTP = free_port(), free_port()
GOP = 4.0
failures = []


def report(what, seconds, limit):
    holds = bool(seconds) and None not in seconds and max(seconds) <= limit
    known = sorted(1000 * second for second in seconds if second is not None)
    text = f"p50 {known[len(known) // 2]:.1f}, max {known[-1]:.1f} ms of {len(seconds)}" if known else "nothing came"
    print(f"{'ok     ' if holds else 'BROKEN '} {what}: {text} (limit {1000 * limit:.0f})", flush=True)
    if not holds:
        failures.append(what)


def serve(configuration, name):
    path = os.path.join(folder, f"{name}.yml")
    with open(path, "w") as file:
        file.write(f"server: {{ port: {RTSP} }}\nhttp: {{ port: {HTTP} }}\ncontrol: {{ socket: '' }}\n{configuration}\n")
    return start([os.environ["APUS_BINARY"], "serve", "--config", path],
                 env=dict(os.environ, STATE_DIRECTORY=os.path.join(folder, name)), stderr=open(os.path.join(folder, f"{name}.log"), "ab"))


def listening():
    """Seconds from the start of the process until both ports accept."""
    began = time.monotonic()
    process = serve("paths: { cam: { source: testcard } }", "listening")
    while not (reachable(RTSP) and reachable(HTTP)):
        if time.monotonic() - began > 5:
            raise SystemExit("the server does not listen")
        time.sleep(0.001)
    taken = time.monotonic() - began
    process.terminate()
    process.wait()
    return taken


class RequestClock:
    """Passes one connection on to HTTP, and notes when the request came."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port, self.requested_at = self.listener.getsockname()[1], None
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        client, _ = self.listener.accept()
        server = socket.create_connection(("127.0.0.1", HTTP))
        request = client.recv(65536)
        self.requested_at = time.monotonic()
        # The server knows itself by the port at which it listens.
        server.sendall(request.replace(f":{self.port}".encode(), f":{HTTP}".encode()))
        while data := server.recv(65536):
            try:
                client.sendall(data)
            except OSError:
                return


def first_frame():
    """Seconds from the request to the first decoded frame in ffmpeg with its default options."""
    clock = RequestClock()
    ffmpeg = start(["ffmpeg", "-nostdin", "-v", "error", "-i", f"http://127.0.0.1:{clock.port}/cam/index.mp4", "-map", "0:v",
                    "-frames:v", "1", "-f", "rawvideo", "-"], stdout=subprocess.PIPE)
    came = bool(ffmpeg.stdout.read(1))
    at = time.monotonic()
    ffmpeg.kill()
    ffmpeg.wait()
    return at - clock.requested_at if came else None


class Events:
    """A client of `/api/v1/events`, which notes when each kind of event came last."""

    def __init__(self):
        self.at = {}
        self.socket = socket.create_connection(("127.0.0.1", HTTP))
        self.socket.sendall(f"GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1:{HTTP}\r\n\r\n".encode())
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        rest = b""
        while data := self.socket.recv(65536):
            now = time.monotonic()
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                if line.startswith(b"data: {"):
                    self.at[json.loads(line[6:])["kind"]] = now

    def after(self, kind, since):
        """Seconds from `since` to the next event of this kind; None if it does not come within 5 s."""
        wait(5, lambda: self.at.get(kind, 0) >= since)
        return self.at[kind] - since if self.at.get(kind, 0) >= since else None


def publish():
    return start(["ffmpeg", "-nostdin", "-v", "error", "-re", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=25", "-c:v", "libx264", "-preset",
                  "ultrafast", "-tune", "zerolatency", "-pix_fmt", "yuv420p", "-rtsp_transport", "tcp", "-f", "rtsp",
                  f"rtsp://127.0.0.1:{RTSP}/yard"])


try:
    # The first start may read the program from the disk.
    listening()
    report("start → both ports listen", [listening() for _ in range(10)], 0.1)
    serve("access: { loopback: publish }\npaths: { cam: { source: testcard, video: { gopMilliseconds: 4000 } }, yard: { source: publish } }",
          "serving")
    wait(5, lambda: reachable(HTTP))
    Wire(RTSP, Frames())
    times = []
    for number in range(COUNT):
        time.sleep((GOP * number / COUNT - time.monotonic()) % GOP)
        times.append(first_frame())
    report("request for index.mp4 → first frame in ffmpeg, at phases of a GOP of 4 s", times, 0.15)
    joined, left, events = [], [], Events()
    for _ in range(5):
        before = time.monotonic()
        publisher = publish()
        events.after("source-up", before)
        before = time.monotonic()
        Wire(RTSP, Frames(), "yard")
        joined.append(events.after("viewer-joined", before))
        before = time.monotonic()
        publisher.kill()
        left.append(events.after("publisher-left", before))
        publisher.wait()
    report("DESCRIBE of a viewer → event viewer-joined", joined, 0.1)
    report("a publisher is killed → event publisher-left", left, 0.1)
finally:
    end_all()
print(f"{len(failures)} of the checks failed" if failures else "all checks passed")
sys.exit(1 if failures else 0)
