#!/usr/bin/env python3
"""VLC, ffplay, mpv and GStreamer play RTMP, and SRT with a passphrase. Usage: players.py [SECONDS [ROUNDS]]

First each player is started ROUNDS times with the options for low latency of docs/rtmp.md and docs/srt.md: the time from its connection
to its first frame. Then all play at the same time for SECONDS, with their default buffers: none may warn, end or lose frames.

The first frames are those of the test card as `apus serve` shows it. All players together decode a smaller one.
"""
import os
import re
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

from door import Door
from playback import as_vlc
from streams import Server, end_all, folder, free_port, start, wait

SECONDS = int(sys.argv[1]) if len(sys.argv) > 1 else 600
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 5
FIRST_FRAME_LIMIT = 0.3
# The default of libsrt, and of all these players.
SRT_LATENCY = 0.12
PASSPHRASE = "correct-horse-battery"
# ffplay and mpv fill their buffers, and VLC may drop frames until its clock has settled.
SETTLING_SECONDS = 5
SILENT = dict(os.environ, SDL_VIDEODRIVER="dummy", SDL_AUDIODRIVER="dummy")
failures = []


def check(what, holds, seen):
    print(f"{'ok     ' if holds else 'BROKEN '} {what}: {seen}", flush=True)
    if not holds:
        failures.append(what)


def url(protocol, port):
    if protocol == "rtmp":
        return f"rtmp://127.0.0.1:{port}/live/cam"
    return f"srt://127.0.0.1:{port}?streamid=read:live/cam&passphrase={PASSPHRASE}"


def gstreamer(protocol, port, sink):
    source = ["rtmp2src", f"location={url(protocol, port)}", "!", "flvdemux"]
    if protocol == "srt":
        source = ["srtsrc", f"uri={url(protocol, port)}", "!", "tsdemux"]
    return ["gst-launch-1.0", *source, "name=demux", "demux.", "!", "queue", "!", "h264parse", "!", "avdec_h264", "!", *sink,
            "demux.", "!", "queue", "!", "aacparse", "!", "avdec_aac", "!", "fakesink", "sync=true"]


# By default FFmpeg looks at a transport stream for five seconds. With `-fflags nobuffer`, which is a part of mpv's profile, it throws away
# what it has looked at, and the first frame is the next keyframe.
PROBING = {"rtmp": [], "srt": ["-analyzeduration", "100000"]}


# For each player: the command line for low latency, the text in its output with the first frame, and the command line for a long time.
def commands(protocol, port):
    at = url(protocol, port)
    vlc = as_vlc() + ["cvlc", "-vv", "--no-color", "--intf=dummy", "--vout=dummy", "--aout=dummy"]
    mpv = ["mpv", "--no-config", "--vo=null", "--ao=null"]
    return {
        "VLC": (vlc + ["--network-caching=100", at], "Received first picture", vlc + [at]),
        "ffplay": (["ffplay", "-v", "verbose", "-nostats", *PROBING[protocol], at], "Created 1280x720 texture",
                   ["ffplay", "-v", "warning", "-nostats", at]),
        "mpv": (mpv + ["--profile=low-latency", "--demuxer-lavf-o=fpsprobesize=0", "--msg-level=all=v", at], "[vo/null] reconfig to",
                mpv + ["--msg-level=all=warn", "--no-input-terminal", at]),
        "GStreamer": (["env", "GST_DEBUG=0", *gstreamer(protocol, port, ["fakesink", "name=screen", "silent=false", "sync=false"]), "-v"],
                      "screen:sink) ", ["env", "GST_DEBUG=2", *gstreamer(protocol, port, ["fakesink", "sync=true"]), "-q"]),
    }


def first_frame(command, wanted, door):
    """Seconds from the player's connection to the line that it prints with its first frame; None if there is none in 15 s."""
    process = start(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=SILENT)
    timer = threading.Timer(15, process.kill)
    timer.start()
    shown = next((time.monotonic() for line in process.stdout if wanted.encode() in line), None)
    timer.cancel()
    process.kill()
    process.wait()
    return shown - door.opened_at if shown and door.opened_at else None


