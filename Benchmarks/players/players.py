"""The players, started with the options that users normally use."""

from pathlib import Path

PLAYERS = ("ffplay", "mpv", "mpv-x11", "gstreamer", "vlc", "vlc-x11", "vlc-playlist")
TRANSPORTS = ("udp", "tcp")

# Simulates a sound card for the player: audio plays in real time.
ENVIRONMENT = {"SDL_AUDIODRIVER": "dummy"}

# VLC opens its input 55 ms before PLAY, because it waits for 50 ms between SETUP and PLAY.
FIRST_FRAME_LIMITS = {"vlc": 0.545, "vlc-x11": 0.545, "vlc-playlist": 0.545}
FIRST_FRAME_LIMIT = 0.300

# -vv logs the state of its buffer. Without --intf=dummy it would open a second window, and there is no sound card.
VLC = ["vlc", "--intf=dummy", "--aout=dummy", "-vv", "--no-color"]
VLC_X11 = ["--vout=xcb_x11", "--avcodec-hw=none"]


def transports(player: str) -> tuple[str, ...]:
    """The supported transports. VLC without live555 requests MPEG-TS over UDP (SAT>IP)."""
    return ("udp",) if player.startswith("vlc") else TRANSPORTS


def user(player: str) -> str | None:
    """The user to run the player as if this script runs as root, which VLC does not accept."""
    return "nobody" if player.startswith("vlc") else None


def command(player: str, transport: str, url: str, playlist: Path) -> list[str]:
    """The command line, with no option but the transport; for GStreamer also the buffer of 200 ms that users usually set."""
    match player:
        case "ffplay":
            return ["ffplay", "-hide_banner", "-nostats", "-rtsp_transport", transport, url]
        case "mpv":
            return ["mpv", "--no-config", "--ao=null", f"--rtsp-transport={transport}", url]
        case "mpv-x11":
            # Without a graphics card, mpv tries six failing outputs after PLAY before it opens its window.
            return ["mpv", "--no-config", "--ao=null", "--vo=x11", f"--rtsp-transport={transport}", url]
        case "gstreamer":
            return [
                "gst-launch-1.0", "rtspsrc", f"location={url}", f"protocols={transport}", "latency=200", "name=source",
                "source.", "!", "application/x-rtp,media=video", "!", "decodebin", "!", "videoconvert", "!", "autovideosink",
                "source.", "!", "application/x-rtp,media=audio", "!", "decodebin", "!", "audioconvert", "!",
                "fakesink", "sync=true",
            ]  # fmt: skip
        case "vlc":
            return VLC + [url]
        case "vlc-x11":
            # Without a graphics card, VLC opens OpenGL three times, to try three hardware decoders.
            return VLC + VLC_X11 + [url]
        case "vlc-playlist":
            return VLC + VLC_X11 + [str(playlist)]
    raise ValueError(player)
