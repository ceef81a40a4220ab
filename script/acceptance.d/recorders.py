#!/usr/bin/env python3
"""What network video recorders send: ffmpeg with Frigate's options, and the requests of Home Assistant's generic camera."""
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import httpx

from streams import end_all, folder, free_port, is_ready, start, wait

APUS = os.environ["APUS_BINARY"]
RTSP, HTTP = free_port(), free_port()
LOGIN = "ann:sesame77@127.0.0.1"
failures = []

# frigate/ffmpeg_presets.py and frigate/config/camera/ffmpeg.py of Frigate 0.17, with the options of its ffmpeg 5 to 8.
GLOBAL = ["-hide_banner", "-loglevel", "warning", "-threads", "2"]
AGENT = ["-user_agent", "FFmpeg Frigate/0.17.0"]
WALL_CLOCK = ["-use_wallclock_as_timestamps", "1"]
ROBUST = ["-avoid_negative_ts", "make_zero", "-fflags", "+genpts+discardcorrupt"]
EXPERIMENTAL = ["-flags", "low_delay", "-strict", "experimental"]
INPUTS = {
    "preset-rtsp-generic": AGENT + ROBUST + ["-rtsp_transport", "tcp", "-timeout", "10000000"] + WALL_CLOCK,
    "preset-rtsp-restream": AGENT + ["-rtsp_transport", "tcp", "-timeout", "10000000"],
    "preset-rtsp-restream-low-latency": AGENT + ["-rtsp_transport", "tcp", "-timeout", "10000000", "-fflags", "nobuffer", "-flags", "low_delay"],
    "preset-rtsp-udp": AGENT + ROBUST + ["-rtsp_transport", "udp", "-timeout", "10000000"] + WALL_CLOCK,
    "preset-http-mjpeg-generic": AGENT + ["-avoid_negative_ts", "make_zero", "-fflags", "nobuffer"] + EXPERIMENTAL
    + ["-fflags", "+genpts+discardcorrupt"] + WALL_CLOCK,
    "preset-http-reolink": AGENT + ROBUST + EXPERIMENTAL
    + ["-analyzeduration", "1000M", "-probesize", "1000M", "-rw_timeout", "10000000"],
}
SEGMENTS = ["-f", "segment", "-segment_time", "10", "-segment_format", "mp4", "-reset_timestamps", "1", "-strftime", "1"]
RECORDS = {
    "preset-record-generic": SEGMENTS + ["-c", "copy", "-an"],
    "preset-record-generic-audio-aac": SEGMENTS + ["-c:v", "copy", "-c:a", "aac"],
    "preset-record-generic-audio-copy": SEGMENTS + ["-c", "copy"],
}
DETECT = ["-r", "5", "-vf", "fps=5,scale=320:180", "-threads", "2", "-f", "rawvideo", "-pix_fmt", "yuv420p", "pipe:"]
# Two whole segments, and a part of a third.
SECONDS = 25


def check(what, holds, seen=""):
    print(f"{'ok     ' if holds else 'BROKEN '} {what}{f': {seen}' if seen != '' else ''}", flush=True)
    if not holds:
        failures.append(what)


def start_server():
    Path(folder, "apus.yml").write_text(f"""
http: {{ port: {HTTP} }}
users: {{ ann: {{ password: sesame77 }} }}
paths: {{ cam: {{ source: testcard, video: {{ width: 640, height: 360 }} }} }}
""")
    with open(Path(folder, "log"), "w") as log:
        start([APUS, "serve", "--config", f"{folder}/apus.yml", "--port", str(RTSP)], stderr=log)
    if not wait(10, lambda: is_ready(HTTP)):
        sys.exit(f"nothing answers: {Path(folder, 'log').read_text()[-2000:]}")


def record(preset, output):
    """Starts ffmpeg as Frigate does for a camera with the roles record and detect."""
    place = Path(folder, f"{preset}+{output}")
    place.mkdir()
    # As docs/nvr.md recommends.
    url = f"http://{LOGIN}:{HTTP}/cam/index.mp4" if preset.startswith("preset-http") else f"rtsp://{LOGIN}:{RTSP}/cam?join=keyframe"
    command = ["ffmpeg", *GLOBAL, *INPUTS[preset], "-i", url, *RECORDS[output], f"{place}/cam@%Y%m%d%H%M%S%z.mp4", *DETECT]
    errors = open(place / "errors", "wb")
    return place, start(command, stderr=errors, stdout=subprocess.DEVNULL)


