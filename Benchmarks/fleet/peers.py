#!/usr/bin/env python3
"""Measures a worker of a fleet beside what else one would write: a Python worker with shapely on the same stream, and
PostGIS in batches.

    Benchmarks/fleet/peers.py PROGRAM [--devices 25000] [--seconds 100] [--regions 10000]

PROGRAM is a release build of locwatch-fleet. Needs nats-server, nats-py, shapely, psycopg2 and Debian's
postgresql-15-postgis-3; PostGIS is left out where it is missing or this is not root. The peers count how often a fix lies
in a circle in which the fix of the device before it did not lie: less than the rule of evidence, which takes noise, dwell
and moves into account. One line of JSON for each measurement; processor time is that of the worker, of the Python
process, and of the Python process and its backend.
"""

import argparse
import asyncio
import io
import json
import math
import os
import shutil
import signal
import subprocess
import tempfile
import time

from run import Cluster, processor_seconds, say, wait_idle

POSTGRES = "/usr/lib/postgresql/15/bin"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--devices", type=int, default=25_000)
    parser.add_argument("--seconds", type=int, default=100)
    parser.add_argument("--regions", type=int, default=10_000)
    options = parser.parse_args()
    cluster = Cluster(options.program, 1)
    try:
        regions = os.path.join(cluster.folder, "places.geojson")
        cluster.fleet("simulate", "--regions", regions, "--count", str(options.regions), "--area", "100")
        cluster.fleet("regions", "import", regions)
        simulated = ["simulate", "--area", "100", "--devices", str(options.devices), "--start", "1700000000",
                     "--seconds", str(options.seconds)]
        cluster.fleet(*simulated)
        fixes = options.devices * (options.seconds // 10)
        worker = cluster.start("worker", "--name", "w1")
        began = time.monotonic()
        wait_idle(cluster, fixes, worker)
        tell("locwatch-fleet worker", fixes, time.monotonic() - began, processor_seconds(worker.pid))
        worker.send_signal(signal.SIGTERM)
        worker.wait()
        asyncio.run(python_worker(cluster, circles(regions), fixes))
        path = os.path.join(cluster.folder, "fixes.ndjson")
        if os.geteuid() == 0 and os.path.exists(f"{POSTGRES}/initdb"):
            cluster.fleet(*simulated, "--write", path)
            postgis(path, circles(regions), fixes)
    finally:
        cluster.end()


def tell(what, fixes, seconds, processor, **more):
    say(what=what, fixes=fixes, per_second=round(fixes / seconds),
        core_seconds_per_million_fixes=round(processor / fixes * 1e6, 1), **more)


def circles(path):
    with open(path) as file:
        return [(*feature["geometry"]["coordinates"], feature["properties"]["radius_m"])
                for feature in json.load(file)["features"]]


async def python_worker(cluster, circles, fixes):
    """Fixes from the stream in batches of 500, shapely's functions for arrays, an event to the stream for each entry."""
    import nats
    import shapely
    import shapely.affinity

    shapes = []
    for longitude, latitude, radius in circles:
        shape = shapely.affinity.scale(shapely.Point(0, 0).buffer(radius / 111_200),
                                       1 / math.cos(math.radians(latitude)), 1, origin=(0, 0))
        shapes.append(shapely.affinity.translate(shape, longitude, latitude))
    tree = shapely.STRtree(shapes)
    connection = await nats.connect(cluster.environment["NATS_URL"])
    consumer = await connection.jetstream().pull_subscribe(
        "fix.>", stream="fixes", config=nats.js.api.ConsumerConfig(ack_policy=nats.js.api.AckPolicy.NONE))
    began, before = time.monotonic(), time.process_time()
    inside, seen, entries = {}, 0, 0
    while seen < fixes:
        names, places = [], []
        for message in await consumer.fetch(500, timeout=5):
            fix = json.loads(message.data)
            if "lat" in fix:
                names.append(message.subject.split(".", 2)[2])
                places.append((fix["lon"], fix["lat"]))
        here = [set() for _ in names]
        if places:
            for row, shape in zip(*tree.query(shapely.points(places), predicate="within")):
                here[row].add(shape)
        for name, now in zip(names, here):
            for shape in now - inside.get(name, now):
                entries += 1
                event = {"track": name, "type": "region.enter", "region": f"place-{shape}"}
                await connection.publish(f"event.0.{name}.peer", json.dumps(event).encode())
            inside[name] = now
        seen += len(names)
    tell("Python worker with shapely on the stream", fixes, time.monotonic() - began, time.process_time() - before,
         entries=entries)
    await connection.close()


def postgis(path, circles, fixes):
    """Ten seconds of all devices at a time: copied, joined with an index of polygons, compared with the fixes before."""
    import psycopg2

    folder = tempfile.mkdtemp()
    shutil.chown(folder, "postgres")

    def run(program, *words):
        subprocess.run(["runuser", "-u", "postgres", "--", f"{POSTGRES}/{program}", "-D", f"{folder}/db", *words],
                       check=True, stdout=subprocess.DEVNULL, cwd=folder)

    run("initdb", "-A", "trust")
    run("pg_ctl", "-w", "start", "-o", f"-k {folder} -h '' -c fsync=off -c shared_buffers=512MB", "-l", f"{folder}/log")
    try:
        connection = psycopg2.connect(host=folder, user="postgres")
        query = connection.cursor()
        query.execute("""CREATE EXTENSION postgis;
            CREATE TABLE regions (id int, shape geometry);
            CREATE UNLOGGED TABLE fixes (device text, time int, lon float8, lat float8);
            CREATE UNLOGGED TABLE inside (device text, region int, time int);
            CREATE UNLOGGED TABLE entries (device text, region int, time int)""")
        for index, (longitude, latitude, radius) in enumerate(circles):
            query.execute("""INSERT INTO regions
                VALUES (%s, ST_Buffer(ST_SetSRID(ST_Point(%s, %s), 4326)::geography, %s)::geometry)""",
                          (index, longitude, latitude, radius))
        query.execute("CREATE INDEX ON regions USING gist (shape); ANALYZE regions; SELECT pg_backend_pid()")
        backend = query.fetchone()[0]
        connection.commit()
        steps = {}
        with open(path) as lines:
            for line in lines:
                fix = json.loads(line)
                steps.setdefault(fix["tst"], []).append(f"{fix['track']}\t{fix['tst']}\t{fix['lon']}\t{fix['lat']}\n")
        began, before = time.monotonic(), time.process_time() + processor_seconds(backend)
        for step, rows in sorted(steps.items()):
            query.execute("TRUNCATE fixes")
            query.copy_expert("COPY fixes FROM stdin", io.StringIO("".join(rows)))
            query.execute("""INSERT INTO inside SELECT device, id, time FROM fixes
                JOIN regions ON ST_Intersects(shape, ST_SetSRID(ST_Point(lon, lat), 4326))""")
            query.execute("""INSERT INTO entries SELECT * FROM inside WHERE time = %s AND %s > 1700000000
                AND (device, region) NOT IN (SELECT device, region FROM inside WHERE time = %s)""", (step, step, step - 10))
            query.execute("DELETE FROM inside WHERE time < %s", (step,))
            connection.commit()
        seconds = time.monotonic() - began
        processor = time.process_time() + processor_seconds(backend) - before
        query.execute("SELECT count(*) FROM entries")
        tell("PostGIS in batches of a step", fixes, seconds, processor, entries=query.fetchone()[0])
    finally:
        run("pg_ctl", "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
