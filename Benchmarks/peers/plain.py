"""What a user would write today: enter, exit and significant change of a track, with gpxpy, pyproj and shapely.

    python3 plain.py TRACK.gpx REGIONS.geojson

It knows nothing of accuracy, so it flaps at boundaries; it is here for its speed alone.
"""

import json
import sys

import gpxpy
from pyproj import Geod
from shapely import STRtree
from shapely.geometry import Point, Polygon
from shapely.prepared import prep

geod = Geod(ellps="WGS84")


def outline(feature):
    longitude, latitude = feature["geometry"]["coordinates"]
    radius = feature["properties"]["radius_m"]
    ring = [geod.fwd(longitude, latitude, azimuth, radius)[:2] for azimuth in range(0, 360, 12)]
    return Polygon(ring)


with open(sys.argv[2]) as file:
    features = json.load(file)["features"]
shapes = [outline(feature) for feature in features]
prepared = [prep(shape) for shape in shapes]
tree = STRtree(shapes)

with open(sys.argv[1]) as file:
    track = gpxpy.parse(file)

inside = set()
last = None
events = {"enter": 0, "exit": 0, "significant": 0}
for fix in track.walk(only_points=True):
    place = Point(fix.longitude, fix.latitude)
    now = {index for index in tree.query(place) if prepared[index].contains(place)}
    for index in inside - now:
        events["exit"] += 1
    for index in now - inside:
        events["enter"] += 1
    inside = now
    if last is None:
        last = fix
        events["significant"] += 1
    elif (fix.time - last.time).total_seconds() >= 300:
        moved = geod.inv(last.longitude, last.latitude, fix.longitude, fix.latitude)[2]
        if moved >= 500:
            last = fix
            events["significant"] += 1
print(json.dumps(events))
