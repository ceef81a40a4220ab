"""The players, as people start them."""

PLAYERS = ("ffplay", "mpv", "mpv-x11", "gstreamer")
TRANSPORTS = ("udp", "tcp")

# A machine with a sound card, as far as the player can tell: sound takes as long as it lasts.
ENVIRONMENT = {"SDL_AUDIODRIVER": "dummy"}


def command(player: str, transport: str, url: str) -> list[str]:
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
    raise ValueError(player)
