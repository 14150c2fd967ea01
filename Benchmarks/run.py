"""Runs the benchmarks and prints a table for each: medians of runs that take turns with what they are held against.

    python3 Benchmarks/run.py [reading] [replay] [gzip] [jobs] [memory] [counts] [regions] [--runs N] [--work FOLDER]

Without a name it runs all of them, in about twenty-five minutes. It builds what it measures, and puts the tracks, the C
programs and a Python environment with the peers into FOLDER (default Benchmarks/.build-work). It needs cc,
python3-venv, gpsbabel, valgrind and GEOS (`apt-get install gcc python3-venv gpsbabel valgrind libgeos-dev`); a peer that is missing
gets a line that says so.
"""

import argparse
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time

here = pathlib.Path(__file__).resolve().parent
root = here.parent


class Run:
    """What the system says of one finished process: seconds and the peak memory in MiB."""

    def __init__(self, command, output=subprocess.DEVNULL):
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL, cwd=root)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.wall = time.perf_counter() - start
        self.cpu = usage.ru_utime + usage.ru_stime
        self.mebibytes = usage.ru_maxrss / 1024
        if process.returncode != 0:
            sys.exit(f"run.py: {' '.join(map(str, command))} ended with {process.returncode}")


def take_turns(commands, runs):
    """Each command once to warm up, then all in turn; a list of runs for each."""
    for command in commands:
        Run(command)
    results = [[] for _ in commands]
    for _ in range(runs):
        for result, command in zip(results, commands):
            result.append(Run(command))
    return results


def median(runs, figure="wall"):
    return statistics.median(getattr(run, figure) for run in runs)


def spread(runs, figure="wall"):
    values = [getattr(run, figure) for run in runs]
    return f"{statistics.median(values):.3f} ({min(values):.3f} to {max(values):.3f})"


def table(title, head, rows):
    print(f"\n### {title}\n\n| {' | '.join(head)} |\n| {' | '.join('---' for _ in head)} |")
    for row in rows:
        print(f"| {' | '.join(row)} |")
    sys.stdout.flush()


