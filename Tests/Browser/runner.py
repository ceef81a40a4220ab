"""Runs all tests of the folder in two processes, with a browser each.

One process uses less than one processor, because tests wait for frames and for what follows a cut. More than two on two processors
would delay frames until the page takes a connection for lost."""

import io
import multiprocessing
import sys
import time
import unittest
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from browser import BrowserTest

FOLDER = Path(__file__).resolve().parent
PROCESS_COUNT = 2


def tests(suite):
    """The single tests of nested suites."""
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from tests(item)
        else:
            yield item


def sets_up(kind):
    """Whether the class, or one between it and the tests of one page, sets up something for all of its tests."""
    return kind.setUpClass.__func__ not in (BrowserTest.setUpClass.__func__, unittest.TestCase.setUpClass.__func__)


def tasks():
    """Lists of names of tests. A list is run by one process: all tests of a class that sets up a server for them, or a single test. The
    longest lists come first, so that no process is left with one at the end."""
    lists = {}
    for test in tests(unittest.defaultTestLoader.discover(str(FOLDER))):
        kind = type(test)
        lists.setdefault(kind if sets_up(kind) else test.id(), []).append(test.id())
    return sorted(lists.values(), key=len, reverse=True)


class Result(unittest.TextTestResult):
    """A result whose lines state how long each test took."""

    def startTest(self, test):
        super().startTest(test)
        self.began = time.monotonic()

    def addSuccess(self, test):
        self.stream.write(f"{time.monotonic() - self.began:.1f} s ")
        super().addSuccess(test)


def run(names):
    """Runs tests. Returns how many were run and how many skipped, their lines, and what failed."""
    lines, failures = io.StringIO(), io.StringIO()
    with redirect_stdout(lines), redirect_stderr(lines):
        result = Result(unittest.runner._WritelnDecorator(lines), descriptions=False, verbosity=2)
        unittest.defaultTestLoader.loadTestsFromNames(names).run(result)
    if not result.wasSuccessful():
        result.stream = unittest.runner._WritelnDecorator(failures)
        result.printErrors()
    return result.testsRun, len(result.skipped), lines.getvalue(), failures.getvalue()


def main():
    began = time.monotonic()
    count = skipped = 0
    failures = ""
    # Playwright cannot be used in a process that was forked from one with threads.
    with ProcessPoolExecutor(PROCESS_COUNT, multiprocessing.get_context("spawn")) as executor:
        for future in as_completed([executor.submit(run, names) for names in tasks()]):
            task_count, task_skipped, lines, task_failures = future.result()
            print(lines, end="", flush=True)
            count, skipped, failures = count + task_count, skipped + task_skipped, failures + task_failures
    print(f"{failures}\nRan {count} tests in {time.monotonic() - began:.0f} s\n\n{'FAILED' if failures else 'OK'} (skipped={skipped})")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
