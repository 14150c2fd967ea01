"""Waits until a fleet has published the events of a replay, and compares: fleet-compare.py PROGRAM REPLAY.ndjson"""

import re
import subprocess
import sys
import time

SEQUENCE = re.compile(r'"seq":\d+,')


def event(line):
    return SEQUENCE.sub("", line, count=1)


def of_replay(path):
    for line in open(path):
        line = line.rstrip("\n")
        at_the_end = '"type":"summary"' in line or '"type":"power"' in line or (
            '"type":"visit.depart"' in line and '"reason":"end"' in line)
        if not at_the_end:
            yield event(line)


def kept(program, end):
    """All events; asked again where busy servers do not give them all."""
    while True:
        run = subprocess.run([program, "events"], stdout=subprocess.PIPE, text=True)
        if run.returncode == 0 or time.monotonic() > end:
            return sorted(event(line) for line in run.stdout.splitlines())
        time.sleep(10)


def main():
    program, path = sys.argv[1:]
    expected = sorted(of_replay(path))
    end = time.monotonic() + 1200
    found = []
    while time.monotonic() < end:
        found = kept(program, end)
        if len(found) >= len(expected):
            break
        # To read everything keeps the servers from their work.
        time.sleep(10)
    # Whatever comes twice comes late.
    time.sleep(15)
    found = kept(program, end + 120)
    if found == expected:
        print(f"{len(found)} events, those of the replay, each once")
        return 0
    have, want = set(found), set(expected)
    print(f"{len(found)} events for {len(expected)}: {len(found) - len(have)} twice, {len(want - have)} missing, "
          f"{len(have - want)} others", file=sys.stderr)
    for line in sorted(want - have)[:5] + sorted(have - want)[:5]:
        print("  " + line, file=sys.stderr)
    return 1


sys.exit(main())
