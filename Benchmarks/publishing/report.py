"""Stores results and formats the tables."""

import json
import statistics
from pathlib import Path

BEGIN, END = "<!-- measured: Benchmarks/publishing/measure -->", "<!-- end of published streams -->"
REFERENCE = "C program"


class Results:
    """The reports of all rounds: by server, transport and number of streams."""

    def __init__(self, machine: str, seconds: float, streams: int, real_time: bool, rounds=None):
        self.machine, self.seconds, self.streams, self.real_time = machine, seconds, streams, real_time
        self.rounds: dict[str, dict[str, dict]] = rounds or {}

    @staticmethod
    def read(file: Path) -> "Results":
        return Results(**json.loads(file.read_text()))

    def write(self, file: Path):
        file.write_text(json.dumps(vars(self), indent=1))

    def add(self, server: str, transport: str, count: int, run: int, report: dict | None, others: float):
        self.rounds.setdefault(f"{server}|{transport}|{count}", {})[str(run)] = (report or {}) | {"others": others}

    def values(self, server: str, transport: str, count: int, figure: str) -> list[float]:
        reports = self.rounds.get(f"{server}|{transport}|{count}", {}).values()
        return [report[figure] for report in reports if figure in report]

    def median(self, server: str, transport: str, count: int, figure: str) -> float | None:
        known = self.values(server, transport, count, figure)
        return statistics.median(known) if known else None

    def ratios(self, server: str, transport: str, figure: str) -> list[float]:
        """Each round's figure as a multiple of the C program's in the same round."""
        mine, others = (self.rounds.get(f"{name}|{transport}|1", {}) for name in (server, REFERENCE))
        return sorted(
            mine[run][figure] / others[run][figure] for run in mine if figure in mine[run] and figure in others.get(run, {}))

    def servers(self, count: int) -> list[str]:
        return list(dict.fromkeys(name.split("|")[0] for name in self.rounds if name.endswith(f"|{count}")))

    def others(self) -> float:
        return max((report["others"] for reports in self.rounds.values() for report in reports.values()), default=0)


def shown(value: float | None, digits: int = 2) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def spread(values: list[float]) -> str:
    """The median, and the range."""
    return f"{statistics.median(values):.2f} ({values[0]:.2f}–{values[-1]:.2f})" if values else "–"


def latency_table(results: Results) -> str:
    rounds = max((len(reports) for reports in results.rounds.values()), default=0)
    priority = ", all with real-time priority" if results.real_time else ""
    lines = [
        f"On {results.machine}{priority}; medians of up to {rounds} rounds of {results.seconds:g} s, ratios with the range over the "
        f"rounds. Other processes used at most {results.others():.2f} cores meanwhile.",
        "",
        "| one stream | server | last packet in → last packet out, ms, p50 / p95 / p99 | to the C program, p50 | p99 |",
        "|---|---|---|---|---|",
    ]
    for transport in ("udp", "tcp"):
        for server in results.servers(1):
            figures = " / ".join(shown(results.median(server, transport, 1, figure)) for figure in ("p50", "p95", "p99"))
            ratios = ["1", "1"] if server == REFERENCE else [spread(results.ratios(server, transport, figure)) for figure in ("p50", "p99")]
            name = f"*{server}*" if server == REFERENCE else server
            lines.append(f"| {transport.upper()} | {name} | {figures} | {ratios[0]} | {ratios[1]} |")
    return "\n".join(lines) + "\n"


def cost_table(results: Results) -> str:
    count = results.streams
    lines = [
        f"| {count} streams | server | CPU-s/GB | server's core | publishers' and viewers' core | frames that did not arrive "
        "| last packet in → out, ms, p50 / p99 |",
        "|---|---|---|---|---|---|---|",
    ]
    for transport in ("udp", "tcp"):
        for server in results.servers(count):

            def figure(name: str) -> float | None:
                return results.median(server, transport, count, name)

            if figure("bytes") is None:
                lines.append(f"| {transport.upper()} | {server} | failed | | | | |")
                continue
            used, sent = figure("server_seconds"), figure("frames") + figure("missing")
            lines.append(
                f"| {transport.upper()} | {f'*{server}*' if server == REFERENCE else server} | {shown(used / (figure('bytes') / 1e9))} "
                f"| {100 * used / results.seconds:.0f} % | {100 * figure('own_load'):.0f} % | {100 * figure('missing') / sent:.1f} % "
                f"| {shown(figure('p50'))} / {shown(figure('p99'))} |")
    return "\n".join(lines) + "\n"
