"""Writes results into documents."""

from pathlib import Path


def write_between_markers(file: Path, text: str, begin: str, end: str):
    page = file.read_text()
    if begin not in page or end not in page:
        raise SystemExit(f"{file} has no place for the table: the lines {begin} and {end} are missing")
    head, tail = page.split(begin)[0], page.split(end)[1]
    file.write_text(f"{head}{begin}\n{text}\n{end}{tail}")
