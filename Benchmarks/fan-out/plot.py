"""Plots the cost per number of viewers as SVG: one panel per transport, one line per server and one for the limit."""

from math import log10

WIDTH, HEIGHT, MARGIN, GAP = 420, 300, 50, 30
COLOURS = ("#0b6e99", "#c4531a", "#5b7f2b", "#7a4fa3")
TICKS = (1, 10, 50, 200, 1000, 4000)


def plot(results) -> str:
    transports = ("udp", "tcp")
    most = max((cost for t in transports for _, points in lines(results, t) for _, cost in points if _ >= 50), default=1)
    width = len(transports) * (WIDTH + GAP) + GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT + 2 * MARGIN}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{HEIGHT + 2 * MARGIN}" fill="white"/>',
    ]
    for number, transport in enumerate(transports):
        parts += panel(results, transport, GAP + number * (WIDTH + GAP), most * 1.1)
    return "\n".join(parts + ["</svg>"]) + "\n"


def lines(results, transport: str) -> list[tuple[str, list]]:
    """Per server and for the limit: the cost for each count."""
    found = []
    for server in results.servers():
        costs = [(count, results.median(server, transport, count, "cost")) for count in results.counts()]
        found.append((server, [point for point in costs if point[1] is not None]))
    limits = [(count, results.limit(transport, count)) for count in results.counts()]
    return found + [("limit", [point for point in limits if point[1] is not None])]


def panel(results, transport: str, left: float, most: float) -> list[str]:
    top, bottom = MARGIN, MARGIN + HEIGHT
    right = left + WIDTH

    def x(count: float) -> float:
        return left + 25 + (WIDTH - 35) * log10(count) / log10(5000)

    def y(cost: float) -> float:
        return bottom - HEIGHT * min(cost, most) / most

    parts = [f'<text x="{left + 25}" y="{top - 15}" font-weight="bold">{transport.upper()}: CPU-s/GB per number of viewers</text>']
    step = 0.5 if most < 4 else 1
    for number in range(int(most / step) + 1):
        level = number * step
        parts.append(f'<line x1="{left + 25}" x2="{right}" y1="{y(level):.1f}" y2="{y(level):.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{left + 20}" y="{y(level) + 4:.1f}" text-anchor="end">{level:g}</text>')
    for count in TICKS:
        parts.append(f'<text x="{x(count):.1f}" y="{bottom + 18}" text-anchor="middle">{count}</text>')
    for number, (name, points) in enumerate(lines(results, transport)):
        colour, dash = ("#888", ' stroke-dasharray="5 4"') if name == "limit" else (COLOURS[number % len(COLOURS)], "")
        path = " ".join(f"{x(count):.1f},{y(cost):.1f}" for count, cost in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        parts += [f'<circle cx="{x(count):.1f}" cy="{y(cost):.1f}" r="3" fill="{colour}"/>' for count, cost in points]
        parts.append(f'<text x="{right - 110}" y="{top + 15 + 16 * number}" fill="{colour}">{name}</text>')
    return parts
