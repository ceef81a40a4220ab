#!/usr/bin/env python3
"""Kills a publisher (SIGKILL) again and again while clients watch, and measures what they see.

Clients: a reader of the RTP packets ("wire"), ffmpeg -c copy, mpv, and VLC as Debian ships it. Each publisher has another frame
size than the one before. A publisher sends through a relay in this script, which notes when its first keyframe passes. The
publisher's frames are recognised by their sequence parameter set on the wire and in ffmpeg's output, and by their size in mpv
and VLC. The notice is the first frame after the publisher was killed.
"""
import json
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time

from streams import Frames, Relay, Server, Wire, end_all, folder, start, wait

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 10
SIZES = ["640x360", "960x540"]
AWAY_SECONDS = 4.0
ON_AIR_SECONDS = 3.0
LIMITS = {"wire": (3.0, 0.3), "ffmpeg": (3.0, 0.3), "mpv": (3.0, 0.3), "vlc": (3.0, 1.5)}

class FFmpeg:
    """ffmpeg -c copy, whose output is read as it comes."""

    def __init__(self, url, frames):
        self.crc = os.path.join(folder, "ffmpeg.crc")
        self.process = start(
            ["ffmpeg", "-nostdin", "-v", "warning", "-fflags", "nobuffer", "-rtsp_transport", "tcp", "-i", url,
             "-map", "0", "-c", "copy", "-f", "framecrc", self.crc,
             "-map", "0:v", "-c", "copy", "-flush_packets", "1", "-f", "h264", "pipe:1"],
            stdout=subprocess.PIPE, stderr=open(os.path.join(folder, "ffmpeg.log"), "wb"))
        self.frames = frames
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        buffer = b""
        while data := self.process.stdout.read1(1 << 20):
            self.frames.add(None)
            buffer += data
            units = re.split(rb"\x00\x00\x00?\x01", buffer)
            for unit in units[:-1]:
                if unit and unit[0] & 31 == 7:
                    self.frames.add(unit)
            buffer = buffer[-(len(units[-1]) + 4):] if len(units) > 1 else buffer

    def problems(self):
        found = []
        times = {}
        for line in open(self.crc):
            fields = line.split(",")
            if line.startswith("#") or len(fields) < 3:
                continue
            track, decode = int(fields[0]), int(fields[1])
            times.setdefault(track, []).append(decode)
        for track, list_ in times.items():
            # ffmpeg gives its first units one time, as with every stream.
            later = list_[4:]
            found += [f"track {track}: {a} → {b}" for a, b in zip(later, later[1:]) if b <= a]
        return found


class MPV:
    """mpv without a window. Its size and its position in time are observed. Its video follows its audio, and the device that it
    imitates has a buffer of 200 ms, so frames would be that late; the buffers of desktops have some 20 ms."""

    def __init__(self, url, frames):
        self.frames = frames
        path = os.path.join(folder, "mpv.socket")
        self.process = start(
            ["mpv", "--no-config", "--profile=low-latency", "--rtsp-transport=tcp", "--vo=null", "--ao=null",
             "--ao-null-buffer=0.03", "--msg-level=all=warn", f"--input-ipc-server={path}", url],
            stdout=open(os.path.join(folder, "mpv.log"), "wb"), stderr=subprocess.STDOUT)
        self.socket = socket.socket(socket.AF_UNIX)
        for _ in range(100):
            try:
                self.socket.connect(path)
                break
            except OSError:
                time.sleep(0.1)
        for number, name in enumerate(["video-params", "time-pos"]):
            self.socket.sendall(json.dumps({"command": ["observe_property", number, name]}).encode() + b"\n")
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        for line in self.socket.makefile():
            event = json.loads(line)
            data = event.get("data")
            if event.get("name") == "time-pos" and data is not None:
                self.frames.add(None)
            if event.get("name") == "video-params" and data:
                self.frames.add(f"{data['w']}x{data['h']}")


