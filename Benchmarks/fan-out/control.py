"""Measures the response time of OPTIONS while frames of 100 KB are sent to a thousand viewers."""

import os
import socket
import subprocess
import time

from servers import Apus, pinned

VIEWERS, IDR_BYTES, SECONDS = 1000, 100_000, 8.0


def measure_control(bench) -> dict:
    """The distribution of round-trip times in milliseconds."""
    with Apus(bench, idr_bytes=IDR_BYTES):
        arguments = ["viewers", "--url", bench.url, "--transport", "udp", "--count", VIEWERS, "--ramp", 250]
        command = pinned(bench.receiver_processor, [bench.apus, "bench", *arguments, "--seconds", 5.5 + SECONDS])
        watching = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(5)
        trips = sorted(round_trips(bench, time.monotonic() + SECONDS))
        watching.wait()
    return {"p50": trips[len(trips) // 2], "p99": trips[len(trips) * 99 // 100], "max": trips[-1], "count": len(trips)}


def round_trips(bench, end: float):
    """Round trips one after another, 5 ms apart, with real-time priority, because the receivers keep the processor busy."""
    try:
        os.sched_setaffinity(0, {bench.receiver_processor})
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except PermissionError:
        pass
    try:
        with socket.create_connection(("127.0.0.1", bench.port)) as client:
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            number = 0
            while time.monotonic() < end:
                number += 1
                start = time.monotonic()
                client.sendall(f"OPTIONS {bench.url} RTSP/1.0\r\nCSeq: {number}\r\n\r\n".encode())
                answer = b""
                while not answer.endswith(b"\r\n\r\n"):
                    answer += client.recv(4096)
                yield (time.monotonic() - start) * 1000
                time.sleep(0.005)
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        os.sched_setaffinity(0, {bench.server_processor, bench.receiver_processor})
