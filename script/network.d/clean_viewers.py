"""Viewers on a clean link beside the one that is measured: whether they notice that it is slow.

   server's namespace: clean0 ── veth ── clean1 :another namespace, with all these viewers

The link has no limits, and what passes it is captured. The viewers are ffmpeg over TCP.
"""

from dataclasses import asdict, dataclass
from pathlib import Path

from lag import Arrival, arrivals
from packets import Packet, read_packets
from servers import PORT, SCRIPTS

NETWORK = "10.77.3."


@dataclass
class CleanViewer:
    """What one viewer received."""

    # In the time in which the link of the measured viewer is slow.
    megabits_per_second: float
    longest_gap_seconds: float
    # In the time before and after.
    megabits_per_second_while_fast: float
    # Over the whole run.
    frames: int
    # Frames between its first and its last that another viewer received, or the measured one.
    missing: int


def link(count: int, seconds: int, folder: Path) -> str:
    """Commands for the server's namespace that create the link, and play as soon as the server listens."""
    if not count:
        return ""
    play = f"timeout --signal=INT --kill-after=5 {seconds} ffmpeg -nostdin -v warning -rtsp_transport tcp -i rtsp://$APUS_IMPAIR_SERVER:{PORT}/cam -c copy -f null -"
    viewers = f"""
    until ip link show clean1; do sleep 0.02; done
    ip address add {NETWORK}2/24 dev clean1
    ip link set clean1 up
    ip route add default via {NETWORK}1
    until (exec 3<>/dev/tcp/$APUS_IMPAIR_SERVER/{PORT}); do sleep 0.1; done
    for ((viewer = 0; viewer < {count}; viewer++)); do {play} & done
    wait
    """
    # The namespace exists as long as its processes.
    return f"""
    ip link add clean0 type veth peer name clean1
    ip address add {NETWORK}1/24 dev clean0
    ip link set clean0 up
    unshare --net bash -c '{viewers}' >{folder}/clean.log 2>&1 & viewers=$!
    while ip link show clean1 >/dev/null 2>&1; do ip link set clean1 netns "$viewers"; sleep 0.05; done
    python3 {SCRIPTS}/network.d/capture.py {folder} {seconds + 60} clean0:clean.pcap &
    until [[ -e {folder}/ready.clean0 ]]; do sleep 0.02; done
    """


def measured(folder: Path, began: float, numbers: set[int], slow: range) -> list[dict]:
    """All viewers; `numbers` are the frames of the measured one, and `slow` are seconds since `began`."""
    connections: dict[int, list[Packet]] = {}
    for packet in read_packets(folder / "clean.pcap"):
        connections.setdefault(packet.client_port, []).append(packet)
    viewers = [frames for packets in connections.values() if (frames := received(packets))]
    return [asdict(viewer(frames, began, slow, numbers.union(*numbers_of(viewers)))) for frames in viewers]


def received(packets: list[Packet]) -> list[Arrival]:
    try:
        return arrivals(packets, is_tcp=True)
    except (ValueError, IndexError):
        # A connection that only asked whether the server listens.
        return []


def numbers_of(viewers: list[list[Arrival]]) -> list[set[int]]:
    return [{frame.number for frame in frames} for frames in viewers]


def viewer(frames: list[Arrival], began: float, slow: range, sent: set[int]) -> CleanViewer:
    during = [frame for frame in frames if slow.start <= frame.seconds - began < slow.stop]
    # Without the first two seconds, in which it gets its fast start and the encoder begins.
    first = frames[0].seconds + 2
    before = [frame for frame in frames if first <= frame.seconds < began + slow.start]
    after = [frame for frame in frames if frame.seconds >= began + slow.stop]
    fast_seconds = began + slow.start - first + frames[-1].seconds - (began + slow.stop)
    numbers = {frame.number for frame in frames}
    return CleanViewer(
        sum(frame.byte_count for frame in during) * 8e-6 / len(slow),
        max((later.seconds - one.seconds for one, later in zip(during, during[1:])), default=float(len(slow))),
        sum(frame.byte_count for frame in before + after) * 8e-6 / fast_seconds,
        len(frames),
        sum(min(numbers) < number < max(numbers) for number in sent - numbers),
    )


def table(reference: list[dict], viewers: list[dict]) -> str:
    """Each viewer of the run with a slow one, compared with the rest of the same run. What the encoder makes differs from run to run."""
    without = [change(one) for one in reference]
    lines = [
        f"Without a slow viewer: {spread(reference, 'megabits_per_second', 3)} Mbit/s, in the same seconds {min(without):+.1f} to {max(without):+.1f} % against the "
        f"others, longest gap {spread(reference, 'longest_gap_seconds', 3)} s, {sum(one['missing'] for one in reference)} frames missing",
        "",
        "| clean viewer | Mbit/s while the link is slow | against the rest of the run | longest gap (s) | frames | missing |",
        "|---" * 6 + "|",
    ]
    for number, one in enumerate(viewers, 1):
        lines.append(
            f"| {number} | {one['megabits_per_second']:.3f} | {change(one):+.1f} % | {one['longest_gap_seconds']:.3f} | "
            f"{one['frames']} | {one['missing']} |"
        )
    return "\n".join(lines)


def change(viewer: dict) -> float:
    """Percent by which its bitrate differs while the link is slow."""
    return 100 * (viewer["megabits_per_second"] / viewer["megabits_per_second_while_fast"] - 1)


def spread(viewers: list[dict], name: str, digits: int) -> str:
    values = [one[name] for one in viewers]
    return f"{min(values):.{digits}f} to {max(values):.{digits}f}"
