"""The visits of `locwatch replay`, on line and in one pass, from fixes in the order in which they were stored."""

import json
import os
import subprocess
import tempfile
from datetime import datetime, timezone

BINARY = os.environ.get("LOCWATCH_BINARY", os.path.join(os.path.dirname(__file__), "../../.build/release/locwatch"))


def visits(run, config=None):
    """Each visit as the last that was said of it: a merged one is told again under its number."""
    command = [BINARY, "replay", "-", "--format", "ndjson"] + (["--config", config] if config else [])
    done = subprocess.run(command, input=ndjson(run.fixes), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{run.name}: {done.stderr}")
    found = {}
    for line in done.stdout.splitlines():
        record = json.loads(line)
        if record["type"] in ("visit.arrive", "visit.depart"):
            found.setdefault(record["visit"], {}).update(record | {record["type"]: seconds(record["time"])})
    return list(found.values())


def stops(run, config=None):
    return [(seconds(v["arrived"]), left(v)) for v in visits(run, config)]


def left(visit):
    """An unknown departure is no later than what decided that there was one, and no earlier than the last fix at
    the place, which is what counts here; at the end of the track the position is still there."""
    if "departed" in visit:
        return seconds(visit["departed"])
    return seconds(visit["time"] if visit["reason"] == "end" else visit["seen"])


def ndjson(fixes):
    lines = []
    for fix in fixes:
        moment = datetime.fromtimestamp(round(fix.t * 1000) / 1000, timezone.utc)
        record = {"time": moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
                  "lat": fix.lat, "lon": fix.lon}
        if fix.acc is not None and fix.acc > 0:
            record["acc_m"] = fix.acc
        if fix.speed is not None and os.environ.get("WITH_SPEED"):
            record["speed_mps"] = fix.speed
        lines.append(json.dumps(record))
    return "\n".join(lines) + "\n"


def seconds(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()
