#!/usr/bin/python3
"""gst-rtsp-server with one live pipeline for all clients: gstreamer_server.py VIDEO PORT plain|stamped|captured. Needs Debian's Python
for the bindings."""

import resource
import sys
import threading
from pathlib import Path

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer  # noqa: E402

from video import instants, units  # noqa: E402

PIPELINE = (
    "( appsrc name=source is-live=true format=time do-timestamp=true "
    "caps=video/x-h264,stream-format=byte-stream,alignment=au,framerate=30/1 "
    "! h264parse config-interval=-1 ! rtph264pay name=pay0 pt=96 mtu=1400 )"
)


def feed(media: GstRtspServer.RTSPMedia, video: Path):
    """Hands each unit over on time until the pipeline ends."""
    source = media.get_element().get_by_name_recurse_up("source")
    pace = instants()
    while True:
        for unit in units(video):
            handed_over = unit.handed_over(sys.argv[3], next(pace))
            if source.emit("push-buffer", Gst.Buffer.new_wrapped(handed_over)) != Gst.FlowReturn.OK:
                return


def main():
    Gst.init(None)
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    video, port = Path(sys.argv[1]), sys.argv[2]
    server = GstRtspServer.RTSPServer()
    server.set_service(port)
    server.set_backlog(1024)
    factory = GstRtspServer.RTSPMediaFactory()
    factory.set_launch(PIPELINE)
    factory.set_shared(True)
    factory.set_latency(0)
    factory.connect(
        "media-configure",
        lambda _, media: threading.Thread(target=feed, args=(media, video), daemon=True).start(),
    )
    server.get_mount_points().add_factory("/cam", factory)
    server.attach(None)
    GLib.MainLoop().run()


if __name__ == "__main__":
    main()
