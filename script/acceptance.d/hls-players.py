#!/usr/bin/env python3
"""HLS in ffmpeg, GStreamer and VLC: each plays each of three qualities and audio alone, without an error.

A player is told which quality to take, because none changes it on a link that is fast enough.
"""
import json
import os
import re
import subprocess
import sys
import time
import urllib.parse
import urllib.request

from streams import end_all, folder, free_port, is_ready, start, wait

HTTP = free_port()
URL = f"http://127.0.0.1:{HTTP}/cam/index.m3u8"
# Height, and bits per second.
QUALITIES = {360: 1_500_000, 180: 400_000, 90: 60_000}
# What a player must have decoded. A stream has 30 frames and 47 packets of audio a second.
FRAMES = SOUNDS = 60
failures = []


def check(what, holds, seen):
    print(f"{'ok     ' if holds else 'BROKEN '} {what}: {seen}", flush=True)
    if not holds:
        failures.append(what)


def serve():
    def video(height, bitrate):
        return {"height": height, "width": height * 16 // 9, "bitrate": bitrate, "frameRate": 30, "gopMilliseconds": 1000}
    path = os.path.join(folder, "apus.yml")
    with open(path, "w") as file:
        json.dump({
            "server": {"port": free_port()}, "http": {"port": HTTP}, "access": {"open": True}, "control": {"socket": ""},
            "paths": {
                name: {"source": source, "video": video(height, bitrate)}
                for (height, bitrate), name, source in zip(
                    QUALITIES.items(), ["cam", "cam/half", "cam/quarter"], ["testcard", "stream:cam", "stream:cam"])
            }}, file)
    with open(os.path.join(folder, "log"), "w") as log:
        server = start([os.environ["APUS_BINARY"], "serve", "--config", path], stderr=log)
    if not wait(60, lambda: server.poll() is not None or is_ready(HTTP)) or server.poll() is not None:
        raise SystemExit("the server did not start: " + open(os.path.join(folder, "log")).read()[-2000:])
    # Until the bitrates of all qualities are measured.
    lists = [urllib.parse.urljoin(URL, line) for line in read(URL).splitlines() if line and not line.startswith("#")]
    if not wait(60, lambda: time.sleep(0.5) or all(read(url).count("#EXTINF") >= 6 for url in lists)):
        raise SystemExit("the qualities have no segments")


def read(url):
    with urllib.request.urlopen(url, timeout=20) as response:
        return response.read().decode()


def play(arguments, is_enough, request=b"", seconds=60):
    """What a player has printed when it is enough, when the player has ended, or when the time is over. Once a second, it gets the request."""
    path = os.path.join(folder, "player")
    with open(path, "wb") as output:
        player = start(arguments, stdin=subprocess.PIPE, stdout=output, stderr=subprocess.STDOUT)
    end = time.monotonic() + seconds
    while True:
        text = open(path, errors="replace").read()
        if is_enough(text) or player.poll() is not None or time.monotonic() > end:
            player.kill()
            player.wait()
            return text
        try:
            player.stdin.write(request)
            player.stdin.flush()
        except BrokenPipeError:
            # It has ended.
            pass
        time.sleep(1)


def expect(name, height, frames, heights, sounds, errors):
    """Whether a player has played the quality of a height, or audio alone, without an error."""
    holds = not errors and sounds >= SOUNDS and heights == ({str(height)} if height else set()) and (not height or frames >= FRAMES)
    check(f"{name} plays {height or 'audio alone'}", holds,
          f"{frames} frames of {', '.join(sorted(heights)) or 'no'} lines, {sounds} of audio {'; '.join(errors[:3])}")


def ffmpeg(url, program, height):
    """Decodes one of the programs, as which ffmpeg lists the qualities."""
    result = subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-xerror", "-i", url, "-map", f"0:p:{program}", "-t", "5", "-fps_mode", "passthrough",
         "-f", "framecrc", "-"], capture_output=True, text=True, timeout=90)
    lines = result.stdout.splitlines()
    kinds = [line.split()[-1] for line in lines if line.startswith("#media_type")]
    counts = {kind: sum(line.startswith(f"{index},") for line in lines) for index, kind in enumerate(kinds)}
    heights = {line.split("x")[-1] for line in lines if line.startswith("#dimensions")}
    expect("ffmpeg", height, counts.get("video", 0), heights, counts.get("audio", 0), result.stderr.splitlines())


def gstreamer(url, speed, height):
    """Plays by playbin3, which takes hlsdemux2 of the package gstreamer1.0-plugins-good."""
    def count(text, kind):
        return len(re.findall(f"{kind}: last-message = chain", text))
    text = play(
        ["gst-launch-1.0", "-v", "playbin3", f"uri={url}", f"connection-speed={speed // 1000}",
         *(f"{kind}-sink=fakesink name={kind} silent=false sync=true" for kind in ("video", "audio"))],
        lambda text: count(text, "audio") >= SOUNDS and (not height or count(text, "video") >= FRAMES))
    heights = set(re.findall(r"GstFakeSink:video\.GstPad:sink: caps = video/x-raw.*?height=\(int\)(\d+)", text))
    errors = re.findall(r"(?m)^(?:ERROR|WARNING).*", text)
    expect("GStreamer", height, count(text, "video"), heights, count(text, "audio"), errors)


def vlc(url, height):
    """Plays the largest quality that VLC may choose."""
    def count(text, figure):
        return max((int(number) for number in re.findall(rf"{figure} *: *(\d+)", text)), default=0)
    # VLC refuses to run as root.
    user = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "env", f"HOME={folder}"] if os.geteuid() == 0 else []
    limit = ["--adaptive-logic=highest", f"--adaptive-maxheight={height}"] if height else []
    text = play(
        [*user, "vlc", "-vv", "--no-color", "--intf=oldrc", "--rc-fake-tty", "--vout=dummy", "--aout=dummy", *limit, url],
        lambda text: count(text, "buffers played") >= SOUNDS and (not height or count(text, "frames displayed") >= FRAMES),
        request=b"stats\n")
    heights = set(re.findall(r"original format sz .* vsz \d+x(\d+)", text))
    # VLC says so if the machine is busy.
    busy = "buffer deadlock prevented"
    errors = [line for line in text.splitlines()
              if re.search(r"(adaptive|mp4|http|access|packetizer|decoder|demux)\b.* error:", line) and busy not in line]
    expect("VLC", height, count(text, "frames displayed"), heights, count(text, "buffers played"), errors)


def speeds():
    """For each height, bits per second of a link that has room for this quality and none for the next."""
    found = re.findall(r"#EXT-X-STREAM-INF:BANDWIDTH=(\d+).*RESOLUTION=\d+x(\d+)", read(URL))
    rates = sorted((int(rate), int(height)) for rate, height in found)
    return {height: int((rate * higher) ** 0.5) for (rate, height), (higher, _) in zip(rates, rates[1:] + [(20 * rates[-1][0], 0)])}


def main():
    serve()
    for program, height in enumerate(QUALITIES):
        ffmpeg(URL, program, height)
        gstreamer(URL, speeds()[height], height)
        vlc(URL, height)
    audio = URL + "?video=0"
    ffmpeg(audio, 0, None)
    gstreamer(audio, 10_000_000, None)
    vlc(audio, None)


try:
    main()
finally:
    end_all()
print(f"{len(failures)} of the checks failed" if failures else "all checks passed")
sys.exit(1 if failures else 0)
