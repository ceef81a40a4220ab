"""What acceptance runs share: processes, a relay for one publisher that notes what passes, and a viewer that reads packets."""
import base64
import os
import random
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import urllib.request

folder = tempfile.mkdtemp()
os.chmod(folder, 0o777)
processes = []


def free_port():
    """A port that no socket uses at any address, because servers listen at all. It is below those that clients get from Linux, of which
    a busy machine may have given each one away."""
    while True:
        with socket.socket(socket.AF_INET6) as probe:
            port = random.randrange(20_000, 32_000)
            try:
                probe.bind(("::", port))
                return port
            except OSError:
                continue


def free_ports(count):
    """As many different ports."""
    ports = set()
    while len(ports) < count:
        ports.add(free_port())
    return list(ports)


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


def has_goodbye(packet):
    """Whether a compound RTCP packet has a BYE. Each part begins with its type and its length in words (RFC 3550, 6.1)."""
    while len(packet) >= 4:
        if packet[1] == 203:
            return True
        packet = packet[4 + 4 * int.from_bytes(packet[2:4], "big"):]
    return False


class Relay:
    """Passes one publisher's connection on, and notes what passes and when: ANNOUNCE, the parameter set, the first keyframe if it
    comes inside the connection on channel 0, RTCP BYE, and the end. After RECORD it counts the bytes that are not media."""

    def __init__(self, server_port):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.server_port = server_port
        self.key = None
        self.announced_at = self.keyframe_at = self.goodbye_at = self.ended_at = None
        self.methods = []
        self.bytes_after_record = 0
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
            buffer += data
            interleaved(buffer, self.frame, self.text)
            server.sendall(data)
        self.ended_at = time.monotonic()
        server.shutdown(socket.SHUT_RDWR)

    @staticmethod
    def receive(end):
        try:
            # As the server does, because ffmpeg waits for the acknowledgement of the head of ANNOUNCE.
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
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
        method = message.split(b" ", 1)[0].decode(errors="replace")
        if "RECORD" in self.methods:
            self.bytes_after_record += len(message)
        self.methods.append(method)
        if method == "ANNOUNCE" and not self.announced_at:
            self.announced_at = time.monotonic()
        found = re.search(rb"sprop-parameter-sets=([^,;\s]+)", message)
        if found:
            self.key = base64.b64decode(found[1])

    def frame(self, channel, packet):
        if channel & 1:
            if has_goodbye(packet):
                self.goodbye_at = self.goodbye_at or time.monotonic()
        elif self.keyframe_at is None and channel == 0 and NALFinder.is_keyframe(packet[12:]):
            self.keyframe_at = time.monotonic()


