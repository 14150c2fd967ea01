"""Real tracks with a simulated receiver error, through random circles: what is missed, false, and how late.

    python3 Benchmarks/passages.py --corpus FOLDER [--corpus FOLDER] [--seeds 10] BINARY [BINARY ...]

The tracks of every GPX file in the folders, cut at gaps above 30 s and resampled to a second, are the truth. The error
is a first-order autoregressive process with 3, 5 or 8 m on each axis, correlated over 1, 20 or 60 s, and stated as it
is. Each track gets 25 circles of 40 to 300 m. A passage counts where the true place is deeper than 4.5 standard
deviations for a minute in all. An event is false where the true place was not on that side in the 5 minutes before.
Delays are counted from the true crossing, by the true speed there; a percentile each seed, then the mean of seeds.
"""

import argparse
import collections
import datetime
import gzip
import json
import math
import pathlib
import random
import subprocess
import tempfile
import xml.etree.ElementTree

METERS_PER_DEGREE = 111195
BEGIN = 1777600000
SPEEDS = (("0 to 2.5 m/s", 0, 2.5), ("4 to 8 m/s", 4, 8), ("8 to 20 m/s", 8, 20))

parser = argparse.ArgumentParser()
parser.add_argument("--corpus", required=True, action="append")
parser.add_argument("--seeds", type=int, default=10)
parser.add_argument("binaries", nargs="+")
options = parser.parse_args()


def seconds(text):
    try:
        return datetime.datetime.fromisoformat(text.strip().replace("Z", "+00:00")).timestamp()
    except ValueError:
        return None


def local(name):
    return name.rsplit("}", 1)[-1]


def tracks():
    """Lists of (seconds, latitude, longitude), ten minutes or more without a gap or an impossible speed."""
    for path in sorted(path for folder in options.corpus for path in pathlib.Path(folder).rglob("*.gpx*")):
        data = path.read_bytes()
        try:
            root = xml.etree.ElementTree.fromstring(gzip.decompress(data) if path.suffix == ".gz" else data)
        except (xml.etree.ElementTree.ParseError, ValueError, LookupError, OSError):
            continue
        for segment in root.iter():
            if local(segment.tag) == "trkseg":
                yield from pieces(segment)


def pieces(segment):
    piece = []
    for point in segment:
        texts = [child.text for child in point if local(child.tag) == "time" and child.text]
        time = seconds(texts[0]) if texts else None
        if time is None:
            continue
        place = (time, float(point.get("lat")), float(point.get("lon")))
        if piece:
            elapsed = time - piece[-1][0]
            if elapsed <= 0:
                continue
            north = (place[1] - piece[-1][1]) * METERS_PER_DEGREE
            east = (place[2] - piece[-1][2]) * METERS_PER_DEGREE * math.cos(math.radians(place[1]))
            if elapsed > 30 or math.hypot(north, east) / elapsed > 60:
                if len(piece) >= 20 and piece[-1][0] - piece[0][0] >= 600:
                    yield piece
                piece = []
        piece.append(place)
    if len(piece) >= 20 and piece[-1][0] - piece[0][0] >= 600:
        yield piece


def truth(piece, scale):
    """Metres east and north of the first point, each second, of at most four hours."""
    points = [((p[2] - piece[0][2]) * scale, (p[1] - piece[0][1]) * METERS_PER_DEGREE, p[0] - piece[0][0])
              for p in piece]
    places, index = [], 0
    for second in range(min(int(points[-1][2]), 14400) + 1):
        while index + 2 < len(points) and points[index + 1][2] < second:
            index += 1
        one, other = points[index], points[index + 1]
        share = min(max((second - one[2]) / max(other[2] - one[2], 1e-9), 0), 1)
        places.append(tuple(a + share * (b - a) for a, b in zip(one[:2], other[:2])))
    return places


def replay(binary, folder):
    """What was told of each region: (second, kind), a first state inside as `inside`."""
    words = [binary, "replay", folder + "/track.ndjson", "-r", folder + "/regions.geojson", "--format", "ndjson"]
    told = collections.defaultdict(list)
    for line in subprocess.run(words, capture_output=True, text=True).stdout.splitlines():
        record = json.loads(line)
        kind = record["type"].removeprefix("region.")
        if kind == "state" and record.get("state") == "inside":
            kind = "inside"
        if kind in ("enter", "exit", "inside"):
            told[record["region"]].append((seconds(record["time"]) - BEGIN, kind))
    return told


