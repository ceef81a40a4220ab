#!/usr/bin/python3
"""Attacks a server on this host with random attacks on four threads.

abusers.py --port PORT --address ADDRESS --seconds SECONDS [--locked] [--tls-port PORT]

The attacks come from ADDRESS, so that the server's countermeasures affect no other client. Prints how often each attack was tried.
Fails if the server accepted a wrong password (--locked) or no longer answers.
"""

import argparse
import collections
import random
import socket
import struct
import sys
import threading
import time

MEDIA_PORTS = range(6970, 6990)


class Abuser:
    """One thread of attacks. The server may close any connection at any time without a failure."""

    def __init__(self, options, seed):
        self.options = options
        self.random = random.Random(seed)
        self.counts = collections.Counter()
        self.let_in = 0

    def run(self, end):
        abuses = [self.garbage, self.half_request, self.long_head, self.dribble, self.idle, self.many_sessions]
        abuses += [self.reflection, self.stray_datagrams, self.wrong_channel]
        if self.options.locked:
            abuses += [self.wrong_password] * 2
        if self.options.tls_port:
            abuses += [self.half_handshake, self.garbage_inside_handshake]
        while time.monotonic() < end:
            abuse = self.random.choice(abuses)
            self.counts[abuse.__name__] += 1
            try:
                abuse()
            except OSError:
                pass

    def connection(self, port=None):
        return socket.create_connection(
            ("127.0.0.1", port or self.options.port), timeout=1, source_address=(self.options.address, 0)
        )

    def ask(self, connection, method, target="/cam", *headers):
        """Sends a request and returns the first bytes received."""
        url = f"rtsp://127.0.0.1:{self.options.port}{target}"
        lines = [f"{method} {url} RTSP/1.0", f"CSeq: {self.random.randrange(1, 1000)}", *headers, "", ""]
        connection.sendall("\r\n".join(lines).encode())
        return connection.recv(65536)

    def garbage(self):
        with self.connection() as connection:
            connection.sendall(self.random.randbytes(self.random.choice([1, 7, 100, 5_000, 40_000])))
            connection.recv(4096)

    def half_request(self):
        with self.connection() as connection:
            connection.sendall(b"DESCRIBE rtsp://127.0.0.1/cam RTSP/1.0\r\nCSeq: 1\r\nContent-Length: 60000\r\n\r\nv=0")

    def long_head(self):
        with self.connection() as connection:
            connection.sendall(b"OPTIONS * RTSP/1.0\r\n" + b"X: y\r\n" * self.random.choice([80, 8_000]))
            connection.recv(4096)

    def dribble(self):
        with self.connection() as connection:
            for byte in b"DESCRIBE rtsp":
                connection.sendall(bytes([byte]))
                time.sleep(0.02)

    def idle(self):
        connections = [self.connection() for _ in range(20)]
        time.sleep(0.2)
        for connection in connections:
            connection.close()

    def many_sessions(self):
        with self.connection() as connection:
            for _ in range(12):
                self.ask(connection, "SETUP", "/cam/track1", "Transport: RTP/AVP/TCP;unicast;interleaved=0-1")

    def reflection(self):
        with self.connection() as connection:
            transport = "Transport: RTP/AVP;unicast;destination=127.0.0.1;client_port=9-10"
            self.ask(connection, "SETUP", "/cam/track1", transport)

    def wrong_channel(self):
        with self.connection() as connection:
            connection.sendall(b"$" + struct.pack(">BH", 77, 1_000) + self.random.randbytes(1_000))
            self.ask(connection, "OPTIONS")

    def stray_datagrams(self):
        """Sends RTCP reports, BYEs and random bytes to all ports from which media leaves."""
        ssrc = self.random.randrange(1 << 32)
        datagrams = [
            struct.pack(">BBHI", 0x81, 203, 1, ssrc),
            struct.pack(">BBHI", 0x80, 201, 1, ssrc) + struct.pack(">BBHII", 0x81, 206, 2, ssrc, ssrc),
            self.random.randbytes(self.random.randrange(1, 1_400)),
            b"",
        ]
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.bind((self.options.address, 0))
            for port in MEDIA_PORTS:
                sender.sendto(self.random.choice(datagrams), ("127.0.0.1", port))

    def wrong_password(self):
        with self.connection() as connection:
            challenge = self.ask(connection, "DESCRIBE").decode(errors="replace")
            nonce = challenge.partition('nonce="')[2].partition('"')[0]
            credentials = (
                f'Digest username="viewer", realm="Apus", nonce="{nonce}", '
                f'uri="rtsp://127.0.0.1:{self.options.port}/cam", response="{self.random.randbytes(16).hex()}"'
            )
            if b" 200 " in self.ask(connection, "DESCRIBE", "/cam", f"Authorization: {credentials}")[:16]:
                self.let_in += 1

    def half_handshake(self):
        with self.connection(self.options.tls_port) as connection:
            # The beginning of a ClientHello of 512 bytes.
            connection.sendall(bytes([22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3]) + self.random.randbytes(32))

    def garbage_inside_handshake(self):
        with self.connection(self.options.tls_port) as connection:
            connection.sendall(self.random.randbytes(2_000))
            connection.recv(4096)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--tls-port", type=int)
    parser.add_argument("--address", required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--locked", action="store_true")
    options = parser.parse_args()
    abusers = [Abuser(options, seed) for seed in range(4)]
    end = time.monotonic() + options.seconds
    threads = [threading.Thread(target=abuser.run, args=(end,)) for abuser in abusers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name, count in sorted(sum((abuser.counts for abuser in abusers), collections.Counter()).items()):
        print(f"{count:6} {name}")
    if any(abuser.let_in for abuser in abusers):
        sys.exit("the server accepted a wrong password")
    with abusers[0].connection() as connection:
        if not abusers[0].ask(connection, "OPTIONS", "").startswith(b"RTSP/1.0 200"):
            sys.exit("the server does not answer")


main()
