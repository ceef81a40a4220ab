#!/usr/bin/python3
"""gst-rtsp-server that receives streams (RECORD) at /in/0, /in/1, … and serves each at /out/0, /out/1, …: gstreamer_server.py PORT COUNT.

A path of gst-rtsp-server either receives or serves. So a stream crosses two pipelines, which `proxysink` and `proxysrc` connect, elements
of GStreamer in C: no Python runs per frame. Needs Debian's Python for the bindings.
"""

import resource
import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer  # noqa: E402

RECEIVE = "( rtph264depay name=depay0 ! proxysink name=in )"
SERVE = "( proxysrc name=out ! rtph264pay name=pay0 pt=96 mtu=1472 )"


class Crossing:
    """One stream: connects the pipeline that serves it to the one that receives it."""

    def __init__(self):
        self.sink = None

    def receives(self, _, media: GstRtspServer.RTSPMedia):
        self.sink = media.get_element().get_by_name_recurse_up("in")
        self.share_time(media)

    def serves(self, _, media: GstRtspServer.RTSPMedia):
        media.get_element().get_by_name_recurse_up("out").set_property("proxysink", self.sink)
        self.share_time(media)

    @staticmethod
    def share_time(media: GstRtspServer.RTSPMedia):
        """Frames keep their times between pipelines only if these have one clock and one base time."""
        pipeline = media.get_property("element").get_parent()
        while pipeline.get_parent():
            pipeline = pipeline.get_parent()
        pipeline.use_clock(Gst.SystemClock.obtain())
        pipeline.set_start_time(Gst.CLOCK_TIME_NONE)
        pipeline.set_base_time(0)


def factory(launch: str, mode: GstRtspServer.RTSPTransportMode, configure) -> GstRtspServer.RTSPMediaFactory:
    factory = GstRtspServer.RTSPMediaFactory()
    factory.set_launch(launch)
    factory.set_transport_mode(mode)
    factory.set_shared(mode == GstRtspServer.RTSPTransportMode.PLAY)
    factory.set_latency(0)
    factory.connect("media-configure", configure)
    return factory


def main():
    Gst.init(None)
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    server = GstRtspServer.RTSPServer()
    server.set_service(sys.argv[1])
    server.set_backlog(1024)
    # A client's DESCRIBE blocks its thread until the first frame has come. By default all clients share one thread, so that a publisher
    # over TCP would never be read meanwhile.
    server.get_thread_pool().set_max_threads(-1)
    points = server.get_mount_points()
    for number in range(int(sys.argv[2])):
        crossing = Crossing()
        points.add_factory(f"/in/{number}", factory(RECEIVE, GstRtspServer.RTSPTransportMode.RECORD, crossing.receives))
        points.add_factory(f"/out/{number}", factory(SERVE, GstRtspServer.RTSPTransportMode.PLAY, crossing.serves))
    server.attach(None)
    GLib.MainLoop().run()


if __name__ == "__main__":
    main()
