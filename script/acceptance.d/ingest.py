#!/usr/bin/env python3
"""Encoders publish by RTMP, RTMPS and SRT, and each stream is played by RTSP and on the page.

Two ffmpegs, GStreamer, srt-live-transmit and OBS publish, and FFmpeg 9 two video tracks over one connection. Video and audio that an ffmpeg copies must be the published bytes, without a
gap, with the published distances of the presentation times; ffmpeg, mpv and VLC must decode the stream without an error, and the page
must display it if Chromium has the codecs. Set ONLY to a part of a name for some of the runs.
"""
import os
import subprocess
import sys

import obs
import page
from clips import H264, H264_B_FRAMES, H265_AAC, H265_OPUS, ffmpeg_binaries, frames, make, unchanged, versions
from playback import commands, problem
from streams import Server, end_all, folder, free_port, is_bound, is_ready, start, wait

# Long enough for all players of a run.
CLIP_SECONDS = 60
PASSPHRASE = "correct-horse-battery"
ONLY = os.environ.get("ONLY", "")
failures = []


def check(what, holds, detail=""):
    print(("ok      " if holds else "BROKEN  ") + what + (f"  ({detail})" if detail else ""), flush=True)
    if not holds:
        failures.append(what)


class Host:
    """The server, and the URLs of its streams."""

    def __init__(self):
        self.rtmp, self.rtmps, self.srt, self.http = free_port(), free_port(), free_port(), free_port()
        self.state = os.path.join(folder, "apus-state")
        os.makedirs(self.state)
        subprocess.run([os.environ["APUS_BINARY"], "certificate"], env=dict(os.environ, STATE_DIRECTORY=self.state), check=True,
                       stdout=subprocess.DEVNULL)
        self.server = Server(
            f"http: {{ port: {self.http}, tlsPort: {free_port()} }}\ntls: {{ encryption: optional, port: {free_port()} }}\naccess: {{ loopback: publish }}\n"
            f"rtmp: {{ port: {self.rtmp}, tlsPort: {self.rtmps} }}\nsrt: {{ port: {self.srt} }}\n"
            "paths:\n  'live/*': { source: publish }\n"
            f"  'secret/*': {{ source: publish, srt: {{ passphrase: '{PASSPHRASE}' }} }}\n"
            "  'low/rtmp': { source: 'track:live/tracks-rtmp/1' }\n"
            "  'low/rtmps': { source: 'track:live/tracks-rtmps/1' }", has_http=True)
        if not wait(10, lambda: is_ready(self.http)):
            raise SystemExit("nothing answers: " + self.server.log())

    def path(self, way, name):
        return f"{'secret' if way == 'srt-encrypted' else 'live'}/{name}"

    def publishing(self, way, path):
        secret = f"&passphrase={PASSPHRASE}" if way == "srt-encrypted" else ""
        return {
            "rtmp": f"rtmp://127.0.0.1:{self.rtmp}/{path}",
            "rtmps": f"rtmps://127.0.0.1:{self.rtmps}/{path}",
        }.get(way, f"srt://127.0.0.1:{self.srt}?streamid=publish:{path}{secret}")

    def has(self, path):
        """Whether a publisher has come to the path."""
        return any("publisher joined" in line and f"path=/{path} " in line + " " for line in self.server.log().splitlines())


def ffmpeg(program, host, way, clip, url):
    container = ["mpegts"] if way.startswith("srt") else ["flv"]
    if way.startswith("srt"):
        # ffmpeg's packets have 1,316 bytes only on request.
        url += "&pkt_size=1316"
    # Debian's accepts any certificate, and has no option to verify one.
    trusting = ["-ca_file", f"{host.state}/certificate.pem"] if way == "rtmps" and program == "ffmpeg-new" else []
    return [ffmpeg_binaries[program], "-nostdin", "-v", "error", "-re", "-i", str(make(clip, CLIP_SECONDS)), "-c", "copy", "-f", *container,
            *trusting, url]