class Bench:
    def __init__(self, work, runs):
        self.work = work
        self.runs = runs
        work.mkdir(parents=True, exist_ok=True)
        swift = ["swift", "build", "-c", "release"]
        subprocess.run([*swift, "--product", "locwatch"], cwd=root, check=True, stdout=sys.stderr)
        subprocess.run(swift, cwd=here, check=True, stdout=sys.stderr)
        self.locwatch = self.binary(root) / "locwatch"
        self.circles = work / "circles.geojson"
        self.python = work / "venv/bin/python"

    @staticmethod
    def binary(package):
        show = ["swift", "build", "-c", "release", "--show-bin-path"]
        return pathlib.Path(subprocess.run(show, cwd=package, check=True, capture_output=True, text=True).stdout.strip())

    def track(self, fixes, kind):
        path = self.work / f"walk-{fixes}.{kind}"
        if not path.exists():
            subprocess.run([sys.executable, here / "fixtures.py", self.work, str(fixes)], check=True)
        return path

    def compiled(self, source, *flags):
        target = self.work / pathlib.Path(source).stem
        subprocess.run(["cc", "-O3", "-march=native", here / source, "-o", target, *flags], check=True)
        return target

    def peers(self):
        """A Python with gpxpy, pyproj and shapely."""
        if not self.python.exists():
            subprocess.run([sys.executable, "-m", "venv", self.work / "venv"], check=True)
            packages = ["gpxpy", "pyproj", "shapely"]
            subprocess.run([self.python, "-m", "pip", "-q", "install", *packages], check=True, stdout=sys.stderr)
        return self.python

    def stripped(self, program):
        """A copy without debugging information, which valgrind can't read when Swift wrote it."""
        target = self.work / f"{program.name}-stripped"
        subprocess.run(["strip", "-g", program, "-o", target], check=True)
        return target

    def replay(self, *arguments):
        return [self.locwatch, "replay", *arguments, "-r", self.circles, "--format", "ndjson"]

    def reading(self):
        """Reading GPX alone, every field decoded, beside the scan in C and the libraries that people use."""
        fixes = 1_000_000
        gpx = self.track(fixes, "gpx")
        contestants = [("locwatch", [self.binary(here) / "reading", gpx]), ("memchr scan in C", [self.compiled("limits/gpx_scan.c"), gpx])]
        if shutil.which("gpsbabel"):
            contestants.append(("gpsbabel, reading only", ["gpsbabel", "-i", "gpx", "-f", gpx]))
        contestants.append(("gpxpy", [self.peers(), here / "peers/gpxpy_read.py", gpx]))
        results = take_turns([command for _, command in contestants], self.runs)
        size = gpx.stat().st_size / 1e6
        rows = [
            [
                name,
                spread(runs),
                f"{size / median(runs):,.0f}",
                f"{fixes / median(runs) / 1e6:.2g}",
                f"{median(runs, 'mebibytes'):,.0f}",
                f"{median(runs) / median(results[0]):,.3g}",
            ]
            for (name, _), runs in zip(contestants, results)
        ]
        head = ["reader", "wall s", "MB/s", "million fixes/s", "peak MiB", "times as long as ours"]
        table(f"Reading GPX, {size:.0f} MB", head, rows)
        hostile = self.work / "comments.gpx"
        runs = take_turns([[self.binary(here) / "reading", hostile]], self.runs)[0]
        megabytes = hostile.stat().st_size / 1e6
        row = [spread(runs), f"{megabytes / median(runs):,.0f}"]
        table(f"Reading points in comments and CDATA, {megabytes:.0f} MB", ["wall s", "MB/s"], [row])

    def whole(self):
        """The whole replay beside what a user would write in Python."""
        fixes, few = 1_000_000, 100_000
        plain = [self.peers(), here / "peers/plain.py", self.track(few, "gpx"), self.circles]
        contestants = [
            ("locwatch, NDJSON", fixes, self.replay(self.track(fixes, "ndjson"))),
            ("locwatch, GPX", fixes, self.replay(self.track(fixes, "gpx"))),
            ("plain Python, GPX", few, plain),
        ]
        results = take_turns([command for _, _, command in contestants], self.runs)
        slowest = few / median(results[2])
        rows = [
            [
                name,
                f"{count:,}",
                spread(runs),
                f"{count / median(runs):,.0f}",
                f"{median(runs, 'mebibytes'):,.0f}",
                f"{count / median(runs) / slowest:,.0f}",
            ]
            for (name, count, _), runs in zip(contestants, results)
        ]
        table("Whole replay, 1,000 circles", ["program", "fixes", "wall s", "fixes/s", "peak MiB", "times plain Python"], rows)

    def gzip(self):
        """Packed input beside the decompressor alone."""
        rows = []
        for kind in ("gpx", "ndjson"):
            packed = self.track(1_000_000, f"{kind}.gz")
            ours, plain, gunzip = take_turns(
                [self.replay(packed), self.replay(self.track(1_000_000, kind)), ["gzip", "-dc", packed]], self.runs
            )
            rows.append([kind, spread(ours), spread(plain), spread(gunzip)])
        table("Packed input", ["track", "replay of .gz, wall s", "replay of plain, wall s", "gzip -dc alone, wall s"], rows)

    def jobs(self):
        """Eight tracks on one core and on two."""
        tracks = []
        for number in range(8):
            copy = self.work / f"copy-{number}.ndjson"
            if not copy.exists():
                copy.symlink_to(self.track(1_000_000, "ndjson"))
            tracks.append(copy)
        one, two = take_turns([self.replay(*tracks, "--jobs", str(jobs)) for jobs in (1, 2)], self.runs)
        ratios = [a.wall / b.wall for a, b in zip(one, two)]
        rows = [[spread(one), spread(two), f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"]]
        table("Eight tracks of a million fixes", ["--jobs 1, wall s", "--jobs 2, wall s", "ratio"], rows)

    def memory(self):
        """The peak over the size of the track."""
        rows = []
        for fixes in (10_000, 100_000, 1_000_000, 9_000_000):
            cells = [f"{fixes:,}"]
            for kind in ("gpx", "ndjson"):
                path = self.track(fixes, kind)
                cells += [f"{path.stat().st_size / 1e6:,.0f}", f"{Run(self.replay(path)).mebibytes:.1f}"]
            rows.append(cells)
        table("Memory", ["fixes", "GPX, MB", "peak MiB", "NDJSON, MB", "peak MiB"], rows)

    def counts(self):
        """Instructions and allocations of a fix: those of 120,000 fixes less those of 20,000, a fix."""
        preload = self.compiled("limits/malloc_count.c", "-shared", "-fPIC")
        rows = []
        for name, command in [("reading", "reading"), ("reading and engine, 1,000 circles", "engine")]:
            for kind in ("gpx", "ndjson"):
                figures = []
                for fixes in (20_000, 120_000):
                    line = [self.binary(here) / command, self.track(fixes, kind)]
                    environment = os.environ | {"LD_PRELOAD": str(preload)}
                    said = subprocess.run(line, capture_output=True, text=True, env=environment, cwd=root).stderr
                    allocations = int(re.search(r"allocations (\d+)", said)[1])
                    grind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
                    grind += [self.stripped(line[0]), *line[1:]]
                    said = subprocess.run(grind, capture_output=True, text=True, cwd=root).stderr
                    figures.append((int(re.search(r"Collected : (\d+)", said)[1]), allocations))
                (few, few_allocations), (many, many_allocations) = figures
                rows.append(
                    [
                        f"{name}, {kind.upper()}",
                        f"{(many - few) / 100_000:,.0f}",
                        f"{(many_allocations - few_allocations) / 100_000:.4f}",
                    ]
                )
        table("Counts", ["what", "instructions a fix", "allocations a fix"], rows)

    def regions(self):
        """The region monitor under a plain rule beside an STRtree with prepared geometries, then the whole engine."""
        peer = self.compiled("peers/geos_regions.c", "-lgeos_c", "-lm")
        ours = self.binary(here) / "region-lookup"

        def say(*command):
            said = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True).stdout
            return said, float(re.search(r"Mfix/s ([\d.]+)", said)[1])

        scenes = [("circles", count, 0) for count in (20, 1_000, 100_000, 1_000_000)]
        scenes += [("polygons", count, 20) for count in (20, 1_000, 100_000, 1_000_000)]
        scenes += [("polygons", count, 2_000) for count in (20, 1_000, 10_000)] + [("mixed", 100_000, 20)]
        rows = []
        for kind, count, vertices in scenes:
            for track in ("walk", "drive"):
                # Beside so many regions a fix takes longer.
                scene = [kind, count, vertices, track, 1_000_000 if count * max(20, vertices) < 10_000_000 else 200_000]
                theirs, mine, ratios = [], [], []
                for _ in range(self.runs):
                    said, speed = say(peer, *scene)
                    theirs.append(speed)
                    events = re.search(r"events (\d+)", said)[1]
                    said, speed = say(ours, *scene, "plain")
                    mine.append(speed)
                    ratios.append(mine[-1] / theirs[-1])
                    if re.search(r"events (\d+)", said)[1] != events:
                        sys.exit(f"run.py: other events: {scene}")
                name = kind if kind == "circles" else f"{kind}, {vertices:,} vertices"
                rows.append([name, f"{count:,}", track, f"{statistics.median(mine):.1f}", f"{statistics.median(theirs):.2f}",
                             f"{statistics.median(ratios):.1f} ({min(ratios):.1f} to {max(ratios):.1f})", events])
        head = ["regions", "count", "track", "ours, million fixes/s", "GEOS, million fixes/s", "ratio", "events"]
        table("Region lookup and decision, plain rule", head, rows)
        rows = []
        for kind, vertices in (("circles", 0), ("polygons", 20), ("mixed", 20)):
            for track in ("walk", "drive"):
                runs = [say(ours, kind, 100_000, vertices, track, 1_000_000, "engine") for _ in range(self.runs)]
                p99 = [float(re.search(r"p99 ([\d.]+)", said)[1]) for said, _ in runs]
                rows.append([kind, track, f"{statistics.median(speed for _, speed in runs):.2f}", f"{statistics.median(p99):.1f}"])
        table("The whole engine, 100,000 regions", ["regions", "track", "million fixes/s", "p99 of one fix, us"], rows)
        rows = []
        for kind, vertices in (("circles", 0), ("polygons", 20)):
            scene = [ours, kind, 1_000_000, vertices, "walk", 1, "load"]
            said = [subprocess.run([str(part) for part in scene], capture_output=True, text=True, check=True).stdout for _ in range(self.runs)]
            cells = [[float(re.search(rf"{figure} ([\d.]+)", text)[1]) for text in said] for figure in ("load s", "first fix s", "peak MiB")]
            rows.append([kind, *(f"{statistics.median(cell):.2f}" for cell in cells[:2]), f"{statistics.median(cells[2]):,.0f}"])
        table("Loading 1,000,000 regions", ["regions", "loading, s", "first fix, s", "peak MiB"], rows)


def main():
    names = {"reading": Bench.reading, "replay": Bench.whole, "gzip": Bench.gzip, "jobs": Bench.jobs,
             "memory": Bench.memory, "counts": Bench.counts, "regions": Bench.regions}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benchmarks", nargs="*", metavar="NAME", help=", ".join(names))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--work", type=pathlib.Path, default=here / ".build-work")
    options = parser.parse_args()
    unknown = [name for name in options.benchmarks if name not in names]
    if unknown:
        parser.error(f"no benchmark {unknown[0]}; there are {', '.join(names)}")
    bench = Bench(options.work.resolve(), options.runs)
    for name in options.benchmarks or names:
        names[name](bench)


if __name__ == "__main__":
    main()
