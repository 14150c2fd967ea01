"""Visits against labelled stops: locwatch on line and in one pass, two batch libraries, and the phones' own visits.

    pip install trackintel movingpandas
    swift build -c release --product locwatch
    python3 Benchmarks/visits/run.py /path/to/corpus test
    python3 Benchmarks/visits/run.py /path/to/corpus tuning
    python3 Benchmarks/visits/run.py /path/to/corpus all

With WITH_SPEED=1 in the environment, locwatch gets the speeds that the phones state, too.

Prints the tables of Docs/Visits.md. The outings called tuning were used to choose the numbers that the rule leaves
open; those called test were not.
"""

import multiprocessing
import statistics
import sys
from collections import defaultdict

import datasets
import locwatch
import peers
from score import Score, score

ROWS = {
    "locwatch": locwatch.stops,
    "trackintel": peers.trackintel_staypoints,
    "MovingPandas, 60 s": lambda run: peers.movingpandas_stops(run, 60),
    "MovingPandas, 300 s": lambda run: peers.movingpandas_stops(run, 300),
}


def scores_of(run):
    found = {name: stops(run) for name, stops in ROWS.items()} | run.peers
    return run.data, {name: score(stops, run) for name, stops in found.items()}


def main(corpus, half):
    runs = [r for r in datasets.load(corpus) if half == "all" or r.is_test == (half == "test")]
    scores = defaultdict(Score)
    with multiprocessing.Pool() as pool:
        for data, found in pool.imap(scores_of, runs):
            for name, one in found.items():
                scores[data, name].add(one)
    table(scores)


def table(scores):
    names = list(ROWS) + ["CLVisit"]
    data = list(dict.fromkeys(d for d, _ in scores))
    print("| data | stops | " + " | ".join(names) + " |")
    print("| --- | --- | " + " | ".join("---" for _ in names) + " |")
    for d in data:
        cells = [f"{scores[d, n].f1:.2f}" if (d, n) in scores else "-" for n in names]
        print(f"| {d} | {scores[d, 'locwatch'].labelled} | " + " | ".join(cells) + " |")
    print("\n| data | precision | recall | half of the union | arrival, median | departure, median |")
    print("| --- | --- | --- | --- | --- | --- |")
    for d in data:
        s = scores[d, "locwatch"]
        arrival, departure = (f"{statistics.median(x):.0f} s" if x else "-" for x in (s.arrival_s, s.departure_s))
        print(f"| {d} | {s.precision:.2f} | {s.recall:.2f} | {s.close_f1:.2f} | {arrival} | {departure} |")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