def unexplained(preset, place):
    """The lines of ffmpeg's log that no known reason explains."""
    # ffmpeg 5.1 copies the first frames of H.264 without decode times from every RTSP server, such as gst-rtsp-server: it has not yet seen
    # whether there are B-frames.
    explained = ["Exiting normally", "Timestamps are unset in a packet for stream 0"]
    if preset in ("preset-rtsp-generic", "preset-rtsp-udp"):
        # These take the instants of arrival as timestamps. The test card makes its audio frame by frame of the video, so that often two
        # packets arrive at once.
        explained += ["Queue input is backward in time", "Non-monotonous DTS", "Last message repeated"]
    return [line for line in (place / "errors").read_text().splitlines() if not any(part in line for part in explained)]


def segments(place):
    """Frames and seconds of video, and the codec of audio, of each whole segment."""
    found = []
    for file in sorted(place.glob("*.mp4"))[:-1]:
        report = subprocess.run(["ffprobe", "-v", "error", "-count_packets", "-show_entries", "stream=codec_type,codec_name,nb_read_packets,duration",
                                 "-of", "json", file], capture_output=True, text=True)
        streams = {stream["codec_type"]: stream for stream in json.loads(report.stdout)["streams"]}
        found.append((int(streams["video"]["nb_read_packets"]), float(streams["video"]["duration"]),
                      streams.get("audio", {}).get("codec_name"), report.stderr))
    return found


def check_frigate():
    runs = {(preset, output): record(preset, output) for preset, output in (
        ("preset-rtsp-generic", "preset-record-generic-audio-aac"), ("preset-rtsp-restream", "preset-record-generic-audio-copy"),
        ("preset-rtsp-restream-low-latency", "preset-record-generic"), ("preset-rtsp-udp", "preset-record-generic-audio-copy"),
        ("preset-http-mjpeg-generic", "preset-record-generic-audio-aac"), ("preset-http-reolink", "preset-record-generic-audio-copy"))}
    # As Frigate looks at the clock, and not at what ffmpeg says.
    time.sleep(SECONDS)
    for (preset, output), (place, process) in runs.items():
        name = f"{preset}, {output}"
        check(f"{name} runs", process.poll() is None)
        process.terminate()
        process.wait()
        lines = unexplained(preset, place)
        check(f"{name} logs nothing unexpected", not lines, lines[:3] if lines else "")
        whole = segments(place)
        check(f"{name} writes whole segments of ten seconds", len(whole) >= 2 and all(
            not errors and abs(seconds - 10) < 2.1 and abs(frames / seconds - 30) < 1 for frames, seconds, _, errors in whole[1:]), whole)
        wanted = None if output == "preset-record-generic" else "aac"
        check(f"{name} has the audio", {codec for _, _, codec, _ in whole} == {wanted})


def check_home_assistant():
    # homeassistant/components/generic: httpx with DigestAuth, ten seconds at most, redirections followed, one client for all requests.
    url = f"http://127.0.0.1:{HTTP}/cam.jpg?width=640"
    with httpx.Client(headers={"User-Agent": "HomeAssistant/2025.11.0 httpx/0.28.1 Python/3.13"}) as client:
        login = httpx.DigestAuth("ann", "sesame77")
        for number in range(3):
            answer = client.get(url, auth=login, timeout=10, follow_redirects=True)
            check(f"still {number + 1} with Digest", answer.status_code == 200 and answer.content[:2] == b"\xff\xd8",
                  f"{answer.headers.get('content-type')}, {len(answer.content)} bytes")
            # A picture each half second, as the default is.
            time.sleep(0.5)
        check("a wrong password is refused", client.get(url, auth=httpx.DigestAuth("ann", "sesame"), timeout=10).status_code == 401)
        # The default of Home Assistant.
        check("Basic without TLS is refused", client.get(url, auth=httpx.BasicAuth("ann", "sesame77"), timeout=10).status_code == 401)
    # homeassistant/components/stream: PyAV, which is FFmpeg's libraries, with these options.
    for flags in (["-rtsp_flags", "prefer_tcp"], ["-rtsp_transport", "tcp"], ["-rtsp_transport", "udp"]):
        report = subprocess.run(["ffmpeg", "-nostdin", "-v", "warning", *flags, "-timeout", "5000000", "-i", f"rtsp://{LOGIN}:{RTSP}/cam",
                                 "-t", "3", "-c", "copy", "-f", "null", "-"], capture_output=True, text=True, timeout=20)
        check(f"the stream source with {' '.join(flags)}", report.returncode == 0 and not report.stderr, report.stderr[-200:])


try:
    start_server()
    check_home_assistant()
    check_frigate()
finally:
    end_all()
sys.exit(1 if failures else 0)
