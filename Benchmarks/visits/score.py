"""How well detected stops fit the labelled ones.

A detected stop is a hit when it overlaps a labelled one by half of the shorter of the two or more; each labelled
and each detected stop is matched once, the largest overlaps first. F1 is 2 hits / (detected + labelled). Stops
under five minutes count on neither side, and detected ones that lie mostly where nobody labelled are left out.
"""

import math
from dataclasses import dataclass, field

from datasets import LEAST_STOP_S


@dataclass
class Score:
    hits: int = 0
    close: int = 0
    """Of the hits, those whose intersection is half of the union or more."""
    detected: int = 0
    labelled: int = 0
    arrival_s: list = field(default_factory=list)
    departure_s: list = field(default_factory=list)

    def add(self, other):
        self.hits += other.hits
        self.close += other.close
        self.detected += other.detected
        self.labelled += other.labelled
        self.arrival_s += other.arrival_s
        self.departure_s += other.departure_s

    @property
    def f1(self):
        return 2 * self.hits / max(1, self.detected + self.labelled)

    @property
    def close_f1(self):
        return 2 * self.close / max(1, self.detected + self.labelled)

    @property
    def precision(self):
        return self.hits / max(1, self.detected)

    @property
    def recall(self):
        return self.hits / max(1, self.labelled)


def overlap(a, b):
    return max(0.0, min(a[1], b[1]) - max(a[0], b[0]))


def score(detected, run):
    window = run.window
    spans = [(max(a, window[0]), min(b, window[1])) for a, b in detected]
    spans = [s for s in spans if s[1] - s[0] >= LEAST_STOP_S]
    pairs = []
    for i, d in enumerate(spans):
        for j, s in enumerate(run.stops):
            shared = overlap(d, s)
            if shared >= 0.5 * min(d[1] - d[0], s[1] - s[0]):
                pairs.append((shared, i, j))
    result, used, hit = Score(labelled=len(run.stops)), set(), set()
    for shared, i, j in sorted(pairs, key=lambda p: (-p[0], p[1], p[2])):
        if i in used or j in hit:
            continue
        used.add(i)
        hit.add(j)
        d, s = spans[i], run.stops[j]
        result.hits += 1
        union = d[1] - d[0] + s[1] - s[0] - shared
        result.close += shared >= 0.5 * union
        if s[0] > window[0]:
            result.arrival_s.append(abs(d[0] - s[0]))
        if s[1] < window[1] and math.isfinite(d[1]):
            result.departure_s.append(abs(d[1] - s[1]))
    for i, d in enumerate(spans):
        ignored = sum(overlap(d, g) for g in run.ignore)
        result.detected += i in used or ignored < 0.5 * (d[1] - d[0])
    return result
