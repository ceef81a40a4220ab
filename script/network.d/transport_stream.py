"""The video in an MPEG transport stream (ISO/IEC 13818-1)."""

PACKET_BYTES, SYNC = 188, 0x47
# stream_id of video (2.4.3.7, table 2-22).
VIDEO_STREAM_IDS = range(0xE0, 0xF0)


def video_bytes(data: bytes) -> bytes:
    """The payload of the first video stream. What packets that are missing contained is missing in it, too."""
    parts, video = [], None
    for packet in aligned(data):
        starts, identifier = packet[1] & 0x40, int.from_bytes(packet[1:3], "big") & 0x1FFF
        begin = 4 + (1 + packet[4] if packet[3] & 0x20 else 0)
        payload = packet[begin:] if packet[3] & 0x10 else b""
        if starts and payload[:3] == b"\0\0\1" and len(payload) > 8 and payload[3] in VIDEO_STREAM_IDS:
            video = identifier if video is None else video
            payload = payload[9 + payload[8] :] if identifier == video else b""
        if identifier == video:
            parts.append(payload)
    return b"".join(parts)


def aligned(data: bytes):
    position = 0
    while position + PACKET_BYTES <= len(data):
        if data[position] != SYNC:
            position = data.find(bytes([SYNC]), position)
            if position < 0:
                return
            continue
        yield data[position : position + PACKET_BYTES]
        position += PACKET_BYTES
