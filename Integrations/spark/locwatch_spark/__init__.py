"""Replays archives of GPS tracks with locwatch on Apache Spark.

Each task of Spark starts one `locwatch replay --batch`, which reads the regions once and then takes one track after
the other. The events are those of `locwatch replay`, and come back as a DataFrame.

    events = locwatch_spark.replay(fixes, regions="places.geojson")
    events.write.parquet("events")
"""

import json
import os
import re
import shutil
import subprocess
import threading

from pyspark import SparkFiles
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

__all__ = ["replay", "EVENT_SCHEMA"]

# What most readers want of an event; `json` is all of it (Docs/Wire.md).
EVENT_SCHEMA = (
    "track string, id bigint, type string, time string, region string, lat double, lon double, acc_m double, json string"
)

# Names that a column of fixes may have, by the key that locwatch reads (Docs/Wire.md).
_FIX_KEYS = ("time", "lat", "lon", "acc_m", "speed_mps", "course_deg", "alt_m", "mode")

# Types of `time` that name a moment: one without a time zone, or a date, does not.
_TIME_TYPES = r"string|timestamp|tinyint|smallint|int|bigint|float|double|decimal\(.*\)"


def replay(tracks, regions=None, settings=None, *, spark=None, locwatch=None, columns=None, partitions=None,
           summaries=False):
    """The events of many tracks, as a DataFrame with the columns of EVENT_SCHEMA.

    tracks: a DataFrame of fixes with the columns track, time, lat, lon and, where known, acc_m, speed_mps, course_deg,
        alt_m, where time is text, a number of seconds since 1970, or a timestamp; or a list of paths of track files (GPX, NDJSON, gpsd, KML, CSV, gzip) that every executor can read.
    regions: the path of a file of regions, or a list of them, on the driver.
    settings: the path of a settings file, on the driver.
    locwatch: the program on the executors; by default LOCWATCH there, or the one in PATH.
    columns: other names of the columns, as {"lat": "latitude"}.
    partitions: how many tasks; Spark's default for a DataFrame, and one for each core for paths.
    summaries: whether each track's summary is among the rows, with the type "summary".

    A line or a track that can't be used fails the job, with locwatch's own message.
    """
    spark = spark or SparkSession.getActiveSession()
    if spark is None:
        raise ValueError("no SparkSession is active; give one as spark=")
    shares = None
    if isinstance(tracks, DataFrame):
        rows = _rows_of_fixes(tracks, columns or {}, partitions)
    else:
        shares = _shares(tracks, partitions or spark.sparkContext.defaultParallelism)
        rows = spark.range(0, len(shares), 1, len(shares))
    arguments = ["replay", "--batch", "--format", "arrow"]
    files = []
    for option, paths in (("--regions", regions), ("--config", settings)):
        for path in [paths] if isinstance(paths, (str, os.PathLike)) else paths or []:
            spark.sparkContext.addFile(os.path.abspath(path))
            files.append((option, os.path.basename(path)))
    events = rows.mapInArrow(_Task(arguments, files, locwatch, shares), EVENT_SCHEMA)
    return events if summaries else events.where("type <> 'summary'")


def _rows_of_fixes(fixes, columns, partitions):
    name = {key: columns.get(key, key) for key in ("track",) + _FIX_KEYS}
    missing = [name[key] for key in ("track", "time", "lat", "lon") if name[key] not in fixes.columns]
    if missing:
        raise ValueError(f"the fixes have no column {missing[0]}; columns= can name another")
    track, time = F.col(name["track"]).cast("string"), F.col(name["time"])
    kind = dict(fixes.dtypes)[name["time"]]
    if not re.fullmatch(_TIME_TYPES, kind):
        raise ValueError(f"the column {name['time']} is a {kind}; give text, a number of seconds, or a timestamp, "
                         "as .cast(\"timestamp\") makes it")
    if kind == "timestamp":
        time = time.cast("double")  # seconds since 1970
    # Text is not in the order of time where offsets or decimals differ. What is no time is locwatch's to tell.
    order = [F.expr("try_cast(time AS timestamp)"), "time"] if kind == "string" else ["time"]
    fields = [track.alias("track"), time.alias("time")]
    fields += [F.col(name[key]).alias(key) for key in _FIX_KEYS[1:] if name[key] in fixes.columns]
    # All fixes of a track go to one task, one after the other. What is not read does not travel.
    rows = fixes.select(*fields)
    parts = rows.repartition(partitions, "track") if partitions else rows.repartition("track")
    return parts.sortWithinPartitions("track", *order)


