#!/usr/bin/env python3
"""Starts `apus serve` repeatedly and prints the time from exec until a client can connect."""

import argparse
import socket
import statistics
import subprocess
import time


def milliseconds_to_listen(binary: str, port: int, sources: list[str]) -> float:
    begun = time.monotonic()
    server = subprocess.Popen(
        [binary, "serve", "--http-port", "0", "--port", str(port), *sources], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        while server.poll() is None:
            with socket.socket() as client:
                if client.connect_ex(("127.0.0.1", port)) == 0:
                    return (time.monotonic() - begun) * 1e3
            # Finer than the printed resolution, but coarse enough not to take processor time from the server.
            time.sleep(0.0005)
        raise SystemExit(f"the server exited with {server.returncode} before it was listening")
    finally:
        server.terminate()
        server.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--apus", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("sources", nargs="+")
    options = parser.parse_args()
    spans = sorted(milliseconds_to_listen(options.apus, options.port, options.sources) for _ in range(options.count))
    print(f"median_ms {statistics.median(spans):.1f}")
    print(f"min_ms {spans[0]:.1f}")
    print(f"max_ms {spans[-1]:.1f}")


main()
