"""WHEP and WHIP for the stand-in of the server, by aiortc."""

import asyncio
import json
import re
import secrets
import struct
import time
from fractions import Fraction

import aioice.ice
import aiortc.rtcrtpsender
import av
from aiortc import MediaStreamTrack, RTCConfiguration, RTCPeerConnection, RTCSessionDescription
from aiortc.codecs import CODECS, HEADER_EXTENSIONS
from aiortc.mediastreams import AudioStreamTrack, MediaStreamError
from aiortc.rtcrtpparameters import RTCRtpHeaderExtensionParameters
from aiortc.rtp import HeaderExtensionsMap, pack_header_extensions, unpack_header_extensions

from recording import NTP_EPOCH, find

CAPTURE_TIME = "http://www.webrtc.org/experiments/rtp-hdrext/abs-capture-time"
# A port at which nothing answers: that of the protocol that discards what it gets.
DEAD_PORT = 9


class CaptureTimes(HeaderExtensionsMap):
    """Header extensions with the capture time, which aiortc does not know: frames are captured when they are sent, or earlier."""

    # Seconds from the capture to the sending of a frame.
    age = 0.0
    number = None

    def configure(self, parameters):
        super().configure(parameters)
        for extension in parameters.headerExtensions:
            if extension.uri == CAPTURE_TIME:
                self.number = extension.id

    def set(self, values):
        profile, value = super().set(values)
        if self.number is None:
            return profile, value
        captured = struct.pack(">Q", int((time.time() - self.age + NTP_EPOCH) * (1 << 32)))
        return pack_header_extensions([*unpack_header_extensions(profile, value), (self.number, captured)])


def prepare():
    """Restricts aiortc to what the server has: H.264, and the capture time."""
    h264 = {codec.payloadType for codec in CODECS["video"] if codec.mimeType == "video/H264"}
    CODECS["video"] = [codec for codec in CODECS["video"] if codec.payloadType in h264 or codec.parameters.get("apt") in h264]
    HEADER_EXTENSIONS["video"].append(RTCRtpHeaderExtensionParameters(id=4, uri=CAPTURE_TIME))
    aiortc.rtcrtpsender.rtp.HeaderExtensionsMap = CaptureTimes
    # The stand-in and the browser are on this host.
    aioice.ice.get_host_addresses = lambda use_ipv4, use_ipv6: ["127.0.0.1"]


prepare()


class VideoTrack(MediaStreamTrack):
    """The frames of a stream, from its last keyframe on. Those before the newest come at once."""

    kind = "video"

    def __init__(self, server, stream):
        super().__init__()
        self.server, self.stream = server, stream
        self.packets = asyncio.Queue()
        self.is_started = False
        self.parameter_sets = parameter_sets(stream.init)
        video = [fragment for fragment in stream.gop if fragment.track == 1]
        for index, fragment in enumerate(video):
            # Their times are compressed, as by the fast start of the server.
            self.put(fragment, video[-1].time - (len(video) - 1 - index) * 90)
        stream.clients.add(self)

    def fragment(self, fragment):
        if fragment.track == 1 and not self.server.is_cut:
            self.put(fragment, fragment.time)

    def put(self, fragment, ticks):
        self.is_started = self.is_started or fragment.is_key
        if self.is_started:
            packet = av.Packet(annex_b(fragment, self.parameter_sets))
            packet.pts, packet.time_base = ticks, Fraction(1, 90_000)
            self.packets.put_nowait(packet)

    async def recv(self):
        if self.readyState != "live":
            raise MediaStreamError
        return await self.packets.get()

    def stop(self):
        super().stop()
        self.stream.clients.discard(self)


def parameter_sets(init):
    """Those of an `avcC` box with one of each kind."""
    place = init.index(b"avcC") + 4 + 6
    length = struct.unpack_from(">H", init, place)[0]
    sequence = init[place + 2:place + 2 + length]
    place += 2 + length + 1
    length = struct.unpack_from(">H", init, place)[0]
    return [sequence, init[place + 2:place + 2 + length]]


def annex_b(fragment, sets):
    """A frame with start codes, a keyframe behind its parameter sets."""
    body = fragment.data[find(fragment.data, b"mdat"):]
    units, place = list(sets) if fragment.is_key else [], 0
    while place < len(body):
        length = struct.unpack_from(">I", body, place)[0]
        units.append(body[place + 4:place + 4 + length])
        place += 4 + length
    return b"".join(b"\x00\x00\x00\x01" + unit for unit in units)


