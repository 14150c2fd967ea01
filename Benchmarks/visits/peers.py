"""The stops that two batch libraries find with the parameters they come with.

trackintel: `generate_staypoints` with nothing set, which is 100 m, 5 minutes, gaps of 15 minutes.
MovingPandas: `TrajectoryStopDetector` has no default; 100 m of diameter and 60 s are those of its tutorial, and
beside it stands the same with 5 minutes. Both get the fixes in order of time, each time once.
"""

import warnings
from datetime import timedelta

import geopandas
import movingpandas
import pandas
import trackintel

warnings.filterwarnings("ignore")


def frame(run):
    fixes = run.sorted_fixes()
    times = pandas.to_datetime([f.t for f in fixes], unit="s", utc=True)
    points = geopandas.points_from_xy([f.lon for f in fixes], [f.lat for f in fixes], crs=4326)
    return times, points


def trackintel_staypoints(run, **parameters):
    times, points = frame(run)
    table = geopandas.GeoDataFrame({"user_id": 0, "tracked_at": times}, geometry=points)
    fixes = trackintel.Positionfixes(table)
    _, stays = fixes.generate_staypoints(**parameters)
    return [(a.timestamp(), b.timestamp()) for a, b in zip(stays["started_at"], stays["finished_at"])]


def movingpandas_stops(run, seconds, meters=100):
    times, points = frame(run)
    if len(times) < 2:
        return []
    table = geopandas.GeoDataFrame({"n": range(len(times))}, geometry=points, index=times.tz_localize(None))
    track = movingpandas.Trajectory(table, 1)
    ranges = movingpandas.TrajectoryStopDetector(track).get_stop_time_ranges(
        max_diameter=meters, min_duration=timedelta(seconds=seconds)
    )
    return [(utc(r.t_0), utc(r.t_n)) for r in ranges]


def utc(time):
    return pandas.Timestamp(time).tz_localize("UTC").timestamp()