def _shares(paths, count):
    """The paths of each task, of which there are at most so many: large files first, and dealt out one by one."""
    paths = [os.fspath(path) for path in ([paths] if isinstance(paths, (str, os.PathLike)) else paths)]
    paths.sort(key=lambda path: -os.path.getsize(path) if os.path.exists(path) else 0)
    return [paths[index::count] for index in range(min(count, len(paths)) or 1)]


class _Task:
    """One task: feeds a child with lines, and hands on the batches of rows that it prints.

    shares: the paths of each task, whose rows are the numbers of its shares; None where the rows are fixes.
    """

    def __init__(self, arguments, files, locwatch, shares):
        self.arguments = arguments
        self.files = files
        self.locwatch = locwatch
        self.shares = shares

    def __call__(self, batches):
        command = [self._program(), *self.arguments]
        for option, name in self.files:
            command += [option, SparkFiles.get(name)]
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        errors, feeding, reading = [], [], []
        reader = threading.Thread(target=lambda: errors.append(child.stderr.read()))
        feeder = threading.Thread(target=self._feed, args=(child.stdin, batches, feeding))
        reader.start()
        feeder.start()
        try:
            yield from self._batches(child.stdout, reading)
            feeder.join()
            reader.join()
            status = child.wait()
        finally:
            child.kill()
        if feeding:
            raise feeding[0]
        if status != 0:
            words = b"".join(errors).decode(errors="replace").strip()
            raise RuntimeError(f"locwatch ended with {status}: {words[:2000]}")
        if reading:
            raise reading[0]

    def _program(self):
        program = self.locwatch or os.environ.get("LOCWATCH") or shutil.which("locwatch")
        if not program:
            raise RuntimeError("there is no locwatch on this executor; install it or set LOCWATCH")
        return program

    def _feed(self, pipe, batches, failures):
        try:
            with pipe:
                for batch in batches:
                    pipe.write(self._lines(batch))
        except BrokenPipeError:
            pass  # The child has ended; its status tells why.
        except Exception as failure:  # noqa: BLE001 - handed to the task
            failures.append(failure)

    def _lines(self, batch):
        if self.shares is None:
            return _text(_objects(batch))
        paths = [path for number in batch.column(0).to_pylist() for path in self.shares[number]]
        return "".join(json.dumps({"path": path}) + "\n" for path in paths).encode()

    def _batches(self, output, failures):
        """The batches of rows, as they come."""
        import pyarrow as pa

        try:
            yield from pa.ipc.open_stream(output)
        except pa.ArrowException as failure:
            failures.append(failure)  # Where the child has ended, its status tells why.


def _objects(batch):
    """The rows of a batch as lines of JSON, made by Arrow a column at a time; without the values that are null."""
    import pyarrow as pa
    import pyarrow.compute as pc

    words = ["{"]
    for index, (key, column) in enumerate(zip(batch.schema.names, batch.columns)):
        if index == 0 and column.null_count > 0:
            raise ValueError(f"a row has no {key}")
        label = f'{"," if index else ""}"{key}":'
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            value = _quoted(column)
        else:
            value = column.cast(pa.string())
            if pa.types.is_floating(column.type):
                value = pc.if_else(pc.is_finite(column), value, "null")
        if column.null_count == 0:
            words += [label, value]
        else:
            words.append(pc.binary_join_element_wise(label, value, ""))
    return pc.binary_join_element_wise(*words, "}\n", "", null_handling="replace", null_replacement="")


def _quoted(column):
    """A column of text as JSON has it."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if re.search(rb'["\\\x00-\x1f]', _text(column)):
        texts = [None if text is None else json.dumps(text, ensure_ascii=False) for text in column.to_pylist()]
        return pa.array(texts, pa.string())
    return pc.binary_join_element_wise('"', column, '"', "")


def _text(column):
    """The text of all values of a column, one after the other, without a copy."""
    if len(column) == 0:
        return b""
    _, offsets, data = column.buffers()
    offsets = memoryview(offsets).cast("i" if column.type == "string" else "q")
    return memoryview(data or b"")[offsets[column.offset]:offsets[column.offset + len(column)]]