def measure_first_frames(ports):
    for protocol, port in ports.items():
        limit = FIRST_FRAME_LIMIT + (SRT_LATENCY if protocol == "srt" else 0)
        for player in commands(protocol, port):
            found = []
            for _ in range(ROUNDS):
                door = Door(port, is_udp=protocol == "srt")
                command, wanted, _ = commands(protocol, door.port)[player]
                found.append(first_frame(command, wanted, door))
            known = [value for value in found if value is not None]
            text = ", ".join("never" if value is None else f"{1000 * value:.0f}" for value in found)
            check(f"{player} over {protocol.upper()}: first frame within {1000 * limit:.0f} ms", len(known) == ROUNDS and max(known) <= limit,
                  f"{text} ms" + (f", p50 {1000 * statistics.median(known):.0f}" if known else ""))


# What the players say about this host without a screen, sound and a session, and about nothing that is late.
HARMLESS = re.compile(
    r"(?i)libva|vdpau|dbus|pulse|alsa|xcb|XDG_RUNTIME|no suitable|globalhotkeys|interface|lua|main (playlist|libvlc)|plugins? cache"
    r"|might be displayed late|SO_.*BUF|realtime")


def warnings(player, lines):
    if player == "VLC":
        lines = [line for line in lines if re.search(r" (warning|error): ", line)]
    return [line for line in lines if line.strip() and not HARMLESS.search(line)]


def play_long(server, ports):
    runs = {}
    for protocol, port in ports.items():
        for player, (_, _, command) in commands(protocol, port).items():
            log = Path(folder, f"{player}-{protocol}.log")
            with open(log, "wb") as output:
                runs[player, protocol] = start(command, stdout=output, stderr=output, env=SILENT), log
    if not wait(20, lambda: server.log().count("info     joined") >= len(runs)):
        print("        not all players have joined")
    time.sleep(SETTLING_SECONDS)
    settled = {name: log.stat().st_size for name, (_, log) in runs.items()}
    left = server.log().count("info     left")
    time.sleep(SECONDS)
    lost = server.log().count("info     left") - left
    for (player, protocol), (process, log) in runs.items():
        is_running = process.poll() is None
        text = log.read_bytes()[settled[player, protocol]:].decode(errors="replace")
        said = warnings(player, text.splitlines())
        late = text.count("might be displayed late")
        check(f"{player} over {protocol.upper()}: {SECONDS} s without a warning", is_running and not said,
              ("" if is_running else f"ended with {process.returncode}; ") + f"{len(said)} warnings"
              + (f", a little late {late} times" if late else "") + "".join(f"\n          {line[:200]}" for line in said[:3]))
    for process, _ in runs.values():
        process.terminate()
        process.wait()
    ends = [line for line in server.log().splitlines() if "info     left" in line][left:]
    dropped = sum("dropped=" in line for line in ends)
    check("the server drops no frames of a player, and none has left", not dropped and not lost, f"{dropped} with dropped frames, {lost} left")


def serve(ports, video):
    return Server(
        f"rtmp: {{ serve: 'yes', port: {ports['rtmp']} }}\nsrt: {{ serve: 'yes', port: {ports['srt']} }}\naccess: {{ open: true }}\n"
        f"paths:\n  live/cam:\n    source: testcard\n    video: {video}\n    srt: {{ passphrase: {PASSPHRASE} }}")


try:
    ports = {"rtmp": free_port(), "srt": free_port()}
    server = serve(ports, "{ width: 1280, height: 720, frameRate: 30 }")
    # VLC and ffplay analyse 40 frames over RTMP before they show one: a stream that has just begun does not have them.
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-rtsp_transport", "tcp", "-i", f"rtsp://127.0.0.1:{server.port}/live/cam",
                    "-t", "4", "-f", "null", "-"], check=True, env=SILENT)
    measure_first_frames(ports)
    server.process.terminate()
    server.process.wait()
    server = serve(ports, "{ width: 640, height: 360, frameRate: 25, bitrate: 800000 }")
    play_long(server, ports)
finally:
    end_all()
print(f"{len(failures)} of the checks failed" if failures else "all checks passed")
sys.exit(1 if failures else 0)