class VLC:
    """The VLC of Debian, which receives MPEG-TS. Its log tells when its picture gets another size, its statistics how many pictures
    it has displayed."""

    def __init__(self, url, frames):
        self.frames = frames
        prefix = []
        if os.geteuid() == 0:
            prefix = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
        home = os.path.join(folder, "vlc")
        os.mkdir(home)
        os.chmod(home, 0o777)
        self.process = start(
            prefix + ["env", f"HOME={home}", "vlc", "-vv", "--no-color", "--intf=oldrc", "--rc-fake-tty", "--vout=dummy",
                      "--aout=dummy", url],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for target in (self.read_log, self.read_statistics, self.ask):
            threading.Thread(target=target, daemon=True).start()

    def read_log(self):
        with open(os.path.join(folder, "vlc.log"), "wb") as log:
            for line in self.process.stderr:
                log.write(line)
                found = re.search(rb"VoutDisplayEvent 'resize' (\d+x\d+)", line)
                if found:
                    self.frames.add(found[1].decode())

    def ask(self):
        while self.process.poll() is None:
            try:
                self.process.stdin.write(b"stats\n")
                self.process.stdin.flush()
            except OSError:
                return
            time.sleep(0.1)

    def read_statistics(self):
        displayed = 0
        for line in self.process.stdout:
            found = re.search(rb"frames displayed *: *(\d+)", line)
            if found and int(found[1]) > displayed:
                displayed = int(found[1])
                self.frames.add(None)


def publish(relay, size):
    return start(
        ["ffmpeg", "-nostdin", "-v", "error", "-re", "-f", "lavfi", "-i", f"testsrc2=size={size}:rate=25", "-re",
         "-f", "lavfi", "-i", "sine=frequency=440:sample_rate=48000", "-ac", "2", "-c:v", "libx264", "-preset",
         "ultrafast", "-tune", "zerolatency", "-g", "50", "-pix_fmt", "yuv420p", "-threads", "1", "-c:a", "aac",
         "-muxdelay", "0", "-rtsp_transport", "tcp", "-f", "rtsp", f"rtsp://127.0.0.1:{relay.port}/cam"],
        stderr=open(os.path.join(folder, "publisher.log"), "ab"))


def main():
    server = Server("access: { loopback: publish }\n"
                    "paths: { cam: { source: publish, absent: { show: frame, afterSeconds: 2 } } }")
    port = server.port
    relay = Relay(port)
    publisher = publish(relay, SIZES[0])
    if not wait(15, lambda: relay.keyframe_at):
        raise SystemExit("the publisher did not start: " + open(os.path.join(folder, "publisher.log")).read())
    time.sleep(1)
    url = f"rtsp://127.0.0.1:{port}/cam"
    seen = {name: Frames() for name in LIMITS}
    wire = Wire(port, seen["wire"])
    ffmpeg = FFmpeg(url, seen["ffmpeg"])
    players = {}
    if shutil.which("mpv"):
        players["mpv"] = MPV(url, seen["mpv"])
    if shutil.which("vlc"):
        players["vlc"] = VLC(url, seen["vlc"])
    names = ["wire", "ffmpeg"] + list(players)
    time.sleep(6)
    notices, returns = {name: [] for name in names}, {name: [] for name in names}
    for index in range(COUNT):
        publisher.send_signal(signal.SIGKILL)
        killed = time.monotonic()
        publisher.wait()
        time.sleep(AWAY_SECONDS)
        relay, size = Relay(port), SIZES[(index + 1) % 2]
        publisher = publish(relay, size)
        if not wait(15, lambda: relay.keyframe_at):
            raise SystemExit("a publisher did not start")
        wait(ON_AIR_SECONDS, lambda: False)
        for name in names:
            wanted = relay.key if name in ("wire", "ffmpeg") else size
            # What is still in buffers when the publisher is killed comes within a second.
            notice = seen[name].first(killed + 1.2, lambda _: True)
            shown = seen[name].first(relay.keyframe_at, lambda key: key == wanted)
            notices[name].append(notice - killed if notice and notice < relay.keyframe_at else None)
            returns[name].append(shown - relay.keyframe_at if shown else None)
        print(f"{index + 1:2}  {size}  " + "  ".join(
            f"{name} notice {text(notices[name][-1])} back {text(returns[name][-1])}" for name in names), flush=True)
    return judge(names, notices, returns, server.log(), wire, ffmpeg, players)


def text(seconds):
    return "never" if seconds is None else f"{seconds:.3f}"


def judge(names, notices, returns, log, wire, ffmpeg, players):
    failures = []
    for name in names:
        for what, list_, limit in (("notice", notices[name], LIMITS[name][0]), ("back", returns[name], LIMITS[name][1])):
            known = [value for value in list_ if value is not None]
            if len(known) < len(list_) or max(known) > limit:
                failures.append(f"{name}: {what}")
            if known:
                print(f"{name:7} {what:7} n={len(known):2} p50 {statistics.median(known):.3f} s, "
                      f"max {max(known):.3f} s, limit {limit} s")
    joined, left = log.count("info     joined"), log.count("info     left")
    described = joined - len(names)
    print(f"sessions: {joined} joined, {left} left, for {len(names)} viewers")
    if described or left:
        failures.append("a viewer was disconnected or came again")
    for name, process in [("ffmpeg", ffmpeg.process)] + [(name, player.process) for name, player in players.items()]:
        if process.poll() is not None:
            failures.append(f"{name} has ended")
    ffmpeg.process.send_signal(signal.SIGTERM)
    ffmpeg.process.wait(10)
    for name, problems in (("wire", wire.problems), ("ffmpeg", ffmpeg.problems())):
        print(f"{name}: {len(problems)} times out of order or packets missing" + "".join(f"; {p}" for p in problems[:3]))
        if problems:
            failures.append(f"{name}: times")
    print("passed" if not failures else "FAILED: " + ", ".join(failures))
    return 1 if failures else 0


status = 1
try:
    status = main()
finally:
    end_all()
sys.exit(status)
