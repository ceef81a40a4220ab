"""Players that decode a stream of RTSP for some seconds, and what is wrong with their output."""
import os
import re

from clips import ffmpeg_binaries, results, run

# Complaints about this host, and about the past that a new viewer gets, which is compressed in time.
HARMLESS = re.compile(
    r"(?i)libva|vdpau|dbus|pulse|alsa|xcb|XDG_RUNTIME|no suitable|globalhotkeys|interface|gstrtspsrc.*PAUSE"
    r"|Invalid video timestamp|monoton|buffer deadlock prevented")
BROKEN = re.compile(r"(?i)error|corrupt|invalid|non-existing|cannot decode")
# VLC says what it does with two -v. Without them it prints the same whether it has shown a frame or not.
DECODED = "Received first picture"


def as_vlc():
    """The beginning of a command line of VLC, which refuses to run as root. Its home is in the folder for the results."""
    home = results / "vlc"
    home.mkdir(parents=True, exist_ok=True)
    os.chmod(home, 0o777)
    user = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] if os.geteuid() == 0 else []
    return user + ["env", f"HOME={home}"]


def commands(url):
    """The command line of each player, by its name."""
    decoding = ["-nostdin", "-v", "error", "-xerror", "-i", url, "-t", "2", "-fps_mode", "passthrough", "-enc_time_base", "1:90000",
                "-f", "null", "-"]
    return {
        "ffprobe": ["ffprobe", "-v", "error", "-rtsp_transport", "tcp", "-show_entries", "stream=codec_name", "-of", "csv=p=0", url],
        "ffmpeg": ["ffmpeg"] + decoding,
        "ffmpeg-new": [ffmpeg_binaries["ffmpeg-new"]] + decoding,
        "GStreamer": ["gst-launch-1.0", "-q", "rtspsrc", f"location={url}", "latency=200", "!", "decodebin", "!", "identity",
                      "eos-after=40", "!", "fakesink"],
        "mpv": ["mpv", "--no-config", "--vo=null", "--ao=null", "--end=2", "--msg-level=all=warn", url],
        "VLC": as_vlc() + ["cvlc", "-I", "dummy", "--vout", "dummy", "--aout", "dummy", "--run-time=3", "--play-and-exit", "-vv",
                           url, "vlc://quit"],
    }


def problem(player, command, codecs):
    """Runs a player; what is wrong with it, or an empty text."""
    status, text, errors = run(command, 25)
    output = text + errors
    lines = output.splitlines()
    if player == "VLC":
        if DECODED not in output:
            return "no picture"
        lines = [line for line in lines if re.search(r" (error|warning): ", line)]
    bad = [line for line in lines if BROKEN.search(line) and not HARMLESS.search(line)]
    if bad:
        return "; ".join(bad[:2])
    if player == "ffprobe" and sorted(text.split()) != sorted(codecs.split()):
        return f"its codecs are {' '.join(text.split())}"
    is_excused = player == "VLC" or player == "GStreamer" and "Could not write to resource" in output
    return "" if status == 0 or is_excused else f"status {status}"
