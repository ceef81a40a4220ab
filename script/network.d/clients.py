"""The clients, as command lines for script/impair; each writes the video that it receives into a file."""

import os
import shutil
from pathlib import Path

from h264 import Frame, byte_stream_units, frames, read_frames
from servers import PORT
from transport_stream import video_bytes

URL = f"rtsp://$APUS_IMPAIR_SERVER:{PORT}/cam"


class Client:
    is_transport_stream = False
    program = ""

    @property
    def is_installed(self) -> bool:
        return shutil.which(self.program or self.name) is not None

    def limited(self, seconds: float, command: str) -> str:
        """The command, ended by SIGINT if it does not end by itself."""
        return f"timeout --signal=INT --kill-after=10 {seconds} {command}"

    def received(self, folder: Path) -> list[Frame]:
        return read_frames(folder / "received.264")


class FFmpeg(Client):
    name = "ffmpeg"

    def command(self, folder: Path, seconds: int) -> str:
        copy = f"ffmpeg -nostdin -v warning -rtsp_transport udp -i {URL} -t {seconds} -c copy -f h264 -y {folder}/received.264"
        return self.limited(seconds + 15, copy)


class MPV(Client):
    name = "mpv"

    def command(self, folder: Path, seconds: int) -> str:
        options = "--no-config --no-terminal --rtsp-transport=udp --vo=null --ao=null"
        return self.limited(seconds + 2, f"mpv {options} --stream-record={folder}/received.264 {URL}")


class GStreamer(Client):
    name = "gstreamer"
    program = "gst-launch-1.0"

    def command(self, folder: Path, seconds: int) -> str:
        source = f"rtspsrc location={URL} protocols=udp latency=200"
        stream = "rtph264depay ! h264parse ! video/x-h264,stream-format=byte-stream,alignment=au"
        return self.limited(seconds + 2, f"gst-launch-1.0 -q -e {source} ! {stream} ! filesink location={folder}/received.264")


class OpenRTSP(Client):
    """live555's own client. Its file begins with the parameter sets of the description."""

    name = "openrtsp"
    program = "openRTSP"

    def command(self, folder: Path, seconds: int) -> str:
        # A frame that does not fit into -b is cut; the default is 100 kB. With -v, the video goes to standard output.
        return self.limited(seconds + 15, f"openRTSP -V -v -d {seconds} -b 1000000 {URL} >{folder}/received.264")


class VLC(Client):
    """VLC as Debian builds it, which receives MPEG-TS by its SAT>IP access. It writes what it receives without demultiplexing it."""

    name = "vlc"
    is_transport_stream = True

    def command(self, folder: Path, seconds: int) -> str:
        # VLC refuses to run as root.
        user = "setpriv --reuid=nobody --regid=nogroup --clear-groups " if os.geteuid() == 0 else ""
        options = f"--intf=dummy --demux=dump --demuxdump-file={folder}/received.ts"
        return self.limited(seconds + 2, f"{user}env HOME={folder} vlc {options} {URL}")

    def received(self, folder: Path) -> list[Frame]:
        return frames(byte_stream_units(video_bytes((folder / "received.ts").read_bytes())))


CLIENTS = {client.name: client for client in (FFmpeg(), MPV(), GStreamer(), OpenRTSP(), VLC())}
