"""The servers, as command lines for script/impair."""

import json
import os
import shlex
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[1]
PORT = 8554
# The options that switch repair off.
WITHOUT_REPAIR = {"network": {"retransmit": False, "duplicate": False, "fallToTCP": False}}


def merged(options: dict, others: dict) -> dict:
    """Options with others added, in all levels."""
    result = dict(options)
    for key, value in others.items():
        both = isinstance(value, dict) and isinstance(result.get(key), dict)
        result[key] = merged(result[key], value) if both else value
    return result


class Apus:
    """Apus, with options beside its defaults."""

    def __init__(self, options: dict, name: str = "Apus"):
        self.options, self.name = options, name

    def command(self, folder: Path, path: dict, is_transport_stream: bool = False) -> str:
        options = {
            "server": {"port": PORT},
            "control": {"socket": str(folder / "control")},
            "access": {"open": True},
            "paths": {"cam": path},
        }
        configuration = folder / "apus.yml"
        configuration.write_text(json.dumps(merged(options, self.options)))
        binary = shlex.quote(os.environ["APUS_BINARY"])
        return f"exec {binary} serve --http-port 0 --config {configuration} >{folder}/server.log 2>&1"


class GStreamer:
    """gst-rtsp-server with its defaults: it sends no packet again."""

    name = "gst-rtsp-server"
    # Like the test card of Apus: the size, rate and distance of keyframes are the same, noise makes all frames different, and a frame
    # is one slice.
    TEST_CARD = (
        "videotestsrc is-live=true pattern=smpte ! video/x-raw,width=1280,height=720,framerate=30/1 ! "
        "x264enc bitrate=2000 key-int-max=60 tune=zerolatency speed-preset=ultrafast sliced-threads=false threads=1"
    )

    def command(self, folder: Path, path: dict, is_transport_stream: bool = False) -> str:
        source = self.TEST_CARD if path["source"] == "testcard" else f"filesrc location={path['source']} ! qtdemux"
        video = f"{source} ! h264parse config-interval=-1"
        packets = "mpegtsmux alignment=7 ! rtpmp2tpay" if is_transport_stream else "rtph264pay mtu=1400"
        launch = f"( {video} ! {packets} name=pay0 pt={33 if is_transport_stream else 96} )"
        return f"exec python3 {SCRIPTS}/acceptance.d/gst_server.py {PORT} {shlex.quote(launch)} >{folder}/server.log 2>&1"
