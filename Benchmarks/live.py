"""Measures `locwatch run`: delay, wake-ups while nothing happens, memory over a simulated day, and the start.

    python3 Benchmarks/live.py [delay] [idle] [memory] [start] [regions] [--binary .build/release/locwatch]
                               [--fixes N] [--days N]

Without a name it does all five, in some minutes. `idle` needs strace. It plays gpsd itself, over a socket.

delay   from the write of gpsd's line to the record in the hands of `events --follow`, and of a program
        (a resident subscriber) that notes the time; each fix makes one record
idle    system calls of the daemon within 20 s without any fix, after everything has settled
memory  resident memory during a day of a fix a second, at any speed
start   resident memory with 20 regions, idle after the start, just after a command, with a fix a second, and after 300 at once
regions 100,000 regions: seconds until the daemon answers, its memory, and the size of the state file; then imported into
        and removed from one that runs
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import select
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

here = pathlib.Path(__file__).resolve().parent
parser = argparse.ArgumentParser()
parser.add_argument("names", nargs="*", default=[])
parser.add_argument("--binary", default=str(here.parent / ".build/release/locwatch"))
parser.add_argument("--fixes", type=int, default=1000)
parser.add_argument("--days", type=float, default=1)
options = parser.parse_args()


class GPSD:
    """A gpsd with one client and one receiver."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]

    def accept(self):
        self.socket, _ = self.listener.accept()
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.say({"class": "VERSION", "release": "3.22", "rev": "3.22", "proto_major": 3, "proto_minor": 14})
        self.socket.recv(4096)
        self.say({"class": "DEVICES", "devices": [{
            "class": "DEVICE", "path": "/dev/ttyX", "driver": "NMEA0183", "flags": 1, "cycle": 1.0,
            "activated": "2026-05-04T00:00:00.000Z"}]})

    def say(self, report):
        self.socket.sendall(json.dumps(report, separators=(",", ":")).encode() + b"\r\n")

    def fix(self, when, latitude, longitude=11.5, eph=5.0):
        text = when.strftime("%Y-%m-%dT%H:%M:%S.") + "%03dZ" % (when.microsecond // 1000)
        self.say({"class": "TPV", "device": "/dev/ttyX", "mode": 3, "time": text, "lat": latitude,
                  "lon": longitude, "alt": 500, "eph": eph, "speed": 1.0})


class Daemon:
    def __init__(self, settings="", simulated=False, manifest=None, through=()):
        self.folder = tempfile.TemporaryDirectory()
        self.state = self.folder.name + "/s.db"
        self.gpsd = GPSD()
        config = self.folder.name + "/c.yaml"
        pathlib.Path(config).write_text(settings or "significant_change: {distance_m: 500}\n")
        if manifest:
            path = self.folder.name + "/m.yaml"
            pathlib.Path(path).write_text(manifest(self.folder.name))
            self.command("subscribers", "add", path)
        words = [options.binary, "run", "--gpsd", self.gpsd.address, "--state", self.state, "--config", config]
        self.words = [*through, *words, *(["--simulated"] if simulated else [])]
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.words)
        self.gpsd.accept()

    def command(self, *words):
        run = subprocess.run([options.binary, *words, "--state", self.state], capture_output=True, text=True)
        return run.stdout

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        if self.process.wait() != 0:
            sys.exit("live.py: the daemon ended with %d" % self.process.returncode)

    def status(self):
        return json.loads(self.command("status", "--json"))

    def memory(self):
        """Resident and anonymous memory in KiB."""
        text = pathlib.Path("/proc/%d/status" % self.process.pid).read_text()
        return [int(re.search(key + r":\s+(\d+)", text).group(1)) for key in ("VmRSS", "RssAnon")]

    def highest(self):
        """The highest resident memory so far, in KiB."""
        text = pathlib.Path("/proc/%d/status" % self.process.pid).read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", text).group(1))

    def processor(self):
        """Seconds on a processor so far."""
        fields = pathlib.Path("/proc/%d/stat" % self.process.pid).read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def load():
    return "load %.1f" % os.getloadavg()[0]


def percentiles(title, seconds):
    seconds = sorted(seconds)
    p99 = seconds[int(len(seconds) * 0.99)]
    print("%-36s n %d  p50 %.2f ms  p99 %.2f ms  max %.2f ms  (%s)" % (
        title, len(seconds), statistics.median(seconds) * 1e3, p99 * 1e3, seconds[-1] * 1e3, load()))


