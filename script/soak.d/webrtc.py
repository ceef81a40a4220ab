"""Viewers and publishers over WebRTC, by aiortc, for script/soak and script/acceptance.

  webrtc.py join URL COUNT              viewers, one after the other: each must decode two seconds of video. They leave in three ways: by DELETE, by
                                        closing their connection, and (the last one) without a word
  webrtc.py watch URL SECONDS           one viewer; prints one line of JSON: frames, packets lost, the longest pause between frames in seconds,
                                        and milliseconds from POST to the first frame
  webrtc.py publish URL USER PASSWORD SECONDS   a publisher of H.264
"""
import asyncio
import json
import os
import sys
import time
import urllib.parse
import urllib.request

from aiortc import RTCPeerConnection, RTCRtpReceiver, RTCRtpSender, RTCSessionDescription, VideoStreamTrack
from aiortc.mediastreams import MediaStreamError

FRAMES = 60
# From POST to the last of these frames, on a busy machine.
PATIENCE = 30


class Session:
    """A session over WHEP or WHIP."""

    def __init__(self, url, opener=urllib.request.build_opener()):
        self.url, self.opener = url, opener
        self.connection = RTCPeerConnection()
        self.resource = self.posted_at = None

    def request(self, method, url, body=None):
        headers = {"Content-Type": "application/sdp"} if body else {}
        request = urllib.request.Request(url, body, headers, method=method)
        with self.opener.open(request, timeout=PATIENCE) as response:
            return response.headers, response.read().decode()

    async def open(self):
        await self.connection.setLocalDescription(await self.connection.createOffer())
        offer = self.connection.localDescription.sdp.encode()
        self.posted_at = time.monotonic()
        headers, answer = await asyncio.to_thread(self.request, "POST", self.url, offer)
        self.resource = urllib.parse.urljoin(self.url, headers["Location"])
        await self.connection.setRemoteDescription(RTCSessionDescription(answer, "answer"))

    async def delete(self):
        await asyncio.to_thread(self.request, "DELETE", self.resource)


def use_h264(transceiver, capabilities):
    transceiver.setCodecPreferences([codec for codec in capabilities("video").codecs if codec.mimeType == "video/H264"])


async def viewer(url):
    session = Session(url)
    transceiver = session.connection.addTransceiver("video", direction="recvonly")
    use_h264(transceiver, RTCRtpReceiver.getCapabilities)
    await session.open()
    return session, transceiver.receiver.track


async def join(url, count):
    for number in range(count):
        session, track = await viewer(url)
        async with asyncio.timeout(PATIENCE):
            for _ in range(FRAMES):
                await track.recv()
        if number == count - 1:
            # The connection and its keys vanish with the process.
            os._exit(0)
        if number % 2 == 0:
            await session.delete()
        await session.connection.close()


async def watch(url, seconds):
    session, track = await viewer(url)
    end = time.monotonic() + seconds
    frames, pause, first, last = 0, 0.0, None, None
    try:
        while (now := time.monotonic()) < end:
            async with asyncio.timeout(PATIENCE):
                await track.recv()
            first = first or round(1000 * (time.monotonic() - session.posted_at))
            pause, last = max(pause, time.monotonic() - (last or now)), time.monotonic()
            frames += 1
    except (MediaStreamError, TimeoutError):
        # The figures tell it.
        pass
    reports = (await session.connection.getStats()).values()
    lost = sum(report.packetsLost for report in reports if report.type == "inbound-rtp")
    print(json.dumps({"frames": frames, "lost": lost, "longestPause": round(pause, 3), "first": first}))
    await session.delete()
    await session.connection.close()


async def publish(url, user, password, seconds):
    passwords = urllib.request.HTTPPasswordMgrWithDefaultRealm()
    passwords.add_password(None, url, user, password)
    session = Session(url, urllib.request.build_opener(urllib.request.HTTPDigestAuthHandler(passwords)))
    transceiver = session.connection.addTransceiver(VideoStreamTrack(), direction="sendonly")
    use_h264(transceiver, RTCRtpSender.getCapabilities)
    await session.open()
    await asyncio.sleep(seconds)
    await session.delete()
    await session.connection.close()


role, url, *rest = sys.argv[1:]
if role == "publish":
    user, password, seconds = rest
    asyncio.run(publish(url, user, password, int(seconds)))
else:
    asyncio.run({"join": join, "watch": watch}[role](url, int(rest[0])))
