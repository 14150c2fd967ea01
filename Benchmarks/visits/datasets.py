"""Labelled tracks as runs: fixes, the stops a person wrote down, and the window both cover.

Nothing is committed: the corpus folder is read where it lies.
"""

import csv
import gzip
import math
import os
import random
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime

LEAST_STOP_S = 300.0
"""Stops shorter than this are nobody's task here: trackintel's default, and rule B5's."""


@dataclass
class Fix:
    t: float
    lat: float
    lon: float
    acc: float | None = None
    speed: float | None = None


@dataclass
class Run:
    data: str
    name: str
    fixes: list
    stops: list
    window: tuple
    is_test: bool = True
    ignore: list = field(default_factory=list)
    """Times in which nobody says whether the phone stood: what lies mostly in them is not scored."""
    peers: dict = field(default_factory=dict)
    """Stops that another program's own log tells, by its name."""

    def sorted_fixes(self):
        """In order of time, the first of each time: what a batch program is given."""
        seen, out = set(), []
        for fix in sorted(self.fixes, key=lambda f: f.t):
            if fix.t not in seen:
                seen.add(fix.t)
                out.append(fix)
        return out


def load(corpus):
    runs = []
    days = manual_days(corpus)
    runs += mobilitynet_trips(corpus, days)
    runs += mobilitynet_days(corpus, days)
    runs += emission(corpus)
    runs += stop_go(corpus)
    for run in runs:
        see(run)
    deal(runs)
    return [run for run in runs if run.window[1] - run.window[0] >= LEAST_STOP_S]


def see(run):
    """Leaves out what no fix bears witness to: before the first, after the last. Stops without a fix inside are
    neither asked for nor wrong."""
    times = sorted(f.t for f in run.fixes)
    run.window = (max(run.window[0], times[0]), min(run.window[1], times[-1]))
    stops = clip(run.stops, run.window)
    run.stops = [s for s in stops if any(s[0] <= t <= s[1] for t in times)]
    run.ignore = run.ignore + [s for s in stops if s not in run.stops]


def deal(runs):
    """Every second outing of each data set is for tuning, all its phones together; the rest is for the test."""
    for data in {run.data for run in runs}:
        outing, began = 1, -math.inf
        for run in sorted((r for r in runs if r.data == data), key=lambda r: r.window[0]):
            if run.window[0] > began + 1800:
                outing, began = outing + 1, run.window[0]
            run.is_test = outing % 2 == 0


# -- MobilityNet ------------------------------------------------------------------------------------------------


@dataclass
class Day:
    spec: str
    start: float
    end: float = math.inf
    trips: list = field(default_factory=list)
    waits: list = field(default_factory=list)
    transfers: list = field(default_factory=list)

    def stops(self):
        edges = [self.start] + [t for trip in self.trips for t in trip] + [self.end]
        between = [(a, b) for a, b in zip(edges[::2], edges[1::2])]
        return sorted(s for s in between + self.waits if s[1] - s[0] >= LEAST_STOP_S)


def manual_days(corpus):
    """What the experimenter tapped, a day at a time; one phone's file has it for all eight."""
    path = f"{corpus}/labelled/mobilitynet/unimodal_trip_car_bike_mtv_la/ucb-sdb-ios-1/manual_transitions.csv"
    days, open_at = [], {}
    for row in sorted(csv.DictReader(open(path)), key=lambda r: float(r["ts"])):
        t, what, name = float(row["ts"]), row["transition"], row["trip_id"]
        if what.endswith("_PERIOD"):
            if what.startswith("START"):
                days.append(Day(row["spec_id"], t))
            elif days:
                days[-1].end = t
        elif what.startswith("START"):
            open_at[what[6:], name] = t
        elif days and (what[5:], name) in open_at:
            span = (open_at.pop((what[5:], name)), t)
            if what.endswith("_TRIP"):
                days[-1].trips.append(span)
            elif name.startswith("wait_for_"):
                days[-1].waits.append(span)
            elif name.startswith("tt_"):
                days[-1].transfers.append(span)
    return [d for d in days if math.isfinite(d.end)]


