"""Computes medians and formats the tables."""

import statistics

# The server's stages, by their names in `apus status`.
STAGES = {
    "capture": "capture → encoder in (drawing)",
    "encoding": "encoder in → encoder out",
    "packaging": "encoder out → packaged",
    "waiting": "packaged → first byte sent",
    "sending": "first → last byte sent",
}


def percentile(values: list[float], percent: float) -> float:
    ascending = sorted(values)
    return ascending[min(len(ascending) - 1, int(len(ascending) * percent / 100))]


def row(name: str, runs: list[dict]) -> str:
    """A table row with the medians of the runs."""

    def median(figure: str) -> str:
        known = [run[figure] for run in runs if run.get(figure) is not None]
        return "–" if not known else shown(statistics.median(known))

    return f"| {name} | {median('first')} | {median('p50')} | {median('p95')} | {median('p99')} | {median('max')} | {median('lost')} |"


def shown(value: float) -> str:
    return f"{value:.0f}" if value == int(value) or value >= 100 else f"{value:.1f}"


def comparison(results: dict[str, list[dict]]) -> str:
    return "\n".join(
        [
            "| server | connection → first decoded frame, ms | p50 | p95 | p99 | max | packets lost |",
            "|---|---|---|---|---|---|---|",
            *(row(name, runs) for name, runs in results.items()),
        ]
    )


def budget(own: dict[str, dict]) -> str:
    """The stages of frames encoded by Apus, in the server and in the client; one column per transport."""
    lines = ["| stage, ms, p50 / p99 | " + " | ".join(name.upper() for name in own) + " |", "|---" * (len(own) + 1) + "|"]
    for stage, title in STAGES.items():
        lines.append(f"| {title} | " + " | ".join(pair(run["status"]["stages"].get(stage)) for run in own.values()) + " |")
    for figure, title in {
        "captureToArrival": "**capture → last packet at the client**",
        "arrivalToDecoded": "last packet → decoded frame",
        "captureToDecoded": "**capture → decoded frame**",
    }.items():
        lines.append(f"| {title} | " + " | ".join(pair(run["report"]["latency"].get(figure)) for run in own.values()) + " |")
    lines.append("| frames / packets lost | " + " | ".join(counts(run["report"]) for run in own.values()) + " |")
    lines.append(
        "| sum of each frame's stages minus the client's measurement: p99 of the difference | "
        + " | ".join(f"{run['difference']:.3f}" if run["difference"] is not None else "–" for run in own.values())
        + " |"
    )
    return "\n".join(lines)


def pair(summary: dict | None) -> str:
    return "–" if not summary else f"{summary['p50']:.2f} / {summary['p99']:.2f}"


def counts(report: dict) -> str:
    return f"{report['frames']['received']} / {report['packets']['lost']}"
