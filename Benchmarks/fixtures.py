"""Writes the tracks and regions that the benchmarks read, the same on any machine.

    python3 fixtures.py FOLDER [FIXES]

A walk at 1 Hz around 48 N, 11 E with a few metres of noise, as GPX, NDJSON and gzip of both; 1,000 circles of
100 m on a grid around it.
"""

import gzip
import json
import math
import pathlib
import random
import shutil
import sys


def walk(count):
    """Latitude, longitude (degrees) and seconds of each fix."""
    noise = random.Random(1)
    north = east = 0.0
    heading = 0.7
    for second in range(count):
        heading += noise.gauss(0, 0.05)
        north += 1.4 * math.cos(heading)
        east += 1.4 * math.sin(heading)
        yield (
            48 + (north + noise.gauss(0, 2)) / 111_200,
            11 + (east + noise.gauss(0, 2)) / 74_500,
            second,
        )


def stamp(second):
    """RFC 3339 in UTC; day 0 is 2026-05-04."""
    day, rest = divmod(second, 86_400)
    month_days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    year, month, day = 2026, 5, 4 + day
    while day > month_days[month - 1] + (month == 2 and year % 4 == 0):
        day -= month_days[month - 1] + (month == 2 and year % 4 == 0)
        month += 1
        if month > 12:
            year, month = year + 1, 1
    return f"{year}-{month:02}-{day:02}T{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}Z"


def write(folder, count):
    name = f"walk-{count}"
    gpx, lines = folder / f"{name}.gpx", folder / f"{name}.ndjson"
    if lines.exists():
        return
    with open(gpx, "w") as out, open(folder / "part", "w") as plain:
        out.write('<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" creator="locwatch benchmarks"')
        out.write(' xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>\n')
        for latitude, longitude, second in walk(count):
            time = stamp(second)
            out.write(f'<trkpt lat="{latitude:.7f}" lon="{longitude:.7f}"><ele>520.0</ele>')
            out.write(f"<time>{time}</time><hdop>0.9</hdop></trkpt>\n")
            plain.write(f'{{"time":"{time}","lat":{latitude:.7f},"lon":{longitude:.7f},"acc_m":7.58}}\n')
        out.write("</trkseg></trk></gpx>\n")
    (folder / "part").rename(lines)
    for path in (gpx, lines):
        with open(path, "rb") as plain, gzip.GzipFile(f"{path}.gz", "wb", 6, mtime=0) as packed:
            shutil.copyfileobj(plain, packed)


def write_hostile(folder, count):
    """Points in long comments and CDATA in turn: what made the reader quadratic once."""
    points = '<trkpt lat="45.0" lon="9.7">\n</trkpt>\n' * 20_000
    hidden = (f"<!-- {points} -->\n", f"<extensions><![CDATA[{points}]]></extensions>\n")
    with open(folder / "comments.gpx", "w") as out:
        out.write('<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>\n')
        for second in range(count):
            out.write(f'<trkpt lat="48" lon="11"><time>{stamp(second)}</time></trkpt>\n{hidden[second % 2]}')
        out.write("</trkseg></trk></gpx>\n")


def write_circles(folder):
    features = [
        {
            "type": "Feature",
            "id": f"r{index}",
            "properties": {"radius_m": 100},
            "geometry": {
                "type": "Point",
                "coordinates": [round(11 + (index % 40 - 20) * 0.005, 6), round(48 + (index // 40 - 12) * 0.004, 6)],
            },
        }
        for index in range(1000)
    ]
    (folder / "circles.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": features}))


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    write(target, int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000)
    write_circles(target)
    write_hostile(target, 50)