def mobilitynet_trips(corpus, days):
    base = f"{corpus}/labelled/mobilitynet/unimodal_trip_car_bike_mtv_la"
    runs = []
    for phone in sorted(os.listdir(base)):
        if not phone.startswith("ucb-sdb-"):
            continue
        for name in sorted(os.listdir(f"{base}/{phone}")):
            if not name.endswith(".location.csv"):
                continue
            start, end = (float(x) for x in name.split(".")[0].split("_"))
            fixes = [
                Fix(float(r["ts"]), float(r["lat"]), float(r["lon"]), number(r["accuracy_m"]), number(r["speed_mps"]))
                for r in csv.DictReader(open(f"{base}/{phone}/{name}"))
            ]
            visits = clvisits(
                (float(r["ts"]), r["transition"])
                for r in csv.DictReader(open(f"{base}/{phone}/{name.replace('location', 'transition')}"))
            )
            runs += mobilitynet_run("MobilityNet trips", phone[8:], start, end, fixes, visits, days)
    return runs


def mobilitynet_days(corpus, days):
    def table(name):
        return csv.DictReader(gzip.open(f"{corpus}/mobilitynet/{name}.csv.gz", "rt"))

    fixes, transitions = defaultdict(list), defaultdict(list)
    for r in table("locations"):
        fixes[r["run"]].append(
            Fix(float(r["unix"]), float(r["lat"]), float(r["lon"]), number(r["acc_m"]), number(r["speed_mps"]))
        )
    for r in table("transitions"):
        if r["unix"]:
            transitions[r["run"]].append((float(r["unix"]), r["transition"]))
    runs = []
    for r in table("runs"):
        start, end = float(r["start_unix"]), float(r["end_unix"])
        if r["day_type"].startswith("unimodal"):
            continue  # the same as in mobilitynet_trips
        visits = clvisits(transitions[r["run"]])
        if "stationary" in r["day_type"]:
            if len(fixes[r["run"]]) >= 20:
                runs.append(
                    Run("MobilityNet at rest", r["run"], fixes[r["run"]], [(start, end)], (start, end),
                        peers={"CLVisit": visits})
                )
            continue
        runs += mobilitynet_run("MobilityNet days", r["phone"], start, end, fixes[r["run"]], visits, days)
    return runs


def mobilitynet_run(data, phone, start, end, fixes, visits, days):
    day = next((d for d in days if d.start < (start + end) / 2 < d.end), None)
    if day is None or len(fixes) < 20:
        return []
    window = (max(start, day.start), min(end, day.end))
    peers = {"CLVisit": visits} if phone.startswith("ios") else {}
    brief = [w for w in day.waits if w[1] - w[0] < LEAST_STOP_S]
    return [Run(data, f"{phone}-{start:.0f}", fixes, day.stops(), window, ignore=day.transfers + brief, peers=peers)]


def clvisits(transitions):
    """The phone's own visits, from the callbacks it logged; each side may be missing."""
    visits, arrived = [], None
    for t, what in sorted(transitions):
        if what == "T_VISIT_STARTED":
            arrived = arrived or t
        elif what == "T_VISIT_ENDED" and arrived:
            visits.append((arrived, t))
            arrived = None
    if arrived:
        visits.append((arrived, math.inf))
    return visits


# -- e-mission, Stop-Go -----------------------------------------------------------------------------------------


def emission(corpus):
    """Stops are what lies between the trips that the e-mission server's tests expect."""
    base, runs = f"{corpus}/labelled/emission", []
    names = sorted(n[:-19] for n in os.listdir(base) if n.endswith(".expected_trips.csv"))
    for name in names:
        fixes = [
            Fix(float(r["ts"]), float(r["lat"]), float(r["lon"]), number(r["accuracy_m"]), number(r["speed_mps"]))
            for r in csv.DictReader(open(f"{base}/{name}.location.csv"))
        ]
        trips = sorted(
            (float(r["start_ts"]), float(r["end_ts"])) for r in csv.DictReader(open(f"{base}/{name}.expected_trips.csv"))
        )
        window = (trips[0][0], trips[-1][1])
        stops = [(a[1], b[0]) for a, b in zip(trips, trips[1:]) if b[0] - a[1] >= LEAST_STOP_S]
        runs.append(Run("e-mission", name, fixes, stops, window))
    return runs


