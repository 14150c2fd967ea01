#!/usr/bin/env python3
"""Measures locwatch_spark beside `locwatch replay --jobs` and two shapely UDFs that count entries.

    Benchmarks/fleet/spark.py LOCWATCH LOCWATCH_FLEET [--devices 2000] [--seconds 36000] [--cores 2]

Needs pyspark, pyarrow, pandas and shapely. The fixes are those of `locwatch-fleet simulate`, a file for each device: by
default 7.2 million in 0.86 GB. Spark runs as a local cluster, a process for its one worker. The shapely UDF that takes a
row at a time gets a share of the devices, because it is slow; `fixes_per_second` compares. One line of JSON for each
measurement: from the call of `replay` to the count in hand, with planning, the way of the regions to the executor and
the start of locwatch for each task; without the start of the session, which has run jobs of the same form on a few files.
"""

import argparse
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
    parser.add_argument("--seconds", type=int, default=36_000)
    parser.add_argument("--regions", type=int, default=1_000)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--share", type=float, default=0.1, help="of the devices, for the UDF that takes a row at a time")
    parser.add_argument("--warm", type=int, default=10, help="jobs on a file for each core before anything is measured")
    parser.add_argument("--repeat", type=int, default=3, help="times that the paths are replayed, each beside --jobs")
    parser.add_argument("--master", help="Spark's; by default a local cluster of one worker with all cores")
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

        def say(what, seconds, share=1, **more):
            print(json.dumps(dict(what=what, seconds=round(seconds, 2),
                                  mb_per_second=round(share * size / seconds / 1e6, 1),
                                  fixes_per_second=round(share * count / seconds), **more)), flush=True)

        def alone():
            began = time.monotonic()
            command = '"$LOCWATCH" replay --no-programs --format ndjson --jobs "$JOBS" -r "$REGIONS" "$@"'
            output = subprocess.run(
                ["sh", "-c", command + " | grep -c '\"type\":\"region.enter\"'", "sh", *paths], stdout=subprocess.PIPE, check=True,
                env=dict(os.environ, LOCWATCH=locwatch, REGIONS=regions, JOBS=str(options.cores))).stdout
            say(f"locwatch replay --jobs {options.cores}", time.monotonic() - began, enters=int(output))

        alone()
        spark(options, locwatch, fixes, paths, regions, say, alone)


def split(fixes, folder):
    """A file for each track."""
    paths, name, file = [], None, None
    with open(fixes) as lines:
        for line in lines:
            track = line.split('"', 4)[3]
            if track != name:
                if file:
                    file.close()
                name = track
                paths.append(os.path.join(folder, track.replace("/", "-") + ".ndjson"))
                file = open(paths[-1], "w")
            file.write(line)
    file.close()
    return paths


def spark(options, locwatch, fixes, paths, regions, say, alone):
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as F

    import locwatch_spark

    master = options.master or f"local-cluster[1,{options.cores},4096]"
    session = SparkSession.builder.master(master).config("spark.ui.enabled", "false").config(
        "spark.sql.shuffle.partitions", str(options.cores * 2)).config("spark.driver.memory", "2g").config(
        "spark.executor.memory", "4g").config("spark.executorEnv.PYTHONPATH", MODULE).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    parquet = os.path.join(os.path.dirname(fixes), "fixes.parquet")
    frame = session.read.schema("track string, lat double, lon double, acc double, tst bigint").json(fixes)
    frame.select("track", F.col("tst").alias("time"), "lat", "lon", F.col("acc").alias("acc_m")).write.parquet(parquet)
    frame = session.read.parquet(parquet)

    def enters_of(tracks):
        return locwatch_spark.replay(tracks, regions, locwatch=locwatch).where("type = 'region.enter'").count()

    # A session that has worked before: the processes of Python are there, and Java has compiled what runs often.
    for _ in range(options.warm):
        enters_of(paths[:options.cores])
    for _ in range(options.repeat):
        began = time.monotonic()
        enters = enters_of(paths)
        say("locwatch_spark.replay of paths", time.monotonic() - began, enters=enters)
        alone()

    began = time.monotonic()
    enters = enters_of(frame)
    say("locwatch_spark.replay of a DataFrame", time.monotonic() - began, enters=enters)

    began = time.monotonic()
    entries = entries_by_arrays(frame, regions)
    say("shapely UDF by arrays, entries by the side of each fix", time.monotonic() - began, enters=entries)

    names = [f"u{index // 10}/d{index}" for index in range(int(options.devices * options.share))]
    began = time.monotonic()
    entries = entries_by_rows(frame.where(F.col("track").isin(names)), regions)
    say("shapely UDF by rows, entries by the side of each fix", time.monotonic() - began,
        share=len(names) / options.devices, enters=entries)
    session.stop()


def shapes(regions):
    """Circles on the ellipsoid as polygons of degrees, in a tree."""
    import math

    import shapely
    import shapely.affinity

    with open(regions) as file:
        circles = [(*feature["geometry"]["coordinates"], feature["properties"]["radius_m"])
                   for feature in json.load(file)["features"]]
    polygons = []
    for longitude, latitude, radius in circles:
        shape = shapely.Point(0, 0).buffer(radius / 111_200)
        scale = 1 / math.cos(math.radians(latitude))
        polygons.append(shapely.affinity.translate(shapely.affinity.scale(shape, scale, 1, origin=(0, 0)),
                                                   longitude, latitude))
    return shapely.STRtree(polygons)


def entries_by_rows(fixes, regions):
    """How often a fix lies in a circle in which the fix of the same track before did not lie: what most would write."""
    from pyspark.sql import functions as F
    from pyspark.sql.window import Window

    trees = {}

    @F.udf("array<bigint>")
    def inside(longitude, latitude):
        import shapely

        if regions not in trees:
            trees[regions] = shapes(regions)
        return trees[regions].query(shapely.Point(longitude, latitude), predicate="within").tolist()

    before = Window.partitionBy("track").orderBy("time")
    rows = fixes.select("track", "time", inside("lon", "lat").alias("here")).withColumn(
        "before", F.lag("here").over(before)).where("before is not null")
    return rows.select(F.sum(F.size(F.array_except("here", "before")))).first()[0]


def entries_by_arrays(fixes, regions):
    """The same with shapely's functions for arrays, a batch of Arrow at a time."""

    def count(frames):
        import pandas as pd
        import shapely

        tree = shapes(regions)
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

    rows = fixes.repartition("track").sortWithinPartitions("track", "time").mapInPandas(count, "entries bigint")
    return sum(row.entries for row in rows.collect())


if __name__ == "__main__":
    main()