class Wire:
    """A viewer that reads RTP packets, over TCP or UDP. It asks for the stream until there is one."""

    def __init__(self, port, frames, path="cam", seconds=15, transport="tcp"):
        self.frames, self.buffer, self.last = frames, bytearray(), {}
        self.is_tcp, self.ports = transport == "tcp", []
        self.problems = []
        # The parameter sets of the current frame, and when the first whole frame with each of them had come.
        self.sets, self.whole = [], {}
        # When a whole keyframe had come, and the longest time between two packets of video.
        self.keyframe_at, self.has_keyframe = None, False
        self.last_packet, self.longest_silence = None, 0.0
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.url, self.number = f"rtsp://127.0.0.1:{port}/{path}", 0
        end = time.monotonic() + seconds
        while not (description := self.request("DESCRIBE", self.url, end=end)):
            time.sleep(0.002)
        base = re.search(rb"(?i)content-base: *(\S+)", description)
        base = base[1].decode() if base else self.url + "/"
        media = description.split(b"\r\nm=")[1:]
        controls = [re.search(rb"a=control:(\S+)", medium)[1] for medium in media]
        self.video = 2 * next(index for index, medium in enumerate(media) if medium.startswith(b"video"))
        session = ""
        for index, control in enumerate(controls):
            control = control.decode()
            url = control if "://" in control else base.rstrip("/") + "/" + control
            answer = self.request("SETUP", url, f"Transport: {self.transport(index)}\r\n" + session)
            session = "Session: " + re.search(rb"(?i)session: *([^;\s]+)", answer)[1].decode() + "\r\n"
        self.session = session
        self.request("PLAY", self.url, session)
        self.begin()

    def begin(self):
        """Reads from now on. Subclasses that leave their socket to others have nothing to do."""
        threading.Thread(target=self.run, daemon=True).start()
        for index, (rtp, _) in enumerate(self.ports):
            threading.Thread(target=self.receive_datagrams, args=(2 * index, rtp), daemon=True).start()

    def transport(self, index):
        """The transport to ask for, for one track."""
        if self.is_tcp:
            return f"RTP/AVP/TCP;unicast;interleaved={2 * index}-{2 * index + 1}"
        while True:
            rtp, rtcp = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
            rtp.bind(("127.0.0.1", 0))
            port = rtp.getsockname()[1]
            try:
                rtcp.bind(("127.0.0.1", port + 1))
            except OSError:
                continue
            if port % 2 == 0:
                self.ports.append((rtp, rtcp))
                return f"RTP/AVP;unicast;client_port={port}-{port + 1}"

    def receive_datagrams(self, channel, rtp):
        while True:
            self.frame(channel, rtp.recv(65536))

    def send(self, method, url, headers=""):
        self.number += 1
        self.socket.sendall(f"{method} {url} RTSP/1.0\r\nCSeq: {self.number}\r\n{headers}\r\n".encode())

    def request(self, method, url, headers="", end=0.0):
        """The answer, or None if there is no such stream before `end`."""
        self.send(method, url, headers)
        answers = []
        while not answers:
            self.buffer += self.socket.recv(65536)
            interleaved(self.buffer, self.frame, answers.append)
        if b" 200 " in answers[0]:
            return answers[0]
        if time.monotonic() > end:
            raise SystemExit(f"{method}: {answers[0][:100]}")
        return None

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
            if has_goodbye(packet):
                self.problems.append("BYE")
            return
        number, stamp = int.from_bytes(packet[2:4], "big"), int.from_bytes(packet[4:8], "big")
        if channel in self.last:
            former_number, former_stamp, was_marked = self.last[channel]
            if (number - former_number) & 0xFFFF != 1:
                self.problems.append(f"sequence number {former_number} → {number}")
            step = (stamp - former_stamp) & 0xFFFFFFFF
            # The last packet of a frame of video is marked; each packet of audio has a time of its own.
            if step >= 1 << 31 or step == 0 and (was_marked or channel != self.video):
                self.problems.append(f"track {channel // 2}: timestamp {former_stamp} → {stamp}")
        self.last[channel] = (number, stamp, packet[1] >= 0x80)
        if channel == self.video:
            now = time.monotonic()
            if self.last_packet:
                self.longest_silence = max(self.longest_silence, now - self.last_packet)
            self.last_packet = now
            self.has_keyframe = self.has_keyframe or NALFinder.is_keyframe(packet[12:])
            if self.has_keyframe and packet[1] & 0x80:
                self.keyframe_at = self.keyframe_at or now
            sets = NALFinder.sets(packet[12:])
            for key in sets:
                self.frames.add(key)
            if not sets:
                self.frames.add(None)
            self.sets += sets
            if packet[1] & 0x80:
                for key in self.sets:
                    self.whole.setdefault(key, now)
                self.sets = []


class Session(Wire):
    """A viewer whose socket is read by others once the stream is played. What has been read too much is in its buffer."""

    def begin(self):
        pass


class Server:
    """Apus with a configuration."""

    def __init__(self, configuration, name="apus", has_http=False):
        self.port = free_port()
        self.log_file = os.path.join(folder, f"{name}.log")
        self.state = os.path.join(folder, f"{name}-state")
        path = os.path.join(folder, f"{name}.yml")
        with open(path, "w") as file:
            file.write(f"server: {{ port: {self.port} }}\ncontrol: {{ socket: '' }}\n{configuration}\n")
        arguments = ["--config", path] if has_http else ["--http-port", "0", "--config", path]
        self.process = start([os.environ["APUS_BINARY"], "serve", *arguments],
                             env=dict(os.environ, STATE_DIRECTORY=self.state), stderr=open(self.log_file, "wb"))
        if not wait(10, lambda: reachable(self.port)):
            raise SystemExit("the server did not start: " + self.log())

    def log(self):
        return open(self.log_file, errors="replace").read()

    def logged_at(self, text, count, seconds):
        """When the log had the text so often; None if not in time."""
        return time.monotonic() if wait(seconds, lambda: self.log().count(text) >= count) else None


def reachable(port):
    try:
        socket.create_connection(("127.0.0.1", port)).close()
        return True
    except OSError:
        return False


def is_bound(port):
    """Whether a socket of UDP has this port."""
    with open("/proc/net/udp") as table:
        return any(line.split()[1].endswith(f":{port:04X}") for line in table)


def is_ready(port):
    """Whether a server of HTTP says that its sources have started."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=1) as response:
            return response.status == 200
    except OSError:
        return False


def wait(seconds, condition):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.005)
    return False


def end_all():
    """Kills all processes, and removes their files unless APUS_KEEP_LOGS is set."""
    for process in processes:
        if process.poll() is None:
            process.kill()
    if os.environ.get("APUS_KEEP_LOGS"):
        print("logs: " + folder)
    else:
        shutil.rmtree(folder, ignore_errors=True)
