"""Runs replay on a local Spark and compares it with locwatch itself.

    LOCWATCH=.build/debug/locwatch python3 -m unittest discover Integrations/spark/tests
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

MODULE = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))
sys.path.insert(0, MODULE)
os.environ["PYTHONPATH"] = MODULE  # for the processes of Spark's workers
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)

from pyspark.sql import SparkSession  # noqa: E402

import locwatch_spark  # noqa: E402

LOCWATCH = os.path.abspath(os.environ.get("LOCWATCH", "locwatch"))
REGIONS = """{"type":"FeatureCollection","features":[
{"type":"Feature","id":"near","properties":{"radius_m":150},"geometry":{"type":"Point","coordinates":[11.52,48.1]}},
{"type":"Feature","id":"far","properties":{"radius_m":200},"geometry":{"type":"Point","coordinates":[11.56,48.1]}}]}
"""


def track(index):
    """A drive past both places, a fix each 2 seconds."""
    for step in range(400):
        yield {"track": f"t{index}", "time": f"2026-05-01T{6 + step // 1800:02}:{step // 30 % 60:02}:{step % 30 * 2:02}Z",
               "lat": 48.1 + index * 1e-4, "lon": 11.5 + step * 2e-4, "acc_m": 5.0}


class ReplayTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config(
            "spark.sql.shuffle.partitions", "3").config("spark.executorEnv.LOCWATCH", LOCWATCH).getOrCreate()
        cls.spark.sparkContext.setLogLevel("ERROR")
        cls.folder = tempfile.TemporaryDirectory()
        cls.regions = os.path.join(cls.folder.name, "places.geojson")
        with open(cls.regions, "w") as file:
            file.write(REGIONS)
        cls.fixes = [fix for index in range(20) for fix in track(index)]
        lines = "".join(json.dumps(fix) + "\n" for fix in cls.fixes)
        run = subprocess.run([LOCWATCH, "replay", "--batch", "-r", cls.regions], input=lines.encode(),
                             stdout=subprocess.PIPE, check=True)
        cls.expected = cls.events(run.stdout.decode().splitlines())

    @classmethod
    def tearDownClass(cls):
        cls.spark.stop()
        cls.folder.cleanup()

    @staticmethod
    def events(lines):
        events = [json.loads(line) for line in lines]
        for event in events:
            del event["seq"]
        return sorted((event for event in events if event["type"] != "summary"), key=lambda e: (e["track"], e["id"]))

    def test_fixes_of_a_frame(self):
        frame = self.spark.createDataFrame(self.fixes).repartition(7)
        rows = locwatch_spark.replay(frame, self.regions, locwatch=LOCWATCH).collect()
        self.assertGreater(len(rows), 60)
        self.assertEqual(self.events(row.json for row in rows), self.expected)
        self.assertEqual({row.region for row in rows if row.type == "region.enter"}, {"near", "far"})

    def test_other_columns_and_timestamps(self):
        from pyspark.sql import functions as F
        frame = self.spark.createDataFrame(self.fixes).withColumn("time", F.to_timestamp("time")).withColumnsRenamed(
            {"lat": "latitude", "track": "vehicle"})
        rows = locwatch_spark.replay(frame, self.regions, locwatch=LOCWATCH,
                                     columns={"lat": "latitude", "track": "vehicle"}).collect()
        self.assertEqual(self.events(row.json for row in rows), self.expected)

    def test_times_as_text(self):
        """Offsets and decimals that differ from fix to fix, so that text is not in the order of time."""
        def written(index, time):
            hour = int(time[11:13])
            return [time, f"{time[:11]}{hour + 2:02}{time[13:-1]}+02:00", f"{time[:-1]}.000Z"][index % 3]
        fixes = [dict(fix, time=written(index, fix["time"])) for index, fix in enumerate(self.fixes)]
        frame = self.spark.createDataFrame(fixes).repartition(7)
        rows = locwatch_spark.replay(frame, self.regions, locwatch=LOCWATCH).collect()
        self.assertEqual(self.events(row.json for row in rows), self.expected)

    def test_names_and_missing_values(self):
        """A name that JSON has to escape, numbers that are no numbers, and values that are not there."""
        fixes = []
        for fix in self.fixes[:400]:
            seconds = 1_700_000_000 + len(fixes) * 2
            accuracy = None if len(fixes) % 3 == 0 else float("nan") if len(fixes) % 3 == 1 else 5.0
            fixes.append(("a\"b\\ü", seconds, fix["lat"], fix["lon"], accuracy, None))
        lines = "".join(
            json.dumps({key: value for key, value in zip(("track", "time", "lat", "lon", "acc_m"), fix)
                        if value == value and value is not None}) + "\n" for fix in fixes)
        run = subprocess.run([LOCWATCH, "replay", "--batch", "-r", self.regions], input=lines.encode(),
                             stdout=subprocess.PIPE, check=True)
        frame = self.spark.createDataFrame(
            fixes, "track string, time bigint, lat double, lon double, acc_m double, speed_mps float")
        rows = locwatch_spark.replay(frame, self.regions, locwatch=LOCWATCH).collect()
        self.assertEqual({row.track for row in rows}, {"a\"b\\ü"})
        self.assertEqual(self.events(row.json for row in rows), self.events(run.stdout.decode().splitlines()))

    def test_files(self):
        paths = []
        for index in range(20):
            paths.append(os.path.join(self.folder.name, f"t{index}.ndjson"))
            with open(paths[-1], "w") as file:
                file.writelines(json.dumps(fix) + "\n" for fix in track(index))
        rows = locwatch_spark.replay(paths, self.regions, locwatch=LOCWATCH, spark=self.spark, summaries=True).collect()
        self.assertEqual(sum(row.type == "summary" for row in rows), 20)
        found = self.events(row.json for row in rows)
        for event in found:
            event["track"] = os.path.basename(event["track"]).removesuffix(".ndjson")
        self.assertEqual(sorted(found, key=lambda e: (e["track"], e["id"])), self.expected)

    def test_failures_are_told(self):
        frame = self.spark.createDataFrame([{"track": "a", "time": "2026-05-01T06:00:00Z", "lat": 48.0}])
        with self.assertRaisesRegex(ValueError, "no column lon"):
            locwatch_spark.replay(frame, self.regions)
        for kind in ("timestamp_ntz", "date"):
            other = self.spark.createDataFrame(self.fixes[:1])
            other = other.withColumn("time", other.time.cast("timestamp").cast(kind))
            with self.assertRaisesRegex(ValueError, f"time is a {kind}"):
                locwatch_spark.replay(other, self.regions)
        with self.assertRaisesRegex(Exception, "not there|no such|does not exist"):
            locwatch_spark.replay(["/nowhere/a.gpx"], self.regions, locwatch=LOCWATCH, spark=self.spark).collect()


if __name__ == "__main__":
    unittest.main()