class Session:
    """A session of one client, and why it has ended."""

    def __init__(self, path, kind, connection):
        self.path, self.kind, self.connection = path, kind, connection
        self.tracks = []
        # What the client learns when it asks: a status and a detail.
        self.ending = None
        # Frames that a publisher has sent, and the size of the last.
        self.frame_count, self.size = 0, None


class WebRTC:
    """The sessions of a stand-in. Its attributes are changed by tests."""

    def __init__(self, server):
        self.server = server
        # "absent" (404 as by a server without WebRTC), "working", "blocked" (no packet comes through) or "silent" (no media).
        self.state = "absent"
        # A status, a detail and further headers with which offers are refused.
        self.refusal = None
        self.has_audio = True
        # Seconds after which offers are answered.
        self.answer_delay = 0
        # Further headers of answers.
        self.headers = ""
        self.sessions = {}

    @property
    def living(self):
        return [session for session in self.sessions.values() if session.ending is None]

    async def answer(self, method, path, headers, body):
        """The response to a request, or None if it is none of WebRTC."""
        match = re.fullmatch(r"(.*)/(whep|whip)(?:/(\w+))?", path)
        if not match or self.state == "absent":
            return None
        path, kind, name = match[1], match[2], match[3]
        if name is None:
            return await self.post(path, kind, headers, body)
        session = self.sessions.get(name)
        if session is None:
            return problem(404, "there is no such session")
        if method == "DELETE":
            del self.sessions[name]
            await session.connection.close()
            return 200, "text/plain", b"", ""
        return problem(*session.ending) if session.ending else (204, "text/plain", b"", "")

    async def post(self, path, kind, headers, body):
        if headers["content-type"] != "application/sdp":
            return problem(415, "an offer is application/sdp")
        await asyncio.sleep(self.answer_delay)
        if self.refusal:
            return problem(*self.refusal)
        stream = self.server.streams.get(path)
        if stream is None:
            return problem(404, "there is no such stream")
        connection = RTCPeerConnection(RTCConfiguration(iceServers=[]))
        session = Session(path, kind, connection)
        name = secrets.token_hex(8)
        self.sessions[name] = session
        connection.on("track", lambda track: asyncio.ensure_future(receive(session, track)))
        await connection.setRemoteDescription(RTCSessionDescription(body.decode(), "offer"))
        if kind == "whep":
            offered = {transceiver.kind for transceiver in connection.getTransceivers()}
            if "video" in offered and stream.video and self.state != "silent":
                session.tracks.append(VideoTrack(self.server, stream))
            elif "video" in offered and stream.video:
                session.tracks.append(SilentTrack())
            if "audio" in offered and stream.audio and self.has_audio:
                session.tracks.append(AudioStreamTrack())
            if not session.tracks:
                del self.sessions[name]
                await connection.close()
                return problem(406, "the stream has none of the offered tracks")
            for track in session.tracks:
                connection.addTrack(track)
        await connection.setLocalDescription(await connection.createAnswer())
        sdp = connection.localDescription.sdp
        if self.state == "blocked":
            sdp = re.sub(r"(?m)^(a=candidate:\S+ 1 udp \d+ \S+) \d+ ", rf"\1 {DEAD_PORT} ", sdp)
        return 201, "application/sdp", sdp.encode(), f'Location: {path}/{kind}/{name}\r\nETag: "{name}"\r\n{self.headers}'

    def end(self, status, detail):
        """Ends all sessions, as an operator or a removed stream does."""
        async def close():
            for session in self.living:
                session.ending = (status, detail)
                await session.connection.close()
        asyncio.run_coroutine_threadsafe(close(), self.server.loop).result()


    def close_connections(self):
        """Ends the connections of all sessions, which exist all the same."""
        asyncio.run_coroutine_threadsafe(self.stop(), self.server.loop).result()

    async def stop(self):
        await asyncio.gather(*(session.connection.close() for session in self.sessions.values()))


class SilentTrack(MediaStreamTrack):
    """A track without frames."""

    kind = "video"

    async def recv(self):
        await asyncio.Future()


async def receive(session, track):
    """Decodes what a publisher sends."""
    try:
        while True:
            frame = await track.recv()
            if track.kind == "video":
                session.frame_count += 1
                session.size = (frame.width, frame.height)
    except MediaStreamError:
        pass


def problem(status, detail, more=""):
    return status, "application/problem+json", json.dumps({"title": "Refused", "status": status, "detail": detail}).encode(), more
