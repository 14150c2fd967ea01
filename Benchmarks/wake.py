"""Measures how long a real `locwatch run` takes from a fix to a program that runs.

    python3 Benchmarks/wake.py [--cycles 300] [--relaunches 100] [--locwatch PATH] [--work FOLDER]

It plays a gpsd whose every report is a significant change, and waits before each until the program is suspended (wake)
or gone (relaunch). All is measured from the moment before the report is sent, on the monotonic clock, once with the
freezer, where that can be had (as root), and once with the stop signal. It needs cc.

    event        the program has read the record: report, decision, commit, thaw, delivery
    suspended    its acknowledgement was read and stored, and it is frozen again
    start        a program that had been killed is in its main function
"""

import argparse
import json
import os
import pathlib
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

here = pathlib.Path(__file__).resolve().parent
root = here.parent
patience = 30  # seconds: only what is broken takes as long


class Waited(Exception):
    pass


def until(what, is_so, pause=0.00005):
    end = time.monotonic() + patience
    while True:
        result = is_so()
        if result:
            return result
        if time.monotonic() > end:
            raise Waited(f"waited in vain for {what}")
        time.sleep(pause)


class Gpsd:
    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.index = 0

    def accept(self):
        self.listener.settimeout(patience)
        self.client, _ = self.listener.accept()
        self.client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.say({"class": "VERSION", "release": "3.22", "rev": "3.22", "proto_major": 3, "proto_minor": 14})
        self.client.settimeout(patience)
        self.client.recv(4096)
        device = {"class": "DEVICE", "path": "/dev/ttyTEST", "driver": "NMEA0183", "activated": "2026-05-04T06:30:00.000Z",
                  "flags": 1, "native": 0, "bps": 4800, "parity": "N", "stopbits": 1, "cycle": 1.0}
        self.say({"class": "DEVICES", "devices": [device]})

    def say(self, record):
        self.client.sendall((json.dumps(record, separators=(",", ":")) + "\r\n").encode())

    def move(self):
        """600 m further, 10 s later."""
        seconds = 10 * self.index
        clock = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(1777876200 + seconds))
        report = {"class": "TPV", "device": "/dev/ttyTEST", "mode": 3, "time": clock, "lat": 40 + 0.0054 * self.index,
                  "lon": 11.5, "alt": 500, "eph": 5.0, "speed": 60.0}
        self.index += 1
        start = time.monotonic_ns()
        self.say(report)
        return start