def gstreamer(program, host, way, clip, url):
    # Matroska has no decode times, which FLV needs.
    source = make(clip, CLIP_SECONDS).with_suffix(".mp4")
    if not source.exists():
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", source.with_suffix(".mkv"), "-c", "copy", source], check=True)
    if way.startswith("srt"):
        muxer = ["mpegtsmux", "name=mux", "alignment=7", "!", "clocksync", "!", "srtsink", f"uri={url}", "wait-for-connection=false"]
    else:
        muxer = ["flvmux", "name=mux", "streamable=true", "!", "clocksync", "!", "rtmp2sink", f"location={url}"]
        muxer += ["tls-validation-flags=0"] if way == "rtmps" else []
    video, audio = clip.gst
    return ["gst-launch-1.0", "-q", "filesrc", f"location={source}", "!", "qtdemux", "name=demux", *muxer,
            "demux.video_0", "!", "queue", "!", video, "!", "mux.", "demux.audio_0", "!", "queue", "!", audio, "!", "mux."]


def transmit(program, host, way, clip, url):
    """srt-live-transmit passes on what an ffmpeg sends to it by UDP."""
    port = free_port()
    transmitter = start(["srt-live-transmit", f"udp://:{port}", url], stderr=open(os.path.join(folder, "transmitter.log"), "ab"))
    if not wait(5, lambda: is_bound(port) or transmitter.poll() is not None):
        return ["false"]
    return [ffmpeg_binaries["ffmpeg"], "-nostdin", "-v", "error", "-re", "-i", str(make(clip, CLIP_SECONDS)), "-c", "copy", "-f", "mpegts",
            f"udp://127.0.0.1:{port}?pkt_size=1316"]


def expect_identity(what, clip, url, originals):
    for name, holds, detail in unchanged(clip, url, originals):
        check(f"{what}: {name} unchanged", holds, detail)


def play(what, host, clip, path):
    """In one player after the other, because VLC loses packets of UDP if it has to wait for a processor; and on the page."""
    for player, command in commands(f"rtsp://127.0.0.1:{host.server.port}/{path}").items():
        if player in ("ffmpeg", "mpv", "VLC"):
            wrong = problem(player, command, clip.codecs)
            # It gets MPEG-TS by UDP, and its socket overflows if this host is busy.
            if player == "VLC" and "TS discontinuity" in wrong:
                print(f"        {what}: VLC has lost packets, and tries again")
                wrong = problem(player, command, clip.codecs)
            check(f"{what}: {player} plays", not wrong, wrong)
    # Debian's Chromium has no decoder of H.265.
    if clip.video == "h264":
        wrong = page.problem(f"http://127.0.0.1:{host.http}/{path}/")
        check(f"{what}: the page plays", not wrong, wrong)


def publish_clips(host):
    ways = ("rtmp", "rtmps", "srt", "srt-encrypted")
    runs = [(program, way, clip) for program in ffmpeg_binaries for way in ways for clip in (H264, H264_B_FRAMES)]
    # Debian's ffmpeg writes no H.265 in FLV, and neither does GStreamer.
    runs += [("ffmpeg-new", way, H265_AAC) for way in ways] + [("ffmpeg-new", way, H265_OPUS) for way in ways]
    runs += [("ffmpeg", "srt", H265_AAC), ("ffmpeg", "srt-encrypted", H265_OPUS)]
    runs += [("GStreamer", way, clip) for way in ways for clip in (H264, H264_B_FRAMES)] + [("GStreamer", "srt", H265_AAC)]
    runs += [("srt-live-transmit", way, clip) for way in ways[2:] for clip in (H264, H264_B_FRAMES, H265_AAC)]
    publishers = {"GStreamer": gstreamer, "srt-live-transmit": transmit}
    for number, (program, way, clip) in enumerate(runs):
        what, path = f"{program} {way} {clip.name}", host.path(way, f"s{number}")
        if ONLY not in what:
            continue
        originals = {kind: frames(["-i", str(make(clip, CLIP_SECONDS))], clip, kind, CLIP_SECONDS)[0] for kind in "va"}
        command = publishers.get(program, ffmpeg)(program, host, way, clip, host.publishing(way, path))
        with open(os.path.join(folder, "publisher.log"), "w") as log:
            process = start(command, stdout=log, stderr=log)
        begun = wait(10, lambda: host.has(path) or process.poll() is not None) and process.poll() is None
        check(f"{what}: publishes", begun, "" if begun else open(log.name).read()[-300:].strip())
        if begun:
            expect_identity(what, clip, f"rtsp://127.0.0.1:{host.server.port}/{path}", originals.get)
            play(what, host, clip, path)
        process.terminate()
        process.wait()