def judge(places, distances, told, sigma, sums, delays):
    """Distances to the edge are positive outside."""
    def note(kind, crossing, other, delay):
        speed = math.dist(places[crossing], places[other]) / 5
        for name, least, most in SPEEDS:
            if least <= speed < most:
                delays[kind, name].append(delay)

    events = [event for event in told if event[1] != "inside"]
    sums["events"] += len(events)
    for time, kind in events:
        before = distances[max(0, int(time) - 300):int(time) + 1]
        sums["false"] += min(before) > 0 if kind == "enter" else max(before) < 0
    begin = 0
    while begin < len(distances):
        if distances[begin] >= 0:
            begin += 1
            continue
        end = begin
        while end + 1 < len(distances) and distances[end + 1] < 0:
            end += 1
        if begin > 0 and sum(d < -4.5 * sigma for d in distances[begin:end + 1]) >= 60:
            sums["passages"] += 1
            known = [kind for time, kind in told if time <= end]
            enters = [time for time, kind in events if kind == "enter" and begin - 5 <= time <= end + 30]
            sums["missed"] += not enters and known[-1:] not in (["enter"], ["inside"])
            if enters and max(distances[max(0, begin - 120):begin]) > 4.5 * sigma:
                note("enter", begin, max(0, begin - 5), enters[0] - begin)
                after = distances[end + 1:end + 601]
                exits = [time for time, kind in events if kind == "exit" and time >= end - 5]
                if exits and max(after[:120], default=0) > 4.5 * sigma and min(after) >= 0:
                    note("exit", end, min(end + 5, len(places) - 1), exits[0] - end)
        begin = end + 1


sums = {binary: collections.Counter() for binary in options.binaries}
percentiles = {binary: collections.defaultdict(list) for binary in options.binaries}
pieces_of_all = list(tracks())
for seed in range(1, options.seeds + 1):
    random_ = random.Random(seed)
    delays = {binary: collections.defaultdict(list) for binary in options.binaries}
    for piece in pieces_of_all:
        scale = METERS_PER_DEGREE * math.cos(math.radians(piece[0][1]))
        places = truth(piece, scale)
        sigma, tau = random_.choice([3, 5, 8]), random_.choice([1, 20, 60])
        memory = math.exp(-1 / tau)
        fresh = math.sqrt(1 - memory * memory)
        error = [random_.gauss(0, 1), random_.gauss(0, 1)]
        with tempfile.TemporaryDirectory() as folder:
            with open(folder + "/track.ndjson", "w") as track:
                for second, (east, north) in enumerate(places):
                    error = [memory * e + fresh * random_.gauss(0, 1) for e in error]
                    print('{"time":%d,"lat":%.8f,"lon":%.8f,"acc_m":%.3f}' % (
                        BEGIN + second, piece[0][1] + (north + error[1] * sigma) / METERS_PER_DEGREE,
                        piece[0][2] + (east + error[0] * sigma) / scale, sigma * 1.5151729), file=track)
            circles, features = [], []
            for number in range(25):
                radius = random_.choice([40, 75, 100, 150, 300])
                east, north = places[random_.randrange(len(places))]
                angle, away = random_.uniform(0, 2 * math.pi), radius * math.sqrt(random_.random()) * 0.9
                east, north = east + away * math.cos(angle), north + away * math.sin(angle)
                circles.append((east, north, radius))
                features.append({
                    "type": "Feature", "id": "r%d" % number, "properties": {"radius_m": radius},
                    "geometry": {"type": "Point", "coordinates": [
                        piece[0][2] + east / scale, piece[0][1] + north / METERS_PER_DEGREE]}})
            pathlib.Path(folder + "/regions.geojson").write_text(
                json.dumps({"type": "FeatureCollection", "features": features}))
            for binary in options.binaries:
                told = replay(binary, folder)
                for number, (east, north, radius) in enumerate(circles):
                    distances = [math.hypot(x - east, y - north) - radius for x, y in places]
                    judge(places, distances, told["r%d" % number], sigma, sums[binary], delays[binary])
    for binary in options.binaries:
        for key, values in delays[binary].items():
            values.sort()
            percentiles[binary][key].append(values[int(0.95 * len(values))])

print("%d tracks, %d seeds" % (len(pieces_of_all), options.seeds))
for binary in options.binaries:
    print(binary, dict(sums[binary]))
    for key, values in sorted(percentiles[binary].items()):
        print("  %s at %-13s 95 %% within %.1f s" % (*key, sum(values) / len(values)))
