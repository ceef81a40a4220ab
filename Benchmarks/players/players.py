"""The players, as people start them."""

from pathlib import Path

PLAYERS = ("ffplay", "mpv", "mpv-x11", "gstreamer", "vlc", "vlc-x11", "vlc-playlist")
TRANSPORTS = ("udp", "tcp")

# A machine with a sound card, as far as the player can tell: sound takes as long as it lasts.
ENVIRONMENT = {"SDL_AUDIODRIVER": "dummy"}

# VLC opens its input 55 ms before PLAY, since it waits for 50 ms between SETUP and PLAY.
FIRST_PICTURE_LIMITS = {"vlc": 0.545, "vlc-x11": 0.545, "vlc-playlist": 0.545}
FIRST_PICTURE_LIMIT = 0.300

# -vv tells what became of its buffer. Its interface would be a second window, and there is no sound card.
VLC = ["vlc", "--intf=dummy", "--aout=dummy", "-vv", "--no-color"]
VLC_X11 = ["--vout=xcb_x11", "--avcodec-hw=none"]


def transports(player: str) -> tuple[str, ...]:
    """Those that it has: VLC without live555 asks for MPEG-TS over UDP (SAT>IP)."""
    return ("udp",) if player.startswith("vlc") else TRANSPORTS


def user(player: str) -> str | None:
    """Whom to run it as where root measures, which VLC refuses to be run by."""
    return "nobody" if player.startswith("vlc") else None


def command(player: str, transport: str, url: str, playlist: Path) -> list[str]:
    """What to run; no option but the transport, and for GStreamer the buffer of 200 ms that its users set."""
    match player:
        case "ffplay":
            return ["ffplay", "-hide_banner", "-nostats", "-rtsp_transport", transport, url]
        case "mpv":
            return ["mpv", "--no-config", "--ao=null", f"--rtsp-transport={transport}", url]
        case "mpv-x11":
            # Without a graphics card, mpv tries six outputs that fail before it opens its window, after PLAY.
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
            # Without a graphics card, VLC opens OpenGL three times, for as many ways to decode in hardware.
            return VLC + VLC_X11 + [url]
        case "vlc-playlist":
            return VLC + VLC_X11 + [str(playlist)]
    raise ValueError(player)
