#!/usr/bin/env python3
"""Measures a worker of a fleet on this machine: throughput, memory, latency and recovery.

    Benchmarks/fleet/run.py PROGRAM [--devices 25000] [--seconds 200] [--regions 10000] [--rate 10000] [--area 100]

PROGRAM is a release build of locwatch-fleet. One nats-server runs beside it, so the machine is shared; the processor time
of the worker is told apart. One line of JSON for each measurement.
"""

import argparse
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Cluster:
    def __init__(self, program, partitions):
        self.program = os.path.abspath(program)
        self.folder = tempfile.mkdtemp()
        port = free_port()
        self.environment = dict(os.environ, NATS_URL=f"nats://127.0.0.1:{port}")
        path = os.path.join(self.folder, "nats.conf")
        with open(path, "w") as file:
            file.write(f'listen: "127.0.0.1:{port}"\njetstream {{ store_dir: "{self.folder}/js" }}\n')
            file.write(self.fleet("init", "--print-mapping", "--partitions", str(partitions)))
        server = shutil.which("nats-server") or "/usr/sbin/nats-server"
        self.server = subprocess.Popen([server, "-c", path], stderr=subprocess.DEVNULL)
        for _ in range(100):
            try:
                self.fleet("init", "--partitions", str(partitions))
                return
            except subprocess.CalledProcessError:
                time.sleep(0.1)
        raise SystemExit("no nats-server")

    def fleet(self, *words):
        return subprocess.run([self.program, *words], env=self.environment, check=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True).stdout

    def start(self, *words):
        return subprocess.Popen([self.program, *words], env=self.environment, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)

    def status(self):
        """Asked again where a busy server does not answer in time."""
        for _ in range(30):
            run = subprocess.run([self.program, "status", "--json"], env=self.environment,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            if run.stdout:
                return json.loads(run.stdout)
            time.sleep(1)
        raise SystemExit(run.stderr)

    def metrics(self):
        return self.fleet("metrics")

    def end(self):
        self.server.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


def processor_seconds(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_bytes(pid):
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def wait_idle(cluster, fixes, worker):
    """Until the worker has handled so many fixes; seconds, and its processor seconds, since the first."""
    while True:
        workers = cluster.status()["workers"]
        if sum(report["fixes"] + report["repeated"] for report in workers) >= fixes:
            return
        if worker.poll() is not None:
            raise SystemExit("the worker ended")
        time.sleep(0.2)


def say(**measured):
    print(json.dumps(measured), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--devices", type=int, default=25_000)
    parser.add_argument("--seconds", type=int, default=400)
    parser.add_argument("--regions", type=int, default=10_000)
    parser.add_argument("--rate", type=int, default=10_000)
    parser.add_argument("--tail", type=int, default=30, help="seconds from the last checkpoint to the next worker")
    parser.add_argument("--area", type=int, default=100, help="kilometres")
    options = parser.parse_args()
    cluster = Cluster(options.program, 1)
    try:
        measure(cluster, options)
    finally:
        cluster.end()


def measure(cluster, options):
    regions = os.path.join(cluster.folder, "places.geojson")
    cluster.fleet("simulate", "--regions", regions, "--count", str(options.regions), "--area", str(options.area))
    cluster.fleet("regions", "import", regions)
    simulated = ["simulate", "--area", str(options.area), "--devices", str(options.devices), "--start", "1700000000"]
    fixes = options.devices * (options.seconds // 10)

    # An empty worker, for its memory.
    worker = cluster.start("worker", "--name", "w0")
    time.sleep(5)
    empty = resident_bytes(worker.pid)
    worker.send_signal(signal.SIGTERM)
    worker.wait()

    # Everything is in the stream before the worker starts: what it can take at most.
    began = time.monotonic()
    cluster.fleet(*simulated, "--seconds", str(options.seconds))
    say(what="published", fixes=fixes, per_second=round(fixes / (time.monotonic() - began)))
    began = time.monotonic()
    worker = cluster.start("worker", "--name", "w1", "--checkpoint", "10")
    wait_idle(cluster, fixes, worker)
    seconds, processor = time.monotonic() - began, processor_seconds(worker.pid)
    report = cluster.status()["workers"][0]
    say(what="throughput", fixes=fixes, events=report["events"], regions=options.regions,
        per_second=round(fixes / seconds), per_core_second=round(fixes / processor),
        core_seconds_per_million_fixes=round(processor / fixes * 1e6, 2))
    say(what="memory", devices=options.devices, empty_mib=round(empty / 2**20, 1),
        bytes_per_device=round((resident_bytes(worker.pid) - empty) / options.devices),
        snapshot_bytes=round(report["snapshotBytes"] / max(1, report["snapshots"])))

    # Killed with a tail of fixes beyond the checkpoint; another takes over.
    time.sleep(12)
    worker.kill()
    worker.wait()
    tail = cluster.start(*simulated, "--seconds", str(options.tail), "--start", str(1_700_000_000 + options.seconds))
    tail.wait()
    worker = cluster.start("worker", "--name", "w2")
    while True:
        time.sleep(0.2)
        reports = [r for r in cluster.status()["workers"] if r["name"] == "w2" and r["recoverySeconds"] > 0]
        if reports:
            break
    say(what="recovery", devices=options.devices, tail_fixes=options.devices * (options.tail // 10),
        seconds=round(reports[0]["recoverySeconds"], 2))

    # At a steady rate: from the fix in the stream to the confirmed event.
    before = counts(cluster.metrics(), "w2")
    live = cluster.start("simulate", "--area", str(options.area), "--devices", str(options.devices), "--seed", "1", "--start",
                         str(1_700_000_100 + options.seconds), "--seconds", str(20 * options.devices * 10 // options.rate
                                                                               // 10 * 10), "--rate",
                         str(options.rate))
    live.wait()
    time.sleep(8)
    after = counts(cluster.metrics(), "w2")
    steady = {bound: after[bound] - before.get(bound, 0) for bound in after}
    total = max(steady.values())
    say(what="latency", rate=options.rate, events=total,
        share_within={f"{bound} s": round(count / total, 4) for bound, count in steady.items() if total})
    worker.kill()


def counts(text, worker):
    pattern = re.compile(r'event_latency_seconds_bucket\{worker="%s",le="([^"]+)"\} (\d+)' % worker)
    return {match.group(1): int(match.group(2)) for match in pattern.finditer(text)}


if __name__ == "__main__":
    main()