PROGRAM = """
import json, sys, time
log = open(sys.argv[1], "a")
for line in sys.stdin:
    record = json.loads(line)
    if "id" not in record: continue
    log.write("%s %.6f\\n" % (record["time"], time.time()))
    log.flush()
    print(json.dumps({"ack": record["id"]}), flush=True)
"""


def delay():
    """Fixes 100 ms apart, each 9 m further, each a significant change of 1 m."""

    def manifest(folder):
        pathlib.Path(folder + "/p.py").write_text(PROGRAM)
        return ("name: p\ncommand: [/usr/bin/env, python3, %s/p.py, %s/log]\nservices: [significant-change]\n"
                "modes: [location]\n" % (folder, folder))

    for title, own in (("gpsd's line to events --follow", None), ("gpsd's line to a resident program", manifest)):
        daemon = Daemon("significant_change: {distance_m: 1, window_s: 0}\n", manifest=own)
        arrivals = {}
        follow = None
        if own is None:
            follow = subprocess.Popen([options.binary, "events", "--follow", "--state", daemon.state],
                                      stdout=subprocess.PIPE)

            def read():
                for line in follow.stdout:
                    now = time.time()
                    record = json.loads(line)
                    if record["type"] == "significant":
                        arrivals[record["time"]] = now

            threading.Thread(target=read, daemon=True).start()
        sent = {}
        time.sleep(1)
        for index in range(options.fixes + 10):
            when = datetime.datetime.now(datetime.timezone.utc)
            daemon.gpsd.fix(when, 48 + 8e-5 * index, eph=0.5)
            if index >= 10:  # before, it learns how many reports an epoch has
                sent[when.strftime("%Y-%m-%dT%H:%M:%S.") + "%03dZ" % (when.microsecond // 1000)] = time.time()
            time.sleep(0.25 if index < 10 else 0.1)
        time.sleep(1)
        if own:
            for line in pathlib.Path(daemon.folder.name + "/log").read_text().split("\n"):
                if line:
                    arrivals[line.split()[0]] = float(line.split()[1])
        delays = [arrivals[key] - sent[key] for key in sent if key in arrivals]
        if len(delays) < 0.9 * len(sent):
            print("%s: only %d of %d came" % (title, len(delays), len(sent)))
        if delays:
            percentiles(title, delays)
        if follow:
            follow.kill()
        daemon.end()


def idle():
    daemon = Daemon()
    for region in range(20):
        daemon.command("regions", "add", "r%d" % region, "--circle", "48.%03d,11.5,150" % region)
    start = datetime.datetime.now(datetime.timezone.utc)
    for index in range(10):
        daemon.gpsd.fix(datetime.datetime.now(datetime.timezone.utc), 48)
        time.sleep(0.3)
    time.sleep(70)  # silent after 5 s, no fix after 30 s; after 60 s the connection is made anew
    watcher = threading.Thread(target=lambda: daemon.gpsd.accept(), daemon=True)
    watcher.start()
    time.sleep(20)
    calls = subprocess.run(["timeout", "-s", "INT", "20", "strace", "-f", "-c", "-p", str(daemon.process.pid)],
                           capture_output=True, text=True).stderr
    print("idle for 20 s, seen by strace -f -c (%s):" % load())
    print("".join("  " + line + "\n" for line in calls.strip().split("\n")))
    daemon.end()


def memory():
    daemon = Daemon(simulated=True)
    for region in range(100):
        daemon.command("regions", "add", "r%d" % region, "--circle", "48.%03d,11.5,150" % region)
    start = datetime.datetime(2026, 5, 4, tzinfo=datetime.timezone.utc)
    total = int(86_400 * options.days)
    began = time.time()
    print("fixes      RSS KiB  anonymous KiB  database KiB")
    for index in range(total):
        # Up and down the same road, three times an hour, at 10 m/s and with stops.
        phase = index % 1200
        place = min(phase, 1200 - phase) if 100 < phase < 1100 else 100
        daemon.gpsd.fix(start + datetime.timedelta(seconds=index), 48 + 9e-5 * place)
        if index % (total // 12) == total // 12 - 1:
            while daemon.status()["fixes"] < index + 1:
                time.sleep(0.05)
            files = sum(os.path.getsize(daemon.state + end) for end in ("", "-wal") if
                        os.path.exists(daemon.state + end))
            print("%-9d %8d %14d %13d" % (index + 1, *daemon.memory(), files // 1024))
    print("%d fixes in %.0f s, %s" % (total, time.time() - began, load()))
    daemon.end()


def report(when, memory):
    print("%-28s %6.1f MiB resident, %4.1f of it anonymous (%s)" % (
        when, *(value / 1024 for value in memory), load()))


def resident(daemon, when):
    report(when, daemon.memory())


def start():
    daemon = Daemon(simulated=True)
    for region in range(20):
        daemon.command("regions", "add", "r%d" % region, "--circle", "48.%03d,11.5,150" % region)
    daemon.end()
    daemon.start()
    time.sleep(5)
    resident(daemon, "5 s after the start")
    highest = [0, 0]
    for _ in range(10):
        daemon.command("status")
        highest = max(highest, daemon.memory())
        time.sleep(1)
    report("just after a command", highest)
    time.sleep(2)
    resident(daemon, "2 s later")
    began = datetime.datetime(2026, 5, 4, tzinfo=datetime.timezone.utc)
    highest = [0, 0]
    for index in range(100):
        daemon.gpsd.fix(began + datetime.timedelta(seconds=index - 100), 48 + 1e-4 * index)
        for _ in range(5):
            time.sleep(0.2)
            highest = max(highest, daemon.memory())
    report("a fix a second, at most", highest)
    highest = [0, 0]
    for index in range(300):
        daemon.gpsd.fix(began + datetime.timedelta(seconds=index), 48 + 1e-4 * index)
    for _ in range(100):
        highest = max(highest, daemon.memory())
        time.sleep(0.05)
    report("300 fixes at once, at most", highest)
    if daemon.status()["fixes"] != 400:
        sys.exit("live.py: not all 400 fixes arrived")
    daemon.end()


def regions():
    daemon = Daemon()
    daemon.end()
    features = [{
        "type": "Feature", "id": "r%d" % index, "properties": {"radius_m": 50 + index % 400},
        "geometry": {"type": "Point", "coordinates": [10 + index % 400 * 0.005, 47 + index // 400 * 0.005]}}
        for index in range(100_000)]
    path = daemon.folder.name + "/regions.geojson"
    pathlib.Path(path).write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    began = time.time()
    daemon.command("regions", "import", path)
    print("imported in %.2f s, state file %.1f MiB (%s)" % (
        time.time() - began, os.path.getsize(daemon.state) / 2**20, load()))
    for when in ("first start", "second start"):
        began = time.time()
        daemon.start()
        # Its first answer: the regions are the engine's by then.
        while not daemon.status().get("daemon"):
            time.sleep(0.02)
        seconds, processor = time.time() - began, daemon.processor()
        resident(daemon, "%s, ready in %.2f s, %.2f of them at work" % (when, seconds, processor))
        for index in range(10):
            daemon.gpsd.fix(datetime.datetime.now(datetime.timezone.utc), 47.5 + 1e-4 * index)
            time.sleep(1)
        status = daemon.status()
        if status["regions"] != 100_000 or status["fixes"] != 10 * (1 + (when == "second start")):
            sys.exit("live.py: %d regions, %d fixes" % (status["regions"], status["fixes"]))
        resident(daemon, "10 s later, with a fix a second")
        print("%-28s %6.1f MiB resident" % ("at most since the start", daemon.highest() / 1024))
        files = sum(os.path.getsize(daemon.state + end) for end in ("", "-wal") if os.path.exists(daemon.state + end))
        daemon.end()
        print("state file %.1f MiB with its log, %.1f after the end" % (
            files / 2**20, os.path.getsize(daemon.state) / 2**20))

    # The file is in the folder of the first.
    first, daemon = daemon, Daemon()
    for index in range(3):
        daemon.gpsd.fix(datetime.datetime.now(datetime.timezone.utc), 47.5 + 1e-4 * index)
        time.sleep(1)
    for words in (("import", path), ("remove", "--all")):
        began, processor = time.time(), daemon.processor()
        daemon.command("regions", *words)
        if daemon.status()["regions"] != (100_000 if words[0] == "import" else 0):
            sys.exit("live.py: " + words[0])
        seconds, processor = time.time() - began, daemon.processor() - processor
        resident(daemon, "while it runs: %s, %.2f s, %.2f of them at work" % (words[0], seconds, processor))
        print("%-28s %6.1f MiB resident" % ("at most since the start", daemon.highest() / 1024))
        for index in range(3):
            daemon.gpsd.fix(datetime.datetime.now(datetime.timezone.utc), 47.5 + 1e-4 * index)
            time.sleep(1)
    daemon.end()


for name, measure in (("delay", delay), ("idle", idle), ("memory", memory), ("start", start), ("regions", regions)):
    if not options.names or name in options.names:
        measure()
