#!/usr/bin/env python3
"""How soon a published frame is sent to a viewer over RTSP/TCP: from its last byte in to its last packet out. Usage:
ingest-latency.py [SECONDS [ROUNDS]]

What ffmpeg publishes by RTMP is recorded once. Then a writer sends these messages when they are due, to Apus in one round and to a relay
that does nothing else in the next, and readers on the same clock note when the end of each frame arrives. Over SRT, a writer sends the
same frames as MPEG-TS, to Apus and to a receiver that only notes when libsrt hands messages over: for a minute, because libsrt corrects
what the handshake has added to the latency after about 1,000 acknowledgements, half a minute later. All these are programs in C.
"""
import os
import socket
import statistics
import struct
import subprocess
import sys
from pathlib import Path

import rtmp
from costs import compiled, stream_file
from door import Door
from streams import Frames, Server, Session, end_all, folder, free_port, start, wait
# The folder of script/network is known since costs was imported.
from transport_stream import PACKET_BYTES, video_bytes

SECONDS = int(sys.argv[1]) if len(sys.argv) > 1 else 20
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 5
P50_LIMIT, P99_LIMIT = 1.5, 2.0
SRT_LATENCY, SRT_LIMIT = 0.120, 0.001
SRT_SECONDS, SRT_ROUNDS = 60, 2
TAIL_BYTES = 8
FRAMES_PER_SECOND = 30
# ffmpeg's identifier of the first stream.
VIDEO_PID = 256
# The frames since the last keyframe, which the viewer gets at first, have been sent.
SETTLING_SECONDS = 1
failures = []


def check(what, holds, seen):
    print(f"{'ok     ' if holds else 'BROKEN '} {what}: {seen}", flush=True)
    if not holds:
        failures.append(what)


class Pieces:
    """What the writer sends, in a file: for each piece its due time in seconds, its bytes, and the last bytes of its frame, if it has one."""

    def __init__(self, name, pieces):
        self.file, self.pieces = os.path.join(folder, name), pieces
        with open(self.file, "wb") as file:
            for due, data, _ in pieces:
                file.write(struct.pack("=II", int(1e6 * due), len(data)) + data)
        self.numbers = {tail: number for number, (_, _, tail) in enumerate(pieces) if tail}


def recorded_messages():
    """The opening and the media of an RTMP publisher."""
    door = Door(RTMP, records=True)
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", stream_file(), "-t", str(SECONDS), "-c", "copy", "-f", "flv",
                    f"rtmp://127.0.0.1:{door.port}/live/cam"], check=True)
    everything = list(rtmp.messages(bytes(door.recording[1 + 2 * rtmp.HANDSHAKE_BYTES:])))
    first = next(number for number, message in enumerate(everything) if message.is_media)
    last = max(number for number, message in enumerate(everything) if message.is_media)
    due, pieces = 0.0, []
    for message in everything[first:last + 1]:
        due = max(due, message.timestamp / 1000)
        pieces.append((due, message.raw, message.body[-TAIL_BYTES:] if message.has_frame else b""))
    return b"".join(message.raw for message in everything[:first]), Pieces("messages", pieces)


def transport_stream():
    """The frames as MPEG-TS, each with the tables in front of it."""
    file = os.path.join(folder, "stream.ts")
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", stream_file(), "-t", str(SRT_SECONDS), "-c", "copy", "-f", "mpegts", file], check=True)
    data, pieces, was_video = Path(file).read_bytes(), [b""], False
    for at in range(0, len(data), PACKET_BYTES):
        packet = data[at:at + PACKET_BYTES]
        is_video = int.from_bytes(packet[1:3], "big") & 0x1FFF == VIDEO_PID
        if was_video and (not is_video or packet[1] & 0x40):
            pieces.append(b"")
        pieces[-1] += packet
        was_video = is_video
    return Pieces("transport", [(number / FRAMES_PER_SECOND, piece, video_bytes(piece)[-TAIL_BYTES:]) for number, piece in enumerate(pieces)])


def times(process):
    """The lines of numbers that a program prints at its end."""
    return [line.split() for line in process.communicate()[0].decode().splitlines()]


