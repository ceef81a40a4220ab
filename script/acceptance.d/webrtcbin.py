"""Plays a stream by WHEP with GStreamer's webrtcbin. Usage: webrtcbin.py URL FRAMES LATENCY

Prints one line of JSON: the milliseconds from POST to the first decoded frame, and the frames that were decoded in the time that so many
frames take at 30 a second, and 10 s. LATENCY is that of webrtcbin's jitter buffer, in milliseconds.
"""
import json
import sys
import time
import urllib.parse
import urllib.request

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstSdp", "1.0")
gi.require_version("GstWebRTC", "1.0")
from gi.repository import GLib, Gst, GstSdp, GstWebRTC

CAPS = "application/x-rtp,media=video,encoding-name=H264,clock-rate=90000,payload=96,packetization-mode=(string)1"


class Player:
    def __init__(self, url, frame_count, latency):
        self.url, self.frame_count = url, frame_count
        self.posted_at = self.first = self.session = None
        self.frames = 0
        self.loop = GLib.MainLoop()
        self.pipeline = Gst.Pipeline()
        self.webrtc = Gst.ElementFactory.make("webrtcbin")
        self.webrtc.set_property("bundle-policy", GstWebRTC.WebRTCBundlePolicy.MAX_BUNDLE)
        self.webrtc.set_property("latency", latency)
        self.pipeline.add(self.webrtc)
        self.webrtc.connect("pad-added", self.pad_added)
        self.webrtc.emit("add-transceiver", GstWebRTC.WebRTCRTPTransceiverDirection.RECVONLY, Gst.Caps.from_string(CAPS))

    def play(self):
        self.pipeline.set_state(Gst.State.PLAYING)
        self.webrtc.emit("create-offer", None, Gst.Promise.new_with_change_func(self.offer_created))
        GLib.timeout_add(int(1_000 * self.frame_count / 30) + 10_000, self.loop.quit)
        self.loop.run()
        if self.session:
            urllib.request.urlopen(urllib.request.Request(self.session, method="DELETE"), timeout=5).close()
        self.pipeline.set_state(Gst.State.NULL)
        return {"first": self.first and 1_000 * (self.first - self.posted_at), "frames": self.frames}

    def offer_created(self, promise):
        # The reply owns the offer.
        reply = promise.get_reply()
        offer = reply.get_value("offer")
        text = offer.sdp.as_text()
        # The answer has all of the server's candidates, so the offer needs none.
        self.webrtc.emit("set-local-description", offer, Gst.Promise.new())
        self.posted_at = time.monotonic()
        request = urllib.request.Request(self.url, text.encode(), {"Content-Type": "application/sdp"}, method="POST")
        with urllib.request.urlopen(request, timeout=10) as response:
            self.session = urllib.parse.urljoin(self.url, response.headers["Location"])
            _, answer = GstSdp.SDPMessage.new_from_text(response.read().decode())
        answer = GstWebRTC.WebRTCSessionDescription.new(GstWebRTC.WebRTCSDPType.ANSWER, answer)
        self.webrtc.emit("set-remote-description", answer, Gst.Promise.new())

    def pad_added(self, _, pad):
        if pad.get_direction() != Gst.PadDirection.SRC:
            return
        decoder = Gst.parse_bin_from_description(
            "rtph264depay ! h264parse ! avdec_h264 max-threads=1 ! fakesink name=sink signal-handoffs=true sync=false", True)
        decoder.get_by_name("sink").connect("handoff", self.decoded)
        self.pipeline.add(decoder)
        decoder.sync_state_with_parent()
        pad.link(decoder.get_static_pad("sink"))

    def decoded(self, *_):
        self.frames += 1
        self.first = self.first or time.monotonic()
        if self.frames == self.frame_count:
            self.loop.quit()


Gst.init(None)
print(json.dumps(Player(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])).play()))
