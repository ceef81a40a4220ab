#!/usr/bin/env python3
"""Kills a publisher (SIGKILL) again and again while clients watch, and measures what they see.

Clients: a reader of the RTP packets ("wire"), ffmpeg -c copy, mpv, and VLC as Debian ships it. Each publisher has another frame
size than the one before. A publisher sends through a relay in this script, which notes when its first keyframe passes. The
publisher's frames are recognised by their sequence parameter set on the wire and in ffmpeg's output, and by their size in mpv
and VLC. The notice is the first frame after the publisher was killed.
"""
import base64
import json
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 10
SIZES = ["640x360", "960x540"]
AWAY_SECONDS = 4.0
ON_AIR_SECONDS = 3.0
LIMITS = {"wire": (3.0, 0.3), "ffmpeg": (3.0, 0.3), "mpv": (3.0, 0.3), "vlc": (3.0, 1.5)}
folder = tempfile.mkdtemp()
os.chmod(folder, 0o777)
processes = []


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(arguments, **options):
    options.setdefault("stdin", subprocess.DEVNULL)
    options.setdefault("stdout", subprocess.DEVNULL)
    options.setdefault("stderr", subprocess.DEVNULL)
    process = subprocess.Popen(arguments, **options)
    processes.append(process)
    return process


class Frames:
    """The instants at which a client had frames: of a substitute or of a publisher, which has a key."""

    def __init__(self):
        self.events = []
        self.lock = threading.Condition()

    def add(self, key):
        with self.lock:
            self.events.append((time.monotonic(), key))
            self.lock.notify_all()

    def first(self, since, wanted):
        """The instant of the first event from `since` on whose key fulfils `wanted`."""
        with self.lock:
            return next((at for at, key in self.events if at >= since and wanted(key)), None)


class NALFinder:
    """Finds sequence parameter sets in RTP payloads of H.264, whole or in aggregates (RFC 6184, 5.6 and 5.7.1)."""

    @staticmethod
    def sets(payload):
        kind = payload[0] & 31 if payload else 0
        if kind == 7:
            return [bytes(payload)]
        found, rest = [], payload[1:]
        while kind == 24 and len(rest) > 2:
            length = int.from_bytes(rest[:2], "big")
            unit = bytes(rest[2:2 + length])
            if unit and unit[0] & 31 == 7:
                found.append(unit)
            rest = rest[2 + length:]
        return found

    @staticmethod
    def is_keyframe(payload):
        kind = payload[0] & 31 if payload else 0
        if kind == 28:
            return len(payload) > 1 and payload[1] & 31 == 5
        if kind != 24:
            return kind == 5
        rest = payload[1:]
        while len(rest) > 2:
            length = int.from_bytes(rest[:2], "big")
            if len(rest) > 2 and rest[2] & 31 == 5:
                return True
            rest = rest[2 + length:]
        return False


def interleaved(buffer, frame, text):
    """Takes all complete `$` frames and RTSP messages from `buffer`."""
    while buffer:
        if buffer[0] == 0x24:
            if len(buffer) < 4 or len(buffer) < 4 + int.from_bytes(buffer[2:4], "big"):
                return
            length = int.from_bytes(buffer[2:4], "big")
            frame(buffer[1], bytes(buffer[4:4 + length]))
            del buffer[:4 + length]
        else:
            end = buffer.find(b"\r\n\r\n")
            if end < 0:
                return
            head = bytes(buffer[:end + 4])
            length = re.search(rb"(?i)content-length: *(\d+)", head)
            whole = end + 4 + (int(length[1]) if length else 0)
            if len(buffer) < whole:
                return
            text(bytes(buffer[:whole]))
            del buffer[:whole]


class Relay:
    """Passes one publisher's connection on, and notes its parameter set and when its first keyframe has passed."""

    def __init__(self, server_port):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.server_port = server_port
        self.key = None
        self.keyframe_at = None
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        client, _ = self.listener.accept()
        self.listener.close()
        server = socket.create_connection(("127.0.0.1", self.server_port))
        for end in (client, server):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=self.copy_back, args=(server, client), daemon=True).start()
        buffer = bytearray()
        while data := self.receive(client):
            # Before it is sent, because a viewer may have it earlier than this thread returns.
            if self.keyframe_at is None:
                buffer += data
                interleaved(buffer, self.frame, self.text)
            server.sendall(data)
        server.shutdown(socket.SHUT_RDWR)

    @staticmethod
    def receive(end):
        try:
            return end.recv(65536)
        except OSError:
            return b""

    def copy_back(self, server, client):
        while data := self.receive(server):
            try:
                client.sendall(data)
            except OSError:
                return

    def text(self, message):
        found = re.search(rb"sprop-parameter-sets=([^,;\s]+)", message)
        if found:
            self.key = base64.b64decode(found[1])

    def frame(self, channel, packet):
        if channel == 0 and self.keyframe_at is None and NALFinder.is_keyframe(packet[12:]):
            self.keyframe_at = time.monotonic()