def read_frames(descriptor, *words, before=b""):
    reader = start([READER, words[0], str(descriptor), *words[1:]], pass_fds=[descriptor], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    reader.stdin.write(before)
    reader.stdin.close()
    reader.stdin = None
    return reader


def watched(writer, pieces, path, connection=None):
    """Seconds from the writer to a viewer of the path, for each frame. Closes the connection of the writer when it has ended."""
    viewer = Session(server.port, Frames(), path)
    reader = read_frames(viewer.socket.fileno(), "rtsp", str(viewer.video), before=bytes(viewer.buffer))
    began = [int(line[0]) for line in times(writer)]
    if connection:
        connection.close()
    server.logged_at("publisher left", server.log().count("publisher joined"), 5)
    reader.terminate()
    arrivals = [(int(time), pieces.numbers.get(bytes.fromhex(tail.zfill(2 * TAIL_BYTES)))) for time, tail in times(reader)]
    viewer.socket.close()
    begin = arrivals[0][0] + SETTLING_SECONDS * 1e9 if arrivals else 0
    # A viewer may be sent the last frames of the publisher before, which are the same.
    known = [(time - began[number]) / 1e9 for time, number in arrivals if number is not None and begin < began[number] < time]
    expected = sum(bool(tail) and instant > begin for instant, (_, _, tail) in zip(began, pieces.pieces))
    if not known or len(known) != expected:
        failures.append(f"{len(known)} of {expected} frames arrived")
        print(f"BROKEN  {failures[-1]}: {server.log()[-300:]}")
    return known


def by_rtmp():
    client = rtmp.connected(RTMP)
    client.sendall(opening)
    rtmp.wait_for(client, rb"NetStream\.Publish\.Start")
    client.settimeout(None)
    writer = start([WRITER, messages.file, "tcp", str(client.fileno())], pass_fds=[client.fileno()], stdout=subprocess.PIPE)
    return watched(writer, messages, "live/cam", client)


def by_relay():
    listener = socket.create_server(("127.0.0.1", 0))
    relay = start([RELAY, str(listener.getsockname()[1])], stdout=subprocess.PIPE)
    client = socket.create_connection(("127.0.0.1", int(relay.stdout.readline())))
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sink, _ = listener.accept()
    reader = read_frames(sink.fileno(), "bytes")
    writer = start([WRITER, messages.file, "tcp", str(client.fileno())], pass_fds=[client.fileno()], stdout=subprocess.PIPE)
    began = [int(line[0]) for line in times(writer)]
    client.close()
    found = byte_times(began, messages, times(reader))
    relay.wait()
    return found


def byte_times(began, pieces, lines):
    """Seconds from the writer to a reader of bytes, for each frame."""
    arrivals = iter([(int(time), int(count, 16)) for time, count in lines])
    found, end, time, count = [], 0, 0, 0
    for instant, (_, data, tail) in zip(began, pieces.pieces):
        end += len(data)
        while count < end:
            time, count = next(arrivals)
        if tail and instant > began[0] + SETTLING_SECONDS * 1e9:
            found.append((time - instant) / 1e9)
    return found


def srt_writer(port):
    return start([WRITER, transport.file, "srt", str(port), str(int(1000 * SRT_LATENCY)), "publish:live/cam"], stdout=subprocess.PIPE)


def by_srt():
    return watched(srt_writer(SRT), transport, "live/cam")


def by_receiver():
    receiver = start([RECEIVER, str(int(1000 * SRT_LATENCY))], stdout=subprocess.PIPE)
    writer = srt_writer(int(receiver.stdout.readline()))
    began = [int(line[0]) for line in times(writer)]
    return byte_times(began, transport, times(receiver))


def percentiles(values):
    values = sorted(values)
    return statistics.median(values), values[min(len(values) - 1, len(values) * 99 // 100)]


def text(values):
    p50, p99 = percentiles(values)
    return f"p50 {1e6 * p50:.0f}, p99 {1e6 * p99:.0f} µs"


try:
    RTMP, SRT = free_port(), free_port()
    RELAY, READER = compiled("relay"), compiled("frame_reader")
    RECEIVER, WRITER = compiled("srt_receiver", "-lsrt-gnutls"), compiled("paced_writer", "-lsrt-gnutls")
    server = Server(f"rtmp: {{ port: {RTMP} }}\nsrt: {{ port: {SRT} }}\naccess: {{ loopback: publish }}\n"
                    f"paths: {{ live/cam: {{ source: publish, srt: {{ latencyMilliseconds: {1000 * SRT_LATENCY:.0f} }} }} }}", "latency")
    opening, messages = recorded_messages()
    server.logged_at("publisher left", 1, 5)
    transport = transport_stream()
    latencies = {"relay": [], "RTMP": [], "libsrt alone": [], "SRT": []}
    first_halves = {name: [] for name in latencies}

    def measure(number, ways):
        for name, run in ways.items():
            found = run()
            latencies[name] += found
            middle = len(found) // 2
            first_halves[name] += found[:middle]
            print(f"        round {number + 1}, {name}: {len(found)} frames, " + (text(found) if found else "none")
                  + (f"; its halves: {text(found[:middle])}; {text(found[middle:])}" if middle else ""), flush=True)

    for number in range(ROUNDS):
        measure(number, {"relay": by_relay, "RTMP": by_rtmp})
    for number in range(SRT_ROUNDS):
        measure(number, {"libsrt alone": by_receiver, "SRT": by_srt})
    (relay_p50, relay_p99), (p50, p99) = percentiles(latencies["relay"]), percentiles(latencies["RTMP"])
    figures = f"{text(latencies['RTMP'])}; relay {text(latencies['relay'])}"
    check(f"RTMP: p50 at most {P50_LIMIT} times that of the relay", p50 <= P50_LIMIT * relay_p50, f"{p50 / relay_p50:.2f} ({figures})")
    check(f"RTMP: p99 at most {P99_LIMIT:g} times that of the relay", p99 <= P99_LIMIT * relay_p99, f"{p99 / relay_p99:.2f}")
    for when, found in ("in the first half minute", first_halves), ("in a minute", latencies):
        (p50, p99), (libsrt_p50, libsrt_p99) = ([1000 * (value - SRT_LATENCY) for value in percentiles(found[name])] for name in ("SRT", "libsrt alone"))
        check(f"SRT, {when}: p50 at most {1000 * SRT_LIMIT:g} ms more than its latency of {1000 * SRT_LATENCY:.0f} ms", p50 <= 1000 * SRT_LIMIT,
              f"{p50:.2f} ms more, p99 {p99:.2f}; libsrt alone {libsrt_p50:.2f} ms more, p99 {libsrt_p99:.2f}")
finally:
    end_all()
print(f"{len(failures)} of the checks failed" if failures else "all checks passed")
sys.exit(1 if failures else 0)
