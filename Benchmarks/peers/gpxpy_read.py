"""Reads a GPX file with gpxpy and adds up every field: the way most Python programs read tracks."""

import sys

import gpxpy

with open(sys.argv[1]) as file:
    track = gpxpy.parse(file)
points = 0
latitude = longitude = elevation = dilution = seconds = 0
for point in track.walk(only_points=True):
    points += 1
    latitude += point.latitude
    longitude += point.longitude
    elevation += point.elevation or 0
    dilution += point.horizontal_dilution or 0
    seconds += point.time.hour * 3600 + point.time.minute * 60 + point.time.second
print(points, latitude, longitude, seconds, elevation, dilution)
