#!/usr/bin/env python3
"""What viewers over SRT cost the server, beside srt-live-transmit. Usage: srt-cost.py [VIEWERS [SECONDS]]

The same stream of 2 Mbit/s goes to all viewers from Apus, and then from as many processes of srt-live-transmit, which has one viewer
each: each is given the stream by UDP, and what that costs is part of its cost. One process with libsrt has all viewers. Three rounds.
"""
import os
import socket
import statistics
import subprocess
import sys
import threading
import time

from costs import allow_descriptors, compiled, processor_seconds, stream_file
from streams import Server, end_all, folder, free_port, free_ports, is_bound, start, wait

VIEWERS = int(sys.argv[1]) if len(sys.argv) > 1 else 100
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 20
ROUNDS = 3
# The frames since the last keyframe, which each viewer gets at first, have been sent.
SETTLING_SECONDS = 3


class Viewers:
    """All viewers, in one process that says how many bytes they have received."""

    def __init__(self, ports):
        self.process = start([SINK, str(VIEWERS), "read:cam", *map(str, ports)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=open(os.path.join(folder, "viewers.log"), "ab"), text=True)
        if self.process.stdout.readline() != "connected\n":
            raise SystemExit("the viewers did not connect: " + open(os.path.join(folder, "viewers.log")).read()[-500:])

    def bytes(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        received, ended = map(int, self.process.stdout.readline().split())
        if ended:
            raise SystemExit(f"{ended} viewers were disconnected")
        return received

    def stop(self):
        self.process.kill()
        self.process.wait()


class Transmitters:
    """As many processes of srt-live-transmit as there are viewers, and an encoder whose datagrams are passed on to all of them."""

    def __init__(self):
        ports = free_ports(2 * VIEWERS)
        self.inputs, self.ports = ports[:VIEWERS], ports[VIEWERS:]
        self.processes = [
            start(["srt-live-transmit", "-q", f"udp://127.0.0.1:{given}", f"srt://127.0.0.1:{port}?mode=listener"])
            for given, port in zip(self.inputs, self.ports)]
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.encoder = None
        threading.Thread(target=self.pass_on, daemon=True).start()

    def pass_on(self):
        while True:
            data = self.socket.recv(2048)
            for port in self.inputs:
                try:
                    self.socket.sendto(data, ("127.0.0.1", port))
                except OSError:
                    pass

    def begin(self):
        # The rest of a keyframe must not be lost in a buffer of UDP, so the datagrams are spread over time.
        self.encoder = start(["ffmpeg", "-nostdin", "-v", "error", "-re", "-stream_loop", "-1", "-i", str(stream_file()), "-c", "copy", "-f", "mpegts",
                              f"udp://127.0.0.1:{self.socket.getsockname()[1]}?pkt_size=1316&bitrate=8000000&burst_bits=80000"])

    def stop(self):
        for process in [*self.processes, self.encoder]:
            process.kill()
            process.wait()


def measure(viewers, processes):
    time.sleep(SETTLING_SECONDS)
    used, received = processor_seconds(processes), viewers.bytes()
    time.sleep(SECONDS)
    used, received = processor_seconds(processes) - used, viewers.bytes() - received
    viewers.stop()
    return used, received / 1e9


def measure_apus():
    return measure(Viewers([port]), [server.process])


def measure_transmitters():
    transmitters = Transmitters()
    # Each opens its listener first, and its input when a viewer has connected.
    wait(20, lambda: all(is_bound(port) for port in transmitters.ports))
    viewers = Viewers(transmitters.ports)
    wait(20, lambda: all(is_bound(port) for port in transmitters.inputs))
    transmitters.begin()
    try:
        return measure(viewers, transmitters.processes)
    finally:
        transmitters.stop()


failures = 0
try:
    allow_descriptors()
    SINK = compiled("srt_sink", "-lsrt-gnutls")
    port = free_port()
    server = Server(f"srt: {{ serve: 'yes', port: {port}, viewers: {VIEWERS} }}\naccess: {{ open: true }}\n"
                    f"paths: {{ cam: {{ source: {stream_file()} }} }}", "cost")
    costs = {"Apus": [], "srt-live-transmit": []}
    rates = {"Apus": [], "srt-live-transmit": []}
    for number in range(ROUNDS):
        for name, run in (("Apus", measure_apus), ("srt-live-transmit", measure_transmitters)):
            used, gigabytes = run()
            costs[name].append(used / gigabytes)
            rates[name].append(gigabytes)
            print(f"        round {number + 1}, {VIEWERS} viewers, {name}: {gigabytes:.3f} GB, {used:.2f} CPU-s, {used / gigabytes:.2f} CPU-s/GB", flush=True)
    # Both send the same stream, so nothing was lost if as much came.
    whole = min(rates["Apus"]) > 0.9 * max(rates["srt-live-transmit"]) and min(rates["srt-live-transmit"]) > 0.9 * max(rates["Apus"])
    failures += not whole
    print(f"{'ok     ' if whole else 'BROKEN '} SRT: as many bytes came from both; Apus costs {statistics.median(costs['Apus']):.2f} CPU-s/GB, "
          f"srt-live-transmit {statistics.median(costs['srt-live-transmit']):.2f}")
finally:
    end_all()
sys.exit(1 if failures else 0)
