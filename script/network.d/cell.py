"""One run: a client, a server, a loss, a round trip, a seed."""

import json
import shutil
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean

import prediction
from clients import Client
from comparison import compare, damage, sent_part
from h264 import frames, byte_stream_units, packetized_units
from packets import NACK, TRANSPORT_FEEDBACK, MediaStream, feedback_kinds, never_arrived, read_packets
from servers import SCRIPTS
from transport_stream import video_bytes
from video import Video

# In the order of the table. A burst has 4 packets on average.
LOSSES = {"none": "0%", "0.2%": "0.2%", "1%": "1%", "3%": "3%", "bursts": "gilbert-elliott 0.2525% 25%"}

# With noise, the test card needs three quarters of its bitrate: 2 Mbit/s.
TEST_CARD = {
    "source": "testcard",
    "video": {"width": 1280, "height": 720, "frameRate": 30, "bitrate": 2_700_000, "gopMilliseconds": 2000},
    "effects": {"filters": "noise=alls=12:allf=t"},
    "audio": {"enabled": False},
}


@dataclass(frozen=True)
class Setup:
    server: str
    client: str
    loss: str
    round_trip_milliseconds: int
    seed: int
    seconds: int
    # `file`, or `testcard`, which the server encodes, so that repair may include keyframes on request.
    source: str = "file"


class Failure(Exception):
    """A run without a result, with the reason."""


def run(setup: Setup, server, client: Client, video: Video | None, folder: Path) -> dict:
    """Runs the cell, and returns its figures."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    # VLC runs as another user.
    folder.chmod(0o777)
    impair(
        setup.seed,
        f"loss {LOSSES[setup.loss]} delay {setup.round_trip_milliseconds * 500}us",
        server.command(folder, {"source": str(video.file)} if video else TEST_CARD, client.is_transport_stream),
        client.command(folder, setup.seconds),
        setup.seconds + 60,
        folder,
    )
    return {**asdict(setup), **figures(setup, client, video, folder)}


def impair(seed: int, settings: str, server: str, client: str, seconds: int, folder: Path, up: str | None = None):
    """Runs both commands with the network between them; what each end of the relay sees is captured in the folder."""
    captured = f"""
    middle=$(ip netns identify | sed 's/-client$/-middle/')
    ip netns exec "$middle" python3 {SCRIPTS}/network.d/capture.py {folder} {seconds} & capture=$!
    until [[ -e {folder}/ready.tun1 ]]; do sleep 0.02; done
    {{ {client}
    }} >{folder}/client.log 2>&1 </dev/null
    sleep 0.2
    kill "$capture" && wait "$capture"
    """
    done = subprocess.run(
        [SCRIPTS / "impair", "--port", "8554", "--seed", str(seed), "--down", settings, "--up", up or settings]
        + ["--statistics", folder / "relay.json", "--server", server, "--client", captured],
        capture_output=True, text=True, timeout=seconds + 120,
    )  # fmt: skip
    if done.returncode == 77:
        raise SystemExit(done.stderr.strip())
    if not (folder / "relay.json").exists():
        raise Failure(done.stderr[-400:])


def figures(setup: Setup, client: Client, video: Video | None, folder: Path) -> dict:
    at_server, at_client = read_packets(folder / "server.pcap"), read_packets(folder / "client.pcap")
    relay = json.loads((folder / "relay.json").read_text())
    try:
        stream = MediaStream(at_server)
        sent = sent_frames(stream)
        if video:
            sent = sent_part(video.frames, sent)
        received = client.received(folder)
    except (ValueError, FileNotFoundError) as error:
        raise Failure(f"{error}; {(folder / 'client.log').read_text()[-300:]}") from error
    result, arrived = compare(sent, received), MediaStream(at_client)
    if not result.expected:
        raise Failure("the client received no intact frame")
    first_bytes = sum(packet.packet.byte_count for packet in stream.first)
    down_bytes = sum(packet.byte_count for packet in at_server if packet.is_down)
    return {
        "expected": result.expected,
        "received": result.received,
        "altered": result.altered,
        **summary(result.damage),
        "eventsAfterReport": events_after_report(stream, at_server, result.damage.begins, len(sent)),
        # The run is void if the client ended long before the server.
        "sentAfterLast": len(sent) - result.expected,
        "lostDown": relay["down"]["lost"],
        "lostUp": relay["up"]["lost"],
        "packetsDown": relay["down"]["packets"],
        "lateMicroseconds": relay["down"]["late"]["worstMicroseconds"],
        "neverArrived": len(never_arrived(stream, arrived)),
        "requests": sum((TRANSPORT_FEEDBACK, NACK) in feedback_kinds(packet) for packet in at_client if packet.is_rtcp),
        "repeated": len(stream.repeated),
        "repeatedShare": sum(packet.packet.byte_count for packet in stream.repeated) / first_bytes,
        "overhead": down_bytes / first_bytes - 1,
        "firstFrameSeconds": first_frame_at(arrived) - at_client[0].seconds,
        **predicted(setup, client, stream, at_server, at_client, result.is_keyframe),
    }


def summary(damage_, prefix: str = "") -> dict:
    names = {
        "broken": damage_.broken,
        "stale": damage_.stale,
        "events": damage_.events,
        "healedWorst": max(damage_.healing, default=0.0),
        "healedMean": mean(damage_.healing) if damage_.healing else 0.0,
    }
    return {prefix + (name[0].upper() + name[1:] if prefix else name): value for name, value in names.items()}


def events_after_report(stream: MediaStream, at_server, begins: list[int], frame_count: int) -> int | None:
    """The events of frames that were sent after the server had the client's first report; None if there is no report."""
    reported = next((packet.seconds for packet in at_server if not packet.is_down and packet.is_rtcp), None)
    times, last = [], None
    for packet in stream.first:
        if packet.timestamp != last:
            times.append(packet.packet.seconds)
            last = packet.timestamp
    # If the server leaves out frames of a file, its packets do not tell which.
    if reported is None or stream.is_transport_stream or len(times) != frame_count:
        return None
    return sum(times[begin] > reported for begin in begins)


