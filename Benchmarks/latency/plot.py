"""Plots latency distributions as SVG: per server, the share of frames that were decoded within each time."""

from math import log10

WIDTH, HEIGHT, LEFT, TOP = 760, 320, 60, 40
COLOURS = ("#0b6e99", "#5b9bd5", "#c4531a", "#e39b6d", "#7a4fa3", "#5b7f2b", "#444444")
SHORTEST, LONGEST = 0.1, 20_000
TICKS = {0.1: "0.1 ms", 1: "1 ms", 10: "10 ms", 33.3: "a frame", 100: "100 ms", 1000: "1 s", 10_000: "10 s"}


def x(milliseconds: float) -> float:
    clamped = min(max(milliseconds, SHORTEST), LONGEST)
    return LEFT + WIDTH * log10(clamped / SHORTEST) / log10(LONGEST / SHORTEST)


def y(share: float) -> float:
    return TOP + HEIGHT * (1 - share)


def plot(distributions: dict[str, list[float]]) -> str:
    width, height = WIDTH + LEFT + 20, HEIGHT + TOP + 40
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{LEFT}" y="20" font-weight="bold">Share of frames decoded within …</text>',
    ]
    for share in (0, 0.25, 0.5, 0.75, 0.99):
        parts.append(f'<line x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{y(share):.1f}" y2="{y(share):.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y(share) + 4:.1f}" text-anchor="end">{share * 100:.0f} %</text>')
    for milliseconds, name in TICKS.items():
        parts.append(f'<line x1="{x(milliseconds):.1f}" x2="{x(milliseconds):.1f}" y1="{TOP}" y2="{TOP + HEIGHT}" stroke="#eee"/>')
        parts.append(f'<text x="{x(milliseconds):.1f}" y="{TOP + HEIGHT + 18}" text-anchor="middle">{name}</text>')
    for number, (name, values) in enumerate(distributions.items()):
        parts += curve(name, sorted(values), COLOURS[number % len(COLOURS)], TOP + 16 + 16 * number)
    return "\n".join(parts + ["</svg>"]) + "\n"


def curve(name: str, values: list[float], colour: str, legend: float) -> list[str]:
    if not values:
        return []
    steps = [(values[min(len(values) - 1, len(values) * part // 200)], part / 200) for part in range(201)]
    points = " ".join(f"{x(value):.1f},{y(share):.1f}" for value, share in steps)
    return [
        f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>',
        f'<text x="{LEFT + 8}" y="{legend}" fill="{colour}">{name}</text>',
    ]