class Wire:
    """A viewer over TCP that reads RTP packets."""

    def __init__(self, port, frames):
        self.frames, self.buffer, self.last = frames, bytearray(), {}
        self.problems = []
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.url, self.number = f"rtsp://127.0.0.1:{port}/cam", 0
        description = self.request("DESCRIBE", self.url)
        base = re.search(rb"(?i)content-base: *(\S+)", description)
        base = base[1].decode() if base else self.url + "/"
        controls = re.findall(rb"a=control:(\S+)", description.split(b"m=", 1)[1])
        session = ""
        for index, control in enumerate(controls):
            control = control.decode()
            url = control if "://" in control else base.rstrip("/") + "/" + control
            answer = self.request(
                "SETUP", url, f"Transport: RTP/AVP/TCP;unicast;interleaved={2 * index}-{2 * index + 1}\r\n" + session)
            session = "Session: " + re.search(rb"(?i)session: *([^;\s]+)", answer)[1].decode() + "\r\n"
        self.session = session
        self.request("PLAY", self.url, session)
        threading.Thread(target=self.run, daemon=True).start()

    def send(self, method, url, headers=""):
        self.number += 1
        self.socket.sendall(f"{method} {url} RTSP/1.0\r\nCSeq: {self.number}\r\n{headers}\r\n".encode())

    def request(self, method, url, headers=""):
        self.send(method, url, headers)
        answers = []
        while not answers:
            self.buffer += self.socket.recv(65536)
            interleaved(self.buffer, self.frame, answers.append)
        if b" 200 " not in answers[0]:
            raise SystemExit(f"{method}: {answers[0][:100]}")
        return answers[0]

    def run(self):
        sent = time.monotonic()
        while True:
            try:
                data = self.socket.recv(65536)
            except OSError:
                data = b""
            if not data:
                self.problems.append("the server closed the connection")
                return
            self.buffer += data
            interleaved(self.buffer, self.frame, lambda _: None)
            if time.monotonic() - sent > 20:
                sent = time.monotonic()
                self.send("OPTIONS", self.url, self.session)

    def frame(self, channel, packet):
        if channel & 1:
            # The server begins a BYE with a packet of its own, or puts it behind a report.
            if packet[1:2] == b"\xcb" or b"\x81\xcb" in packet:
                self.problems.append("BYE")
            return
        number, stamp = int.from_bytes(packet[2:4], "big"), int.from_bytes(packet[4:8], "big")
        if channel in self.last:
            former_number, former_stamp = self.last[channel]
            if (number - former_number) & 0xFFFF != 1:
                self.problems.append(f"sequence number {former_number} → {number}")
            step = (stamp - former_stamp) & 0xFFFFFFFF
            if step >= 1 << 31:
                self.problems.append(f"track {channel // 2}: timestamp {former_stamp} → {stamp}")
        self.last[channel] = (number, stamp)
        if channel == 0:
            sets = NALFinder.sets(packet[12:])
            for key in sets:
                self.frames.add(key)
            if not sets:
                self.frames.add(None)


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
    """mpv without a window. Its size and its position in time are observed."""

    def __init__(self, url, frames):
        self.frames = frames
        path = os.path.join(folder, "mpv.socket")
        self.process = start(
            ["mpv", "--no-config", "--profile=low-latency", "--rtsp-transport=tcp", "--vo=null", "--ao=null",
             "--msg-level=all=warn", f"--input-ipc-server={path}", url],
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


def wait(seconds, condition):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return False


def main():
    port = free_port()
    configuration = os.path.join(folder, "apus.yml")
    with open(configuration, "w") as file:
        file.write(
            f"server: {{ port: {port} }}\naccess: {{ loopback: publish }}\ncontrol: {{ socket: '' }}\n"
            "paths: { cam: { source: publish, absent: { show: frame, afterSeconds: 2 } } }\n")
    server = start(
        [os.environ["APUS_BINARY"], "serve", "--config", configuration],
        env=dict(os.environ, STATE_DIRECTORY=os.path.join(folder, "state")),
        stderr=open(os.path.join(folder, "apus.log"), "wb"))
    wait(10, lambda: "listening" in open(os.path.join(folder, "apus.log")).read() or server.poll() is not None
         or reachable(port))
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
    return judge(names, notices, returns, wire, ffmpeg, players)


def reachable(port):
    try:
        socket.create_connection(("127.0.0.1", port)).close()
        return True
    except OSError:
        return False


def text(seconds):
    return "never" if seconds is None else f"{seconds:.3f}"


def judge(names, notices, returns, wire, ffmpeg, players):
    failures = []
    for name in names:
        for what, list_, limit in (("notice", notices[name], LIMITS[name][0]), ("back", returns[name], LIMITS[name][1])):
            known = [value for value in list_ if value is not None]
            if len(known) < len(list_) or max(known) > limit:
                failures.append(f"{name}: {what}")
            if known:
                print(f"{name:7} {what:7} n={len(known):2} p50 {statistics.median(known):.3f} s, "
                      f"max {max(known):.3f} s, limit {limit} s")
    log = open(os.path.join(folder, "apus.log")).read()
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
    for process in processes:
        if process.poll() is None:
            process.kill()
    if os.environ.get("APUS_KEEP_LOGS"):
        print("logs: " + folder)
    else:
        shutil.rmtree(folder, ignore_errors=True)
sys.exit(status)
