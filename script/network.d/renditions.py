"""A viewer of renditions on a link that becomes slower and faster: when it is served the substream, and what it notices."""

import argparse
import json
import re
import shutil
import subprocess
from itertools import groupby
from pathlib import Path

from cell import Failure, impair
from clients import URL
from h264 import packetized_units
from interleaved import interleaved_packets
from lag import Arrival, stream_arrivals
from packets import MediaStream, Packet, read_packets, rtp_packet
from rates import FASTER, LATE, PATH, SLOWER, link, read_status, sampled_server
from servers import merged

FRAMES_PER_SECOND = 30
SMALL = (640, 360)
# Both without audio, so that all RTP packets are video. The path fits the fast link.
MAIN = {**PATH, "video": {**PATH["video"], "bitrate": 2_500_000}, "rate": "renditions", "audio": {"enabled": False}}
SUBSTREAM = {
    "source": "stream:cam",
    "timestamps": "all",
    "video": {"width": SMALL[0], "height": SMALL[1], "frameRate": FRAMES_PER_SECOND, "bitrate": 500_000, "gopMilliseconds": 2000},
    "audio": {"enabled": False},
}
# What decoders write about damage. Muxers and players also write about frames of the same time, which is no damage.
COMPLAINT = re.compile(r"(?i)^(?!.*(to muxer|timestamp)).*(error|corrupt|conceal|invalid|missing|missed|no frame|non-existing|illegal|reference|lost|discontinu)")


def client(name: str, transport: str, seconds: int) -> str:
    """The client's command line. All decode what they receive."""
    sink = "rtph264depay ! h264parse ! avdec_h264 ! fakesink sync=true"
    commands = {
        "ffmpeg": f"ffmpeg -nostdin -v repeat+warning -rtsp_transport {transport} -i {URL} -f null -",
        "mpv": f"mpv --no-config --no-input-terminal --quiet --msg-level=all=warn --rtsp-transport={transport} --vo=null --ao=null {URL}",
        "gstreamer": f"env GST_DEBUG=2 GST_DEBUG_NO_COLOR=1 gst-launch-1.0 -q rtspsrc location={URL} protocols={transport} latency=200 ! {sink}",
    }
    return f"timeout --signal=INT --kill-after=5 {seconds} {commands[name]}"


def run(name: str, transport: str, seconds: int, options: dict, folder: Path) -> dict:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    server = sampled_server(merged({"paths": {"cam/small": SUBSTREAM}}, options), folder, MAIN)
    impair(1, link(), server, client(name, transport, seconds), seconds + 60, folder, up="")
    relay = json.loads((folder / "relay.json").read_text())
    sent, arrived = (media(folder / file, transport == "tcp") for file in ("server.pcap", "client.pcap"))
    if not arrived:
        raise Failure(f"no video arrived; {(folder / 'client.log').read_text()[-300:]}")
    streams = [MediaStream(packets) for packets in by_source(arrived)]
    frames = sorted((frame for stream in streams for frame in stream_arrivals(stream)), key=lambda frame: frame.seconds)
    for frame in frames:
        frame.seconds -= relay["began"]
    (folder / "received.264").write_bytes(byte_stream(streams))
    return {
        "viewer": f"{name} {transport}",
        **figures(frames),
        "sources": len(list(groupby(rtp_packet(packet).ssrc for packet in sent))),
        "gapsSent": sum(gaps(MediaStream(packets)) for packets in by_source(sent)),
        "gapsArrived": sum(gaps(stream) for stream in streams),
        "droppedByQueue": relay["down"]["droppedByQueue"],
        "complaints": complaints(folder / "client.log"),
        "decoding": complaints(decoded(folder)),
        "skipped": skipped(folder, relay["began"]),
    }


def media(file: Path, is_tcp: bool) -> list[Packet]:
    """The packets of the video, without repairs: those of its payload type."""
    packets = read_packets(file)
    if is_tcp:
        packets = interleaved_packets(packets)
    packets = [packet for packet in packets if packet.is_down and packet.is_rtp]
    kinds = [packet.payload[1] & 0x7F for packet in packets]
    return [packet for packet, kind in zip(packets, kinds) if kind == max(set(kinds), key=kinds.count)]


def by_source(packets: list[Packet]) -> list[list[Packet]]:
    """The packets of each SSRC, in the order of their appearance."""
    sources: dict[bytes, list[Packet]] = {}
    for packet in packets:
        sources.setdefault(rtp_packet(packet).ssrc, []).append(packet)
    return list(sources.values())


def gaps(stream: MediaStream) -> int:
    """Runs of sequence numbers that are missing."""
    numbers = sorted(packet.sequence_number for packet in stream.first)
    return sum(later != one + 1 for one, later in zip(numbers, numbers[1:]))


def byte_stream(streams: list[MediaStream]) -> bytes:
    units = (unit for stream in streams for unit in packetized_units(sorted(stream.first, key=lambda packet: packet.sequence_number)))
    return b"".join(b"\0\0\0\1" + unit for unit in units)


