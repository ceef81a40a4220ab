"""A stand-in of the HTTP server, for the page's tests until the server itself has these routes.

It serves the files of the page, real fragments made by ffmpeg, and the messages and requests of docs/http-websocket.md."""

import asyncio
import base64
import hashlib
import json
import struct
import threading
import time
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from recording import boxes, recording, snapshot
from webrtc_peer import WebRTC

FILES = Path(__file__).resolve().parents[2] / "Sources/CPage/Files"
TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
POLICY = (
    "default-src 'self'; media-src 'self' blob:; img-src 'self' blob: data:; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
PRELUDE_SECONDS = 0.12


class Stream:
    """A path with a test picture and a tone."""

    def __init__(self, path, width=640, height=360, rate=30, audio=False, title=None, parent=None, color=None,
                 state="running", reason=None, video=True):
        self.path, self.width, self.height, self.rate = path, width, height, rate
        self.audio, self.video, self.title, self.parent = audio, video, title, parent
        self.condition_state, self.reason = state, reason
        self.since = time.time()
        self.source = color or f"testsrc2=size={width}x{height}:rate={rate}"
        self.gop = []
        self.clients = set()
        self.byte_count = self.picture_count = 0
        self.rates = []
        self.task = None
        self.recording = recording(self.source if video else None, rate, audio) if state == "running" else None

    @property
    def init(self):
        return self.recording.init

    def run(self, loop):
        if self.recording:
            self.task = loop.create_task(self.recording.play(self.received))

    def received(self, fragment):
        if fragment.track == 1:
            self.picture_count += 1
        self.byte_count += len(fragment.data)
        self.rates.append((time.time(), len(fragment.data)))
        while self.rates[0][0] < time.time() - 1:
            self.rates.pop(0)
        if fragment.track == 1 and fragment.is_key and self.video:
            self.gop = []
        self.gop.append(fragment)
        for client in list(self.clients):
            client.fragment(fragment)

    def stop(self):
        if self.task:
            self.task.cancel()

    def tracks(self):
        result = []
        if self.video:
            result.append({"kind": "video", "codec": "H.264", "width": self.width, "height": self.height, "frameRate": self.rate})
        if self.audio:
            result.append({"kind": "audio", "codec": "AAC", "sampleRate": 48000, "channels": 1})
        return result

    def content_type(self, tracks):
        codecs = [{"video": "avc1.42C01F", "audio": "mp4a.40.2"}[kind] for kind in tracks]
        return f'{"video" if "video" in tracks else "audio"}/mp4; codecs="{", ".join(codecs)}"'

    def line(self, server):
        seconds = time.time() - self.since
        failing = self.condition_state == "failing"
        stage = lambda scale: {"count": self.picture_count, "p50": 2.1 * scale, "p95": 3.0 * scale, "p99": 3.6 * scale,
                               "max": 9.1 * scale}
        return {
            "path": self.path, "title": self.title,
            "condition": {"state": self.condition_state, "since": "2026-11-21T09:08:07.006Z", "seconds": seconds,
                          "reason": self.reason, "nextTry": "2026-11-21T09:08:11.006Z" if failing else None,
                          "secondsToNextTry": 4.0 if failing else None},
            "substreamOf": self.parent, "tracks": [] if failing else self.tracks(), "contentType": None,
            "bitrate": sum(size for _, size in self.rates) * 8, "viewers": len(self.clients),
            "rights": server.rights, "pictures": self.picture_count, "bytes": self.byte_count,
            "source": "test card", "restarts": 2 if failing else 0, "lastFailure": self.reason, "lastFailureAt": None,
            "skipped": 0, "averageQuantizer": 23.4,
            "stages": {"capture": stage(0.1), "encoding": stage(1), "packaging": stage(0.02), "waiting": stage(0.05),
                       "sending": stage(0.04), "whole": stage(1.2)},
            "input": None, "forwards": [],
        }


class Socket:
    """A WebSocket of a client, perhaps with the media of a stream."""

    def __init__(self, server, stream, tracks, writer, peer):
        self.server, self.stream, self.tracks, self.writer, self.peer = server, stream, tracks, writer, peer
        self.id = f"v{next(server.ids)}"
        self.topics = set()
        self.about = None
        self.origin = self.base = None
        self.is_started = self.is_closed = False
        self.began = time.time()

    def frame(self, opcode, payload):
        if self.server.is_cut or self.is_closed:
            return
        size = len(payload)
        head = bytes([0x80 | opcode])
        head += bytes([size]) if size < 126 else (
            bytes([126]) + struct.pack(">H", size) if size < 65536 else bytes([127]) + struct.pack(">Q", size))
        if not self.writer.is_closing():
            self.writer.write(head + payload)

    def send(self, **message):
        self.frame(1, json.dumps(message).encode())

    def close(self, code, reason=""):
        """The connection ends with the client's own close frame. If it ended here, a ping that is still unread would reset it, and the
        client might lose the reason."""
        self.frame(8, struct.pack(">H", code) + reason.encode())
        self.is_closed = True

    def opened(self):
        self.send(type="hello", viewer=self.id if self.stream else None, **self.server.session())
        if self.stream:
            self.send(type="stream", stream=self.stream.line(self.server))
            self.stream.clients.add(self)
            self.prelude()

    def kinds(self):
        return [kind for kind in ("video", "audio") if getattr(self.stream, kind) and kind in self.tracks]

    def wants(self, fragment):
        kinds = [kind for kind in ("video", "audio") if getattr(self.stream, kind)]
        return kinds[fragment.track - 1] in self.tracks

    def prelude(self):
        """The frames since the last keyframe, with times compressed into 120 ms."""
        wanted = [fragment for fragment in self.stream.gop if self.wants(fragment)]
        video = [fragment for fragment in wanted if fragment.track == 1]
        if not wanted or not video:
            return
        self.start(video)

    def start(self, video):
        self.is_started = True
        self.send(type="init", generation=1, contentType=self.stream.content_type(self.kinds()), tracks=self.kinds())
        self.frame(2, self.server.selected(self.stream, self.kinds()))
        scale = 90000 if self.stream.video else 48000
        end = video[-1].time / scale
        # The times of a client continue behind another init segment.
        former = self.base if self.base is not None else 0
        self.origin = end - (PRELUDE_SECONDS if len(video) > 1 else 0) - former
        for index, fragment in enumerate(video):
            begin = self.origin + former + PRELUDE_SECONDS * index / max(1, len(video) - 1) if len(video) > 1 else end
            moved = fragment.time - round((begin - self.origin) * scale)
            self.frame(2, fragment.rewritten(moved))

    def fragment(self, fragment):
        if self.server.is_cut or not self.wants(fragment):
            return
        if not self.is_started:
            if fragment.track == 1:
                self.start([fragment])
            return
        scale = 90000 if fragment.track == 1 and self.stream.video else 48000
        ticks = round(self.origin * scale)
        self.base = max(self.base or 0, (fragment.time - ticks) / scale + 0.05)
        if fragment.time >= ticks:
            self.frame(2, fragment.rewritten(ticks))

    def received(self, message):
        if message["type"] == "ping":
            self.send(type="pong", id=message["id"], time=time.time() * 1000)
        elif message["type"] == "subscribe":
            topic = message["topic"]
            self.topics.add(topic)
            if topic == "streams":
                self.send(type="streams", isComplete=True, streams=self.server.lines(), removed=[])
            elif topic == "viewers":
                self.about = message["path"]
                self.send(type="viewers", path=message["path"], viewers=self.server.viewers(message["path"]))


class StandIn:
    """The server, on its own thread. Its methods can be called from the test's thread."""

    def __init__(self, streams, rights=("read",), sign_in=None, user=None, host="127.0.0.1"):
        self.streams = {stream.path: stream for stream in streams}
        # How many requests for images are refused before they are answered.
        self.refused_snapshots = 0
        self.rights, self.sign_in, self.user, self.host = list(rights), sign_in, user, host
        self.blocks_sockets = self.is_cut = False
        self.webrtc = WebRTC(self)
        self.requests = []
        self.sockets = set()
        self.ids = iter(range(1, 1 << 30))
        self.settings = json.loads(SETTINGS)
        self.log = [{"number": index, "time": time.time() * 1000 + index, "level": level, "text": text} for index, (level, text) in enumerate([
            ("notice", "/cam: the source is running"), ("warning", "192.0.2.7: wrong password for user ann"),
            ("info", "192.0.2.9:51514 plays /cam over TCP"), ("error", "/yard: no camera at /dev/video2; next try in 4 s")], 1)]
        self.loop = asyncio.new_event_loop()
        self.port = None
        ready = threading.Event()
        self.thread = threading.Thread(target=self.serve, args=(ready,), daemon=True)
        self.thread.start()
        ready.wait()

    @property
    def url(self):
        return f"http://{self.host}:{self.port}"

    def serve(self, ready):
        asyncio.set_event_loop(self.loop)
        self.loop.run_until_complete(self.begin(ready))
        self.loop.run_forever()

    async def begin(self, ready):
        self.listener = await asyncio.start_server(self.connection, self.host, 0)
        self.port = self.listener.sockets[0].getsockname()[1]
        for stream in self.streams.values():
            stream.run(self.loop)
        self.loop.create_task(self.tell())
        ready.set()

    async def tell(self):
        while True:
            await asyncio.sleep(0.5)
            if not self.is_cut:
                self.publish()

    def publish(self):
        for socket in list(self.sockets):
            if "streams" in socket.topics:
                socket.send(type="streams", isComplete=False, streams=self.lines(), removed=[])
            if socket.stream and socket.stream.path in self.streams:
                socket.send(type="stream", stream=socket.stream.line(self))
            if "viewers" in socket.topics and socket.about in self.streams:
                socket.send(type="viewers", path=socket.about, viewers=self.viewers(socket.about))

    def call(self, action):
        """Runs an action on the server's thread, and waits for it."""
        done = threading.Event()
        self.loop.call_soon_threadsafe(lambda: (action(), done.set()))
        done.wait()

    def add(self, stream):
        def action():
            self.streams[stream.path] = stream
            stream.run(self.loop)
            for socket in self.sockets:
                if "streams" in socket.topics:
                    socket.send(type="streams", isComplete=False, streams=[stream.line(self)], removed=[])
        self.call(action)

    def remove(self, path):
        def action():
            stream = self.streams.pop(path)
            stream.stop()
            for socket in list(self.sockets):
                if "streams" in socket.topics:
                    socket.send(type="streams", isComplete=False, streams=[], removed=[path])
                if socket.stream is stream:
                    socket.close(4004, "the stream was removed")
        self.call(action)

    def change(self, path, state, reason=None):
        def action():
            stream = self.streams[path]
            stream.condition_state, stream.reason, stream.since = state, reason, time.time()
            self.publish()
        self.call(action)

    def replace(self, path, stream):
        """The publisher returns with another size: clients stay connected, and get another init segment."""
        def action():
            former = self.streams[path]
            former.stop()
            self.streams[path] = stream
            stream.clients = former.clients
            for socket in stream.clients:
                socket.stream, socket.is_started = stream, False
            stream.run(self.loop)
        self.call(action)

    def cut(self):
        """From now on nothing is sent, and what is received gets no answer, as if the network were cut."""
        self.is_cut = True

    def mend(self):
        self.is_cut = False

    def wait_until(self, condition, seconds=10):
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, "it did not happen"
            time.sleep(0.02)

    def event(self, text):
        self.call(lambda: [socket.send(type="event", event={"time": time.time() * 1000, "kind": "test", "path": None, "text": text})
                           for socket in self.sockets if "events" in socket.topics])

    def close_sockets(self, code, reason=""):
        self.call(lambda: [socket.close(code, reason) for socket in list(self.sockets) if socket.stream])

    def stop(self):
        async def end():
            self.listener.close()
            await self.webrtc.stop()
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self.loop.stop()
        self.loop.call_soon_threadsafe(lambda: self.loop.create_task(end()))
        self.thread.join()
        self.loop.close()

    def session(self):
        return {"server": {"version": "0.2.0", "time": time.time() * 1000,
                           "ports": {"rtsp": 8554, "rtsps": 8322, "http": self.port, "https": None,
                                     "webrtc": None if self.webrtc.state == "absent" else 8189}},
                "client": {"user": self.user, "rights": [right for right in self.rights if right == "status"],
                           "signIn": self.sign_in}}

    def lines(self):
        return [stream.line(self) for stream in self.streams.values()]

    def viewers(self, path):
        lines = [{"id": socket.id, "path": path, "peer": socket.peer, "user": self.user, "client": "Chromium 156", "transport": "WebSocket",
                  "playing": time.time() - socket.began, "backlog": 0.0, "unreadBytes": 0, "droppedUnits": 0}
                 for socket in self.sockets if socket.stream and socket.stream.path == path]
        return lines + [{"id": "v901", "path": path, "peer": "192.0.2.7:51514", "user": "ann", "client": "VLC 3.0.21", "transport": "TCP",
                         "playing": 4061.4, "backlog": 12.0, "unreadBytes": 4096, "droppedUnits": 3}]

    def selected(self, stream, kinds):
        """The init segment with the chosen tracks alone."""
        all_kinds = [kind for kind in ("video", "audio") if getattr(stream, kind)]
        if kinds == all_kinds:
            return stream.init
        result = b""
        for kind, box in boxes(stream.init):
            if kind == b"moov":
                body, number = b"", 0
                for inner, data in boxes(box[8:]):
                    if inner == b"trak":
                        number += 1
                        if all_kinds[number - 1] not in kinds:
                            continue
                    if inner == b"mvex":
                        data = b"".join(item for name, item in boxes(data[8:])
                                        if name != b"trex" or all_kinds[struct.unpack_from(">I", item, 12)[0] - 1] in kinds)
                        data = struct.pack(">I4s", len(data) + 8, b"mvex") + data
                    body += data
                box = struct.pack(">I4s", len(body) + 8, b"moov") + body
            result += box
        return result

    async def connection(self, reader, writer):
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin1")
                lines = head.split("\r\n")
                method, target, _ = lines[0].split(" ")
                headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:] if line)}
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                if self.is_cut:
                    await asyncio.sleep(3600)
                url = urlsplit(target)
                path, query = unquote(url.path), {key: values[0] for key, values in parse_qs(url.query).items()}
                self.requests.append((method, path, query, body))
                if "upgrade" in headers:
                    await self.socket(reader, writer, path, query, headers)
                    return
                if path.endswith("/index.mp4"):
                    await self.file(writer, path[:-len("/index.mp4")], query)
                    return
                status, kind, content, more = await self.answer(method, path, query, body, headers)
                writer.write((f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {len(content)}\r\n"
                              f"Content-Security-Policy: {POLICY}\r\nReferrer-Policy: no-referrer\r\n"
                              f"Cache-Control: no-cache\r\n{more}\r\n").encode() + content)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.LimitOverrunError):
            pass
        finally:
            writer.close()

    async def answer(self, method, path, query, body, headers):
        as_json = lambda value, status=200: (status, "application/json", json.dumps(value).encode(), "")
        problem = lambda status, text: (status, "application/problem+json", json.dumps({"title": text}).encode(), "")
        response = await self.webrtc.answer(method, path, headers, body)
        if response:
            return response
        if method == "POST" and path.endswith(("/whep", "/whip")):
            return problem(404, "there is nothing at this path")
        if path == "/healthz":
            return 200, "text/plain", b"ok\n", ""
        if path.startswith("/page/"):
            file = FILES / path[6:]
            if not file.is_file():
                return problem(404, "no such file")
            return 200, TYPES[file.suffix], file.read_bytes(), ""
        if path == "/" or path.endswith("/"):
            name = "index.html" if path == "/" and "player" not in query else "player.html"
            return 200, TYPES[".html"], (FILES / name).read_bytes(), ""
        if path.endswith(".jpg"):
            stream = self.streams.get(path[:-4])
            if not stream or not stream.video or stream.condition_state != "running":
                return problem(404, "no such stream")
            if self.refused_snapshots > 0:
                self.refused_snapshots -= 1
                return problem(503, "two other images are being made")
            image = await asyncio.to_thread(snapshot, stream.source, min(int(query.get("width", stream.width)), stream.width))
            return 200, "image/jpeg", image, f"Capture-Time: {time.time() * 1000}\r\n"
        name = path.removeprefix("/api/v1/")
        if name == "session":
            if method == "POST":
                return as_json(None, 204) if json.loads(body)["password"] == "sesame" else problem(401, "wrong password")
            return as_json(self.session())
        if not self.rights:
            return problem(401, "sign in to watch")
        if name == "streams":
            if "path" in query:
                stream = self.streams.get(query["path"])
                if not stream:
                    return problem(404, "no such stream")
                return as_json({"time": time.time() * 1000, "streams": [stream.line(self)]})
            return as_json({"time": time.time() * 1000, "streams": self.lines()})
        if name == "settings":
            if method == "PATCH":
                changes = json.loads(body)
                for setting in self.settings:
                    if setting["key"] not in changes:
                        continue
                    value = changes[setting["key"]]
                    if setting["key"] == "video.bitrate" and value is not None and value > 9_000_000:
                        return problem(422, "video.bitrate: the encoder does not accept more than 9 Mbit/s")
                    setting["origin"] = "file" if value is None else "settings"
                    value = setting["configured"] if value is None else value
                    if setting["type"] == "map":
                        for control in setting["controls"]:
                            control["value"] = value.get(control["name"], control["usual"] if not value else control["value"])
                        value = {**setting["value"], **value} if value else value
                    setting["value"] = value
                lines = [f"{key}: changed; viewers stay connected" for key in changes]
                return as_json({"lines": lines, "settings": self.settings})
            return as_json({"settings": self.settings})
        if name == "log":
            return as_json({"lines": [line for line in self.log if line["number"] > int(query["after"])]})
        if name == "latency":
            bounds = [0.5, 1, 2, 5, 10, 20, 50]
            return as_json({"stages": {stage: {"count": 1000, "sum": 3000.0, "bounds": bounds, "counts": counts} for stage, counts in {
                "capture": [950, 40, 10, 0, 0, 0, 0, 0], "encoding": [0, 20, 500, 430, 45, 4, 1, 0], "packaging": [1000, 0, 0, 0, 0, 0, 0, 0],
                "waiting": [990, 8, 2, 0, 0, 0, 0, 0], "sending": [995, 5, 0, 0, 0, 0, 0, 0], "whole": [0, 5, 420, 500, 60, 12, 2, 1]}.items()}})
        if name in ("sources/keyframe", "sources/restart"):
            return as_json(None, 202)
        if name.startswith("viewers/"):
            identifier = name.removeprefix("viewers/")
            for socket in list(self.sockets):
                if socket.id == identifier:
                    socket.close(4000, "an operator has disconnected you")
            return as_json(None, 204)
        return problem(404, "no such request")

    async def file(self, writer, path, query):
        stream = self.streams[path]
        tracks = [kind for kind in ("video", "audio") if query.get(kind) != "0"]
        socket = Socket(self, stream, tracks, writer, "file")
        writer.write((f"HTTP/1.1 200 OK\r\nContent-Type: {stream.content_type(socket.kinds())}\r\n"
                      f"Transfer-Encoding: chunked\r\nCache-Control: no-store\r\n\r\n").encode())

        def chunk(opcode, payload):
            # Pieces of any size, which do not end where a fragment ends.
            if opcode == 2 and not writer.is_closing():
                for begin in range(0, len(payload), 1000):
                    piece = payload[begin:begin + 1000]
                    writer.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        socket.frame = chunk
        stream.clients.add(socket)
        socket.prelude()
        try:
            await writer.wait_closed()
        except ConnectionError:
            pass
        finally:
            stream.clients.discard(socket)

    async def socket(self, reader, writer, path, query, headers):
        stream = None
        if path != "/api/v1/ws":
            stream = self.streams.get(path.removesuffix("/ws"))
        if self.blocks_sockets or not self.rights or (path != "/api/v1/ws" and not stream):
            writer.write(b"HTTP/1.1 403 X\r\nContent-Length: 0\r\n\r\n")
            return
        key = headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
        writer.write(f"HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n".encode())
        tracks = [kind for kind in ("video", "audio") if query.get(kind) != "0"]
        peer = "%s:%d" % writer.get_extra_info("peername")
        socket = Socket(self, stream, tracks, writer, peer)
        self.sockets.add(socket)
        socket.opened()
        try:
            while True:
                first, second = await reader.readexactly(2)
                size = second & 0x7F
                if size == 126:
                    size = struct.unpack(">H", await reader.readexactly(2))[0]
                mask = await reader.readexactly(4)
                payload = bytes(byte ^ mask[index % 4] for index, byte in enumerate(await reader.readexactly(size)))
                if first & 0xF == 8:
                    socket.close(1000)
                    return
                if first & 0xF == 1 and not self.is_cut:
                    socket.received(json.loads(payload))
        finally:
            self.sockets.discard(socket)
            if stream:
                stream.clients.discard(socket)