class Bench:
    def __init__(self, locwatch, work, uses_cgroups):
        self.work = work
        self.state = work / "bench.db"
        self.log = work / "log"
        self.gpsd = Gpsd()
        subprocess.run(["cc", "-O2", here / "wake/subscriber.c", "-o", work / "subscriber"], check=True)
        (work / "bench.yaml").write_text(
            f"name: bench\ncommand: [{work / 'subscriber'}, {self.log}]\nservices: [significant-change]\n")
        (work / "config.yaml").write_text("significant_change: {window_s: 5}\n")
        subprocess.run([locwatch, "subscribers", "add", work / "bench.yaml", "--state", self.state], check=True,
                       capture_output=True)
        command = [locwatch, "run", "--gpsd", f"127.0.0.1:{self.gpsd.port}", "--state", self.state, "--simulated",
                   "--config", work / "config.yaml"]
        self.daemon = subprocess.Popen(command + ([] if uses_cgroups else ["--no-cgroup"]))
        self.gpsd.accept()
        self.control = socket.socket(socket.AF_UNIX)
        until("the daemon", lambda: (work / "bench.db.control").exists())
        self.control.connect(str(self.state) + ".control")
        self.replies = self.control.makefile("r")
        self.offset = 0

    def status(self):
        self.control.sendall(b'{"do":"status"}\n')
        return json.loads(self.replies.readline())

    def is_suspended(self):
        """Whether all of the program is, as the kernel has it."""
        if self.frozen:
            return "frozen 1" in pathlib.Path(self.frozen).read_text()
        return pathlib.Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "T"

    def find(self):
        """The program's process and, where it has one, its cgroup."""
        children = pathlib.Path(f"/proc/{self.daemon.pid}/task").glob("*/children")
        self.pid = int("".join(child.read_text() for child in children).split()[0])
        cgroup = pathlib.Path(f"/proc/{self.pid}/cgroup").read_text().split("0::")[1].strip()
        mount = next(line.split()[1] for line in open("/proc/mounts") if line.split()[2] == "cgroup2")
        self.frozen = f"{mount}{cgroup}/cgroup.events" if "/bench/" in cgroup else None

    def lines(self, what):
        """Waits for the next line of this kind in the program's log; its time."""
        def look():
            with open(self.log) as file:
                file.seek(self.offset)
                text = file.read()
            for line in text.splitlines(keepends=True):
                if not line.endswith("\n"):
                    return None
                self.offset += len(line)
                word, _, nanoseconds = line.split()
                if word == what:
                    return int(nanoseconds)
            return None
        return until(what, lambda: self.log.exists() and look())

    def wake(self):
        until("suspension", self.is_suspended)
        start = self.gpsd.move()
        event = self.lines("event")
        until("suspension", self.is_suspended)
        return (event - start) / 1e6, (time.monotonic_ns() - start) / 1e6

    def relaunch(self):
        os.kill(self.pid, signal.SIGKILL)
        until("the end", lambda: self.status()["subscribers"][0]["state"] == "notRunning", 0.001)
        start = self.gpsd.move()
        begun, event = self.lines("start"), self.lines("event")
        self.find()
        until("suspension", self.is_suspended)
        return (begun - start) / 1e6, (event - start) / 1e6

    def run(self, cycles, relaunches):
        # The first reports wait 0.2 s each, until it is known that every epoch has one.
        self.gpsd.move()
        self.lines("event")
        self.find()
        for _ in range(6):
            self.wake()
        method = self.status()["daemon"]["suspension"]
        wakes = [self.wake() for _ in range(cycles)]
        starts = [self.relaunch() for _ in range(relaunches)]
        self.daemon.terminate()
        self.daemon.wait(patience)
        return method, [("wake to event", [a for a, _ in wakes]), ("wake to suspended again", [b for _, b in wakes]),
                        ("relaunch to start", [a for a, _ in starts]), ("relaunch to event", [b for _, b in starts])]


def row(method, what, values):
    cuts = statistics.quantiles(values, n=100)
    figures = [statistics.median(values), cuts[98], max(values)]
    return f"| {what} | {method} | {len(values)} | " + " | ".join(f"{value:.2f}" for value in figures) + " |"


def main():
    parser = argparse.ArgumentParser(description="How long locwatch takes to wake and relaunch a program.")
    parser.add_argument("--cycles", type=int, default=300)
    parser.add_argument("--relaunches", type=int, default=100)
    parser.add_argument("--locwatch", type=pathlib.Path, help="default: the release build of this checkout")
    parser.add_argument("--work", type=pathlib.Path, help="default: a temporary folder")
    options = parser.parse_args()
    locwatch = options.locwatch
    if not locwatch:
        build = ["swift", "build", "-c", "release", "--product", "locwatch"]
        subprocess.run(build, cwd=root, check=True, stdout=sys.stderr)
        show = subprocess.run([*build[:4], "--show-bin-path"], cwd=root, check=True, capture_output=True, text=True)
        locwatch = pathlib.Path(show.stdout.strip()) / "locwatch"
    print("| step | method | n | p50, ms | p99, ms | most, ms |\n| --- | --- | --- | --- | --- | --- |")
    for uses_cgroups in (True, False):
        work = pathlib.Path(tempfile.mkdtemp(prefix="locwatch-wake-", dir=options.work))
        bench = Bench(locwatch.resolve(), work, uses_cgroups)
        try:
            method, results = bench.run(options.cycles, options.relaunches)
            for what, values in results:
                print(row(method, what, values), flush=True)
        finally:
            bench.daemon.kill()
            bench.daemon.wait()
            shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
