"""Plots bitrate and lag over time as SVG, one line for each viewer."""

WIDTH, HEIGHT, LEFT, TOP, GAP = 760, 200, 60, 40, 50
COLOURS = ("#0b6e99", "#c4531a", "#5b7f2b", "#7a4fa3", "#e39b6d", "#444444")


class Panel:
    """A diagram over time."""

    def __init__(self, title: str, top: float, seconds: float, highest: float, ticks: tuple[float, ...]):
        self.title, self.top, self.seconds, self.highest, self.ticks = title, top, seconds, highest, ticks

    def x(self, seconds: float) -> float:
        return LEFT + WIDTH * seconds / self.seconds

    def y(self, value: float) -> float:
        return self.top + HEIGHT * (1 - min(value, self.highest) / self.highest)

    def frame(self) -> list[str]:
        parts = [f'<text x="{LEFT}" y="{self.top - 10}" font-weight="bold">{self.title}</text>']
        for tick in self.ticks:
            parts.append(f'<line x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{self.y(tick):.1f}" y2="{self.y(tick):.1f}" stroke="#ddd"/>')
            parts.append(f'<text x="{LEFT - 6}" y="{self.y(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>')
        for second in range(0, int(self.seconds) + 1, 10):
            parts.append(f'<text x="{self.x(second):.1f}" y="{self.top + HEIGHT + 16}" text-anchor="middle">{second} s</text>')
        return parts

    def line(self, points: list[tuple[float, float]], colour: str, more: str = "") -> str:
        text = " ".join(f"{self.x(seconds):.1f},{self.y(value):.1f}" for seconds, value in points if 0 <= seconds <= self.seconds)
        return f'<polyline points="{text}" fill="none" stroke="{colour}" {more}/>'


def plot(link: list[tuple[float, float]], viewers: dict[str, dict[str, list[tuple[float, float]]]], seconds: float) -> str:
    """`link` has corners of the link's rate. Each viewer has `bitrate` (Mbit/s) and `lag` (s)."""
    rates = Panel("Received bitrate (Mbit/s); grey: the link", TOP, seconds, 5, (0, 1, 2, 3, 4))
    lags = Panel("Age of frames at their arrival (s)", TOP + HEIGHT + GAP, seconds, 1.5, (0, 0.15, 0.6, 1, 1.5))
    width, height = LEFT + WIDTH + 20, lags.top + HEIGHT + 30
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        *rates.frame(), *lags.frame(), rates.line(link, "#bbb", 'stroke-width="3"'),
    ]  # fmt: skip
    for index, (name, series) in enumerate(viewers.items()):
        colour = COLOURS[index % len(COLOURS)]
        parts += [rates.line(series["bitrate"], colour), lags.line(series["lag"], colour)]
        parts.append(f'<text x="{LEFT + 130 * index + 8}" y="{lags.top + 16}" fill="{colour}">{name}</text>')
    return "\n".join(parts + ["</svg>"]) + "\n"