def decoded(folder: Path) -> Path:
    """The log of a decoder that reads everything that has arrived."""
    log = folder / "decoding.log"
    with log.open("w") as file:
        subprocess.run(["ffmpeg", "-nostdin", "-v", "repeat+warning", "-i", folder / "received.264", "-f", "null", "-"], stderr=file, check=False)
    return log


def complaints(log: Path) -> list[str]:
    return [line for line in log.read_text(errors="replace").splitlines() if COMPLAINT.search(line)]


def skipped(folder: Path, began: float) -> int:
    """Frames that the encoders left out, because the machine was too slow."""
    status = list(read_status(folder / "status", began))
    return sum(stream["skipped"] for stream in status[-1][1]["streams"]) - sum(stream["skipped"] for stream in status[0][1]["streams"])


def figures(frames: list[Arrival]) -> dict:
    changes = switches(frames)
    slow = [frame for frame in frames if SLOWER <= frame.seconds < FASTER]
    return {
        "switches": changes,
        "smallAfter": next((at - SLOWER for at, size in changes if size == SMALL and at >= SLOWER), None),
        "largeAfter": next((at - FASTER for at, size in changes if size != SMALL and at >= FASTER), None),
        "sizeAtEnd": changes[-1][1] if changes else None,
        "frames": len(frames),
        "wholeFrames": sum(frame.is_whole for frame in frames),
        "missingFrames": missing(frames),
        "longestGap": max((later.seconds - one.seconds for one, later in zip(frames, frames[1:])), default=None),
        "worstLag": max((frame.lag for frame in slow), default=None),
        "lateShare": sum(frame.lag > LATE for frame in slow) / len(slow) if slow else None,
    }


def switches(frames: list[Arrival]) -> list[tuple[float, tuple[int, int]]]:
    """When the first frame of each size had arrived, beginning with the first."""
    result: list[tuple[float, tuple[int, int]]] = []
    for frame in frames:
        if frame.picture and (not result or frame.picture != result[-1][1]):
            result.append((frame.seconds, frame.picture))
    return result


def missing(frames: list[Arrival]) -> int:
    """Frames between those that arrived, by their capture times: both streams have those of the same source."""
    captured = sorted(frame.seconds - frame.lag for frame in frames)
    return sum(max(0, round((later - one) * FRAMES_PER_SECOND) - 1) for one, later in zip(captured, captured[1:]))


HEADS = (
    "viewer", "substream after (s)", "back after (s)", "switches", "size at the end", "worst lag (s)", "late frames", "longest gap (s)", "frames", "whole",
    "missing", "skipped by encoders", "gaps as sent", "gaps as arrived", "SSRCs", "dropped by the queue", "errors of the client", "errors of a decoder",
)  # fmt: skip


def table(runs: list[dict]) -> str:
    def seconds(value):
        return "never" if value is None else f"{value:.1f}"

    lines = ["| " + " | ".join(HEADS) + " |", "|---" * len(HEADS) + "|"]
    for one in runs:
        size = "×".join(map(str, one["sizeAtEnd"] or ()))
        cells = [
            one["viewer"], seconds(one["smallAfter"]), seconds(one["largeAfter"]), max(0, len(one["switches"]) - 1), size, f"{one['worstLag'] or 0:.2f}",
            f"{100 * (one['lateShare'] or 0):.0f} %", f"{one['longestGap'] or 0:.2f}", one["frames"], one["wholeFrames"], one["missingFrames"], one["skipped"],
            one["gapsSent"], one["gapsArrived"], one["sources"], one["droppedByQueue"], len(one["complaints"]), len(one["decoding"]),
        ]  # fmt: skip
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def main(words: list[str], wait_while):
    parser = argparse.ArgumentParser(prog="script/network renditions", allow_abbrev=False)
    viewers = ["ffmpeg:tcp", "mpv:tcp", "gstreamer:tcp", "ffmpeg:udp", "mpv:udp", "gstreamer:udp"]
    parser.add_argument("--viewers", nargs="+", choices=viewers, default=viewers, metavar="NAME:TRANSPORT")
    parser.add_argument("--seconds", type=int, default=75)
    parser.add_argument("--config-extra", type=json.loads, default={}, metavar="JSON")
    parser.add_argument("--name", default="renditions", help="of the file NAME.json")
    parser.add_argument("--wait-while", type=Path, metavar="FILE")
    options = parser.parse_args(words)
    runs = []
    for viewer in options.viewers:
        wait_while(options.wait_while)
        name, transport = viewer.split(":")
        try:
            runs.append(run(name, transport, options.seconds, options.config_extra, Path.cwd() / "run"))
        except Failure as failure:
            print(f"BROKEN  {viewer}: {failure}", flush=True)
            continue
        print(table(runs[-1:]).splitlines()[-1], flush=True)
        for line in (runs[-1]["complaints"] + runs[-1]["decoding"])[:5]:
            print(f"    {line[:160]}", flush=True)
    Path(f"{options.name}.json").write_text(json.dumps(runs, indent=1) + "\n")
    print(f"\n{table(runs)}")