def publish_tracks(host):
    """FFmpeg sends two video tracks over one connection (enhanced RTMP v2), and each is played at its path."""
    for way, other in (("rtmp", H264_B_FRAMES), ("rtmps", H265_AAC)):
        what, path = f"ffmpeg-new {way} two tracks", f"live/tracks-{way}"
        if ONLY not in what:
            continue
        clips = {path: H264, f"low/{way}": other}
        command = [ffmpeg_binaries["ffmpeg-new"], "-nostdin", "-v", "error"]
        for clip in clips.values():
            command += ["-re", "-i", str(make(clip, CLIP_SECONDS))]
        trusting = ["-ca_file", f"{host.state}/certificate.pem"] if way == "rtmps" else []
        command += ["-map", "0:v", "-map", "1:v", "-map", "0:a", "-c", "copy", "-f", "flv", *trusting, host.publishing(way, path)]
        with open(os.path.join(folder, "publisher.log"), "w") as log:
            process = start(command, stdout=log, stderr=log)
        begun = wait(10, lambda: host.has(path) or process.poll() is not None) and process.poll() is None
        check(f"{what}: publishes", begun, "" if begun else open(log.name).read()[-300:].strip())
        for place, clip in clips.items() if begun else ():
            # The audio of both is that of the first clip.
            sources = {"v": clip, "a": H264}
            originals = {kind: frames(["-i", str(make(sources[kind], CLIP_SECONDS))], sources[kind], kind, CLIP_SECONDS)[0] for kind in "va"}
            expect_identity(f"{what} at {place}", clip, f"rtsp://127.0.0.1:{host.server.port}/{place}", originals.get)
            play(f"{what} at {place}", host, clip, place)
        process.terminate()
        process.wait()


def publish_with_obs(host):
    for way in ("rtmp", "srt"):
        what, path = f"OBS {way}", host.path(way, f"obs-{way}")
        if ONLY not in what:
            continue
        if not obs.is_installed:
            print(f"skipped {what}: obs or Xvfb is not installed")
            continue
        server, _, key = host.publishing(way, path).rpartition("/") if way == "rtmp" else (host.publishing(way, path) + "&latency=120000", "", "")
        studio = obs.OBS(f"obs-{way}", make(H264, CLIP_SECONDS), server, key)
        begun = wait(30, lambda: host.has(path) or studio.process.poll() is not None) and studio.process.poll() is None
        check(f"{what}: publishes", begun, "" if begun else studio.log()[-500:])
        if begun:
            play(what, host, H264, path)

            expect_identity(what, H264, f"rtsp://127.0.0.1:{host.server.port}/{path}",
                            lambda kind: frames(["-i", str(studio.finished_recording())], H264, kind, 600)[0])
        studio.stop()


versions()
try:
    server = Host()
    publish_clips(server)
    publish_tracks(server)
    publish_with_obs(server)
finally:
    end_all()
print(f"{len(failures)} of the checks failed" if failures else "all checks passed")
sys.exit(1 if failures else 0)
