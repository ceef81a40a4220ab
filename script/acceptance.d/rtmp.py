"""A client of RTMP, as far as runs need one: the handshake, and the messages of publishers and players."""
import os
import re
import socket
import struct

HANDSHAKE_BYTES = 1536
# Long enough for a server under load.
TIMEOUT_SECONDS = 20
SET_CHUNK_SIZE, AUDIO, VIDEO, DATA_AMF0, COMMAND_AMF0 = 1, 8, 9, 18, 20


def text(value):
    return b"\2" + struct.pack(">H", len(value)) + value.encode()


def number(value):
    return b"\0" + struct.pack(">d", value)


def values(pairs):
    fields = b"".join(struct.pack(">H", len(name)) + name.encode() + text(value) for name, value in pairs.items())
    return b"\3" + fields + b"\0\0\t"


def command(stream, *parts):
    """A command as one message in chunks of 128 bytes, on chunk stream 3."""
    body = b"".join(parts)
    chunks = [body[at:at + 128] for at in range(0, len(body), 128)]
    header = b"\3" + bytes(3) + len(body).to_bytes(3, "big") + bytes([COMMAND_AMF0]) + struct.pack("<I", stream)
    return header + b"\xc3".join(chunks)


def connected(port):
    """A socket after the handshake (simple, without digests)."""
    client = socket.create_connection(("127.0.0.1", port), TIMEOUT_SECONDS)
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    client.sendall(b"\3" + bytes(8) + os.urandom(HANDSHAKE_BYTES - 8))
    answer = b""
    while len(answer) < 1 + 2 * HANDSHAKE_BYTES:
        answer += client.recv(1 + 2 * HANDSHAKE_BYTES - len(answer))
    client.sendall(answer[1:1 + HANDSHAKE_BYTES])
    return client


def wait_for(client, pattern):
    """Reads until the server has sent this; it must be no part of a longer message that is not read to its end."""
    received = b""
    while not re.search(pattern, received):
        data = client.recv(65536)
        if not data:
            raise SystemExit(f"the server closed the connection after {received[-200:]}")
        received += data


def playing(port, application, name):
    """A socket whose server has begun to send a stream."""
    client = connected(port)
    client.sendall(command(0, text("connect"), number(1), values({"app": application, "tcUrl": f"rtmp://127.0.0.1:{port}/{application}"})))
    wait_for(client, rb"NetConnection\.Connect\.Success")
    client.sendall(command(0, text("createStream"), number(2), b"\5"))
    client.sendall(command(1, text("play"), number(3), b"\5", text(name), number(-1000)))
    wait_for(client, rb"NetStream\.Play\.Start")
    return client


class Message:
    """A message that a client has sent: its bytes in chunks, and what they say."""

    def __init__(self, kind, timestamp, body, raw):
        self.kind, self.timestamp, self.body, self.raw = kind, timestamp, body, raw

    @property
    def is_media(self):
        return self.kind in (AUDIO, VIDEO, DATA_AMF0)

    @property
    def has_frame(self):
        """Whether it is an access unit of H.264, and not the parameter sets (FLV: AVCPacketType 1)."""
        return self.kind == VIDEO and self.body[0] & 15 == 7 and self.body[1] == 1


def messages(data):
    """The messages in what a client has sent behind its handshake. Their chunks must not be interleaved (RTMP 1.0, 5.3.1)."""
    at, chunk_bytes, streams = 0, 128, {}
    while at < len(data):
        begin, body, header = at, b"", None
        while header is None or len(body) < header["length"]:
            form, identifier = data[at] >> 6, data[at] & 63
            at += 1
            if identifier < 2:
                identifier = 64 + int.from_bytes(data[at:at + 1 + identifier], "little")
                at += 1 + (identifier > 319)
            header = streams.setdefault(identifier, {"length": 0, "kind": 0, "time": 0, "delta": 0, "is_extended": False})
            time = int.from_bytes(data[at:at + 3], "big")
            if form < 2:
                header["length"], header["kind"] = int.from_bytes(data[at + 3:at + 6], "big"), data[at + 6]
            at += (11, 7, 3, 0)[form]
            if form < 3:
                header["is_extended"] = time == 0xFFFFFF
            if header["is_extended"]:
                time = int.from_bytes(data[at:at + 4], "big")
                at += 4
            if not body:
                header["delta"] = time if form < 3 else header["delta"]
                header["time"] = time if form == 0 else header["time"] + header["delta"]
            count = min(chunk_bytes, header["length"] - len(body))
            if at + count > len(data):
                return
            body += data[at:at + count]
            at += count
        if header["kind"] == SET_CHUNK_SIZE:
            chunk_bytes = int.from_bytes(body[:4], "big")
        yield Message(header["kind"], header["time"], body, data[begin:at])