def sent_frames(stream: MediaStream):
    if stream.is_transport_stream:
        return frames(byte_stream_units(video_bytes(b"".join(packet.payload for packet in stream.first))))
    return frames(packetized_units(stream.first))


def first_frame_at(stream: MediaStream) -> float:
    """When the last packet of the first frame arrived."""
    for index, packet in enumerate(stream.first):
        if packet.is_marked and not stream.is_transport_stream:
            return packet.packet.seconds
        # MPEG-TS marks no packets, so that the second frame shows the end of the first.
        begun = video_bytes(b"".join(packet.payload for packet in stream.first[: index + 1])) if stream.is_transport_stream else b""
        if len(frames(byte_stream_units(begun))) == 2:
            return stream.first[index - 1].packet.seconds
    return stream.first[-1].packet.seconds


def predicted(setup: Setup, client: Client, stream: MediaStream, at_server, at_client, is_keyframe: list[bool]) -> dict:
    """What the losses of this seed leave broken without repair, and with ffmpeg's requests."""
    if client.is_transport_stream:
        return {}
    numbers = {id(packet.packet): packet.sequence_number for packet in stream.first}
    repeated = {id(packet.packet) for packet in stream.repeated}
    down = [
        (packet.seconds, numbers.get(id(packet)))
        for packet in at_server if packet.is_down and id(packet) not in repeated
    ]  # fmt: skip
    up = [
        packet.seconds
        for packet in at_client if not packet.is_down and not (packet.is_rtcp and (TRANSPORT_FEEDBACK, NACK) in feedback_kinds(packet))
    ]  # fmt: skip
    link = prediction.Link(setup.seed, LOSSES[setup.loss], setup.round_trip_milliseconds / 1000)

    def broken_frames(missing: set[int]) -> set[int]:
        indices, frame, last = set(), -1, None
        for packet in stream.first:
            if packet.timestamp != last:
                frame, last = frame + 1, packet.timestamp
            if packet.sequence_number in missing and frame < len(is_keyframe):
                indices.add(frame)
        return indices

    without = damage(is_keyframe, broken_frames(prediction.lost(link, down)))
    with_requests = damage(is_keyframe, broken_frames(prediction.unrepaired(link, down, up)))
    return {**summary(without, "withoutRepair"), **summary(with_requests, "ffmpegModel")}
