#!/usr/bin/env python3
"""Measures locwatch_spark beside `locwatch replay --jobs` and a shapely UDF that counts the same crossings.

    Benchmarks/fleet/spark.py LOCWATCH LOCWATCH_FLEET [--devices 2000] [--seconds 3600] [--cores 2]

Needs pyspark, pyarrow, pandas and shapely. The fixes are those of `locwatch-fleet simulate`, a file for each hundred
devices. One line of JSON for each measurement.
"""

import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile
import time

MODULE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "Integrations", "spark"))
sys.path.insert(0, MODULE)
# The processes of Spark's workers have the same interpreter and look for the module too.
os.environ["PYTHONPATH"] = MODULE
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("locwatch")
    parser.add_argument("fleet")
    parser.add_argument("--devices", type=int, default=2_000)
    parser.add_argument("--seconds", type=int, default=3_600)
    parser.add_argument("--regions", type=int, default=1_000)
    parser.add_argument("--cores", type=int, default=2)
    options = parser.parse_args()
    locwatch, fleet = os.path.abspath(options.locwatch), os.path.abspath(options.fleet)
    with tempfile.TemporaryDirectory() as folder:
        regions = os.path.join(folder, "places.geojson")
        fixes = os.path.join(folder, "fixes.ndjson")
        subprocess.run([fleet, "simulate", "--regions", regions, "--count", str(options.regions)], check=True)
        subprocess.run([fleet, "simulate", "--devices", str(options.devices), "--seconds", str(options.seconds),
                        "--start", "1700000000", "--write", fixes], check=True)
        paths = split(fixes, folder)
        size = os.path.getsize(fixes)
        count = options.devices * (options.seconds // 10)

        def say(what, seconds, **more):
            print(json.dumps(dict(what=what, seconds=round(seconds, 2), mb_per_second=round(size / seconds / 1e6, 1),
                                  fixes_per_second=round(count / seconds), **more)), flush=True)

        # As many processes as cores, each with its share of the files.
        began = time.monotonic()
        shares = [paths[index::options.cores] for index in range(options.cores)]
        command = 'for file; do "$LOCWATCH" replay --batch "$file" -r "$REGIONS"; done | grep -c region.enter'
        children = [subprocess.Popen(["sh", "-c", command, "sh", *share], stdout=subprocess.PIPE,
                                     env=dict(os.environ, LOCWATCH=locwatch, REGIONS=regions)) for share in shares]
        enters = sum(int(child.communicate()[0]) for child in children)
        say("locwatch replay --batch, a process for each core", time.monotonic() - began, enters=enters)
        spark(options, locwatch, fixes, regions, say)


def split(fixes, folder, tracks=100):
    """A file for each so many tracks, whole tracks together."""
    paths, name, count, file = [], None, 0, None
    with open(fixes) as lines:
        for line in lines:
            track = line.split('"', 4)[3]
            if track != name:
                if count % tracks == 0:
                    if file:
                        file.close()
                    paths.append(os.path.join(folder, f"part-{len(paths):04}.ndjson"))
                    file = open(paths[-1], "w")
                name, count = track, count + 1
            file.write(line)
    file.close()
    return paths


def spark(options, locwatch, fixes, regions, say):
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as F

    import locwatch_spark

    session = SparkSession.builder.master(f"local[{options.cores}]").config("spark.ui.enabled", "false").config(
        "spark.sql.shuffle.partitions", str(options.cores * 2)).config("spark.driver.memory", "4g").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    parquet = os.path.join(os.path.dirname(fixes), "fixes.parquet")
    frame = session.read.schema("track string, lat double, lon double, acc double, tst bigint").json(fixes)
    frame.select("track", F.col("tst").alias("time"), "lat", "lon", F.col("acc").alias("acc_m")).write.parquet(parquet)
    fixes = session.read.parquet(parquet)
    fixes.count()

    began = time.monotonic()
    events = locwatch_spark.replay(fixes, regions, locwatch=locwatch)
    enters = events.where("type = 'region.enter'").count()
    say("locwatch_spark.replay of a DataFrame", time.monotonic() - began, enters=enters)

    began = time.monotonic()
    crossings = shapely_crossings(fixes, regions)
    say("shapely UDF, entries by the side of each fix", time.monotonic() - began, enters=crossings)
    session.stop()


def shapely_crossings(fixes, regions):
    """How often a fix lies in a circle in which the fix of the same track before did not lie."""
    with open(regions) as file:
        circles = [(*feature["geometry"]["coordinates"], feature["properties"]["radius_m"])
                   for feature in json.load(file)["features"]]

    def count(frames):
        import math

        import pandas as pd
        import shapely

        shapes = []
        for longitude, latitude, radius in circles:
            shape = shapely.Point(0, 0).buffer(radius / 111_200)
            scale = 1 / math.cos(math.radians(latitude))
            shapes.append(shapely.affinity.translate(shapely.affinity.scale(shape, scale, 1, origin=(0, 0)),
                                                     longitude, latitude))
        tree = shapely.STRtree(shapes)
        last, inside, entries = None, set(), 0
        for frame in frames:
            hits = tree.query(shapely.points(frame["lon"], frame["lat"]), predicate="within")
            here = {}
            for row, shape in zip(*hits):
                here.setdefault(row, set()).add(shape)
            for row, track in enumerate(frame["track"]):
                now = here.get(row, set())
                if track != last:
                    last, inside = track, now
                    continue
                entries += len(now - inside)
                inside = now
        yield pd.DataFrame({"entries": [entries]})

    import shapely.affinity  # noqa: F401 - for the executors in this process

    rows = fixes.repartition("track").sortWithinPartitions("track", "time").mapInPandas(count, "entries bigint")
    return sum(row.entries for row in rows.collect())


if __name__ == "__main__":
    main()
