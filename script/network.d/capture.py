"""Writes the packets of network devices into pcap files: capture.py FOLDER SECONDS [DEVICE:FILE…].

By default, the devices are those of the relay, in whose network namespace it must run. FOLDER/server.pcap has what passes between server
and relay: packets of the server before the loss, packets of the client after it. FOLDER/client.pcap has what passes between relay and
client. Both devices have no offloads, so that each record is one packet as the relay counts it. The file FOLDER/ready.DEVICE appears
when the capture of the device has begun. SIGTERM ends it, the end of its parent, or SECONDS without either.
"""

import os
import select
import signal
import socket
import struct
import sys
import time
from pathlib import Path

ETH_P_ALL = 3
SO_RCVBUFFORCE = 33
SO_TIMESTAMPNS = 35
NANOSECOND_MAGIC, LINKTYPE_RAW = 0xA1B23C4D, 101
RELAY = ["tun0:server.pcap", "tun1:client.pcap"]


class Tap:
    """One device and its file."""

    def __init__(self, device: str, file: Path):
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_ALL))
        # Room for seconds, because the machine may be busy.
        self.socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 32 << 20)
        self.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.socket.bind((device, ETH_P_ALL))
        self.socket.setblocking(False)
        self.file = file.open("wb")
        self.file.write(struct.pack("<IHHiIII", NANOSECOND_MAGIC, 2, 4, 0, 0, 65535, LINKTYPE_RAW))

    def drain(self):
        while True:
            try:
                packet, ancillary, _, _ = self.socket.recvmsg(65535, 64)
            except BlockingIOError:
                return
            seconds, nanoseconds = struct.unpack("@ll", ancillary[0][2][:16])
            self.file.write(struct.pack("<IIII", seconds, nanoseconds, len(packet), len(packet)) + packet)


def main():
    folder, end = Path(sys.argv[1]), time.monotonic() + float(sys.argv[2])
    devices = dict(word.split(":") for word in sys.argv[3:] or RELAY)
    taps = [Tap(device, folder / name) for device, name in devices.items()]
    ended = []
    signal.signal(signal.SIGTERM, lambda *_: ended.append(True))
    for device in devices:
        (folder / f"ready.{device}").touch()
    # The shell of the client may be killed.
    parent = os.getppid()
    while not ended and os.getppid() == parent and time.monotonic() < end:
        select.select([tap.socket for tap in taps], [], [], 0.1)
        for tap in taps:
            tap.drain()
    for tap in taps:
        tap.drain()
        tap.file.close()


if __name__ == "__main__":
    main()
