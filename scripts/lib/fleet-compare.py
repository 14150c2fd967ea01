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


def main():
    program, path = sys.argv[1:]
    expected = sorted(of_replay(path))
    end = time.monotonic() + 1200
    found = []
    while time.monotonic() < end:
        text = subprocess.run([program, "events"], stdout=subprocess.PIPE, text=True).stdout
        found = sorted(event(line) for line in text.splitlines())
        if len(found) >= len(expected):
            break
        # To read everything keeps the servers from their work.
        time.sleep(10)
    # Whatever comes twice comes late.
    time.sleep(15)
    text = subprocess.run([program, "events"], stdout=subprocess.PIPE, text=True).stdout
    found = sorted(event(line) for line in text.splitlines())
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
