"""The size of the frames that a sequence parameter set (SPS) announces (H.264, 7.3.2.1.1)."""

PARAMETER_SET = 7
# Profiles with chroma_format_idc.
HIGH_PROFILES = (100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135)


class Bits:
    """Bits of a NAL unit, without its emulation prevention bytes."""

    def __init__(self, data: bytes):
        self.text = "".join(f"{byte:08b}" for byte in data.replace(b"\0\0\3", b"\0\0"))
        self.position = 0

    def number(self, count: int) -> int:
        self.position += count
        return int(self.text[self.position - count : self.position] or "0", 2)

    def exponential(self) -> int:
        """ue(v): as many zeros as bits that follow the one (9.1)."""
        zeros = self.text.index("1", self.position) - self.position
        self.position += zeros
        return self.number(zeros + 1) - 1

    def signed(self) -> int:
        value = self.exponential()
        return (value + 1) // 2 if value & 1 else -(value // 2)


def picture_size(unit: bytes) -> tuple[int, int]:
    """Width and height of a frame."""
    bits = Bits(unit[1:])
    profile = bits.number(8)
    bits.number(16)
    bits.exponential()
    chroma = 1
    if profile in HIGH_PROFILES:
        chroma = bits.exponential()
        if chroma == 3:
            bits.number(1)
        bits.exponential(), bits.exponential(), bits.number(1)
        if bits.number(1):
            for index in range(12 if chroma == 3 else 8):
                if bits.number(1):
                    skip_scaling_list(bits, 16 if index < 6 else 64)
    bits.exponential()
    kind = bits.exponential()
    if kind == 0:
        bits.exponential()
    elif kind == 1:
        bits.number(1), bits.signed(), bits.signed()
        for _ in range(bits.exponential()):
            bits.signed()
    bits.exponential(), bits.number(1)
    width, height = (bits.exponential() + 1) * 16, (bits.exponential() + 1) * 16
    is_progressive = bits.number(1)
    if not is_progressive:
        height *= 2
        bits.number(1)
    bits.number(1)
    if bits.number(1):
        left, right, top, bottom = (bits.exponential() for _ in range(4))
        # Table 6-1: a sample of chroma for two of luma in one or both directions.
        width -= (left + right) * (2 if chroma in (1, 2) else 1)
        height -= (top + bottom) * (2 if chroma == 1 else 1) * (2 - is_progressive)
    return width, height


def skip_scaling_list(bits: Bits, count: int):
    last, following = 8, 8
    for _ in range(count):
        if following:
            following = (last + bits.signed()) % 256
        last = following or last