def stop_go(corpus):
    rows = list(csv.DictReader(open(f"{corpus}/labelled/stop-go-classifier/diary_labelled.csv")))
    fixes = [Fix(datetime.fromisoformat(r["ts"]).timestamp(), float(r["lat"]), float(r["lon"])) for r in rows]
    stops, begun = [], None
    for fix, row in zip(fixes, rows):
        if row["diary_label"] == "stop":
            begun = fix.t if begun is None else begun
        elif begun is not None:
            stops.append((begun, fix.t))
            begun = None
    if begun is not None:
        stops.append((begun, fixes[-1].t))
    stops = [s for s in stops if s[1] - s[0] >= LEAST_STOP_S]
    return [Run("Stop-Go diary", "diary", fixes, stops, (fixes[0].t, fixes[-1].t))]


# -- Planted stops ----------------------------------------------------------------------------------------------


def planted(seed, tracks=12):
    """Tracks with stops put in on purpose: walks and drives between stops of 6 to 90 minutes, with errors that
    drift, outliers, pauses of the receiver, and one of four rates."""
    runs = []
    for index in range(tracks):
        rng = random.Random(seed * 1000 + index)
        interval = (1, 5, 30, 60)[index % 4]
        sigma = (3, 6, 12)[index % 3]
        fixes, stops = plant(rng, interval, sigma)
        runs.append(Run("planted", f"{interval} s, {sigma} m, {index}", fixes, stops, (fixes[0].t, fixes[-1].t)))
    return runs


def plant(rng, interval, sigma, legs=12):
    t, x, y = 1.78e9, 0.0, 0.0
    truth, stops = [], []

    def hold(seconds):
        nonlocal t
        start = t
        while t < start + seconds:
            truth.append((t, x, y))
            t += interval
        return start, t

    stops.append(hold(rng.uniform(360, 5400)))
    for _ in range(legs):
        heading = rng.uniform(0, 2 * math.pi)
        speed = rng.choice([1.3, 1.3, 5.0, 12.0, 25.0])
        length = rng.uniform(400, 1500) if speed < 2 else rng.uniform(1500, 12000)
        done = 0.0
        pauses = sorted(rng.uniform(0, length) for _ in range(rng.randint(0, 4)))
        while done < length:
            x += speed * interval * math.cos(heading)
            y += speed * interval * math.sin(heading)
            done += speed * interval
            heading += rng.gauss(0, 0.02 * interval**0.5)
            t += interval
            truth.append((t, x, y))
            while pauses and pauses[0] < done:
                pauses.pop(0)
                hold(rng.uniform(10, 120))  # a light, a shop window: no stop
        stops.append(hold(rng.uniform(360, 5400)))
    fixes, ex, ey, silent = [], 0.0, 0.0, 0.0
    keep, kick = math.exp(-interval / 60), math.sqrt(1 - math.exp(-2 * interval / 60))
    for time, px, py in truth:
        ex = ex * keep + rng.gauss(0, sigma) * kick
        ey = ey * keep + rng.gauss(0, sigma) * kick
        if time < silent:
            continue
        if rng.random() < interval / 3600:
            silent = time + rng.uniform(30, 600)
        far = rng.random() < 0.003
        dx, dy = (rng.uniform(-3000, 3000), rng.uniform(-3000, 3000)) if far else (ex, ey)
        lat = 48.0 + (py + dy) / 111_200
        lon = 11.0 + (px + dx) / (111_320 * math.cos(math.radians(48)))
        fixes.append(Fix(round(time, 3), lat, lon, sigma * 1.515))
    return fixes, [s for s in stops if s[1] - s[0] >= LEAST_STOP_S]


def clip(stops, window):
    clipped = [(max(a, window[0]), min(b, window[1])) for a, b in stops]
    return [(a, b) for a, b in clipped if b - a >= LEAST_STOP_S]


def number(text):
    """A number that is not negative, or None: phones write -1 for what they do not know."""
    try:
        value = float(text)
    except (TypeError, ValueError):
        return None
    return value if value >= 0 else None