SETTINGS = """[
{"key":"title","value":"The yard","origin":"file","configured":"The yard","type":"text","maximumBytes":200,"reason":"The name of the stream for viewers.","effect":"Changes take effect for new viewers."},
{"key":"video.width","value":640,"origin":"default","configured":640,"type":"integer","minimum":16,"maximum":8192,"unit":"pixels, even","reason":"Width of the test card; a camera uses the nearest that it has.","effect":"Changes take effect in the running source."},
{"key":"video.frameRate","value":30,"origin":"default","configured":30,"type":"integer","minimum":1,"maximum":240,"unit":"frames per second","reason":"Frame rate of the test card; a camera uses the nearest that it has.","effect":"Changes take effect in the running source."},
{"key":"video.bitrate","value":2000000,"origin":"file","configured":2000000,"type":"integer","minimum":10000,"maximum":200000000,"unit":"bits per second","reason":"Target, kept within a window of two frames so that no frame waits for the network.","effect":"Changes take effect in the running source."},
{"key":"video.gopMilliseconds","value":4000,"origin":"settings","configured":2000,"type":"integer","minimum":100,"maximum":60000,"unit":"milliseconds","reason":"Time from one keyframe to the next.","effect":"Changes take effect in the running source."},
{"key":"camera.controls","value":{"brightness":"140"},"origin":"settings","configured":{},"type":"map","maximumCount":64,"controls":[{"name":"brightness","type":"integer","minimum":0,"maximum":255,"step":1,"usual":128,"value":140},{"name":"contrast","type":"integer","minimum":0,"maximum":255,"step":1,"usual":128,"value":128},{"name":"power_line_frequency","type":"choice","choices":["Disabled","50 Hz","60 Hz"],"usual":"50 Hz","value":"50 Hz"},{"name":"auto_white_balance","type":"boolean","usual":true,"value":true}],"reason":"Values of the camera's controls. Other controls are not changed.","effect":"Changes take effect in the running source."},
{"key":"effects.privacyMasks","value":[["0%","0%","20%","30%"]],"origin":"file","configured":[["0%","0%","20%","30%"]],"type":"rectangles","maximumCount":16,"reason":"Rectangles that are painted black before all other effects.","effect":"Changes take effect in the running source."},
{"key":"effects.rotate","value":"0","origin":"default","configured":"0","type":"choice","choices":["0","90","180","270"],"reason":"Rotates the frame; 90 and 270 swap width and height.","effect":"Changes take effect in the running source."},
{"key":"effects.mirror","value":false,"origin":"default","configured":false,"type":"boolean","reason":"Whether left and right are swapped, after the rotation.","effect":"Changes take effect in the running source."},
{"key":"effects.blur","value":0,"origin":"default","configured":0,"type":"integer","minimum":0,"maximum":100,"unit":"thousandths of the frame's shorter side","reason":"Radius of the blur; 0 for none.","effect":"Changes take effect in the running source."},
{"key":"effects.overlay","value":"clock","origin":"file","configured":"clock","type":"choice","choices":["none","clock","title","both","machineTimestamp"],"reason":"What is drawn into the frame.","effect":"Changes take effect in the running source."}
]"""
