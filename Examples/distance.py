#!/usr/bin/env python3
"""A resident subscriber: sums up how far the machine has moved, and asks for more time to save it.

    name: distance
    command: [/usr/local/share/locwatch/distance.py, /var/lib/distance.json]
    services: [significant-change]
"""
import json
import os
import sys

path = sys.argv[1]
try:
    with open(path) as file:
        total = json.load(file)
except FileNotFoundError:
    total = {"last": 0, "meters": 0.0}

waiting = []  # events to be acknowledged once they are saved
for line in sys.stdin:  # one record a line; ends when locwatch ends
    record = json.loads(line)
    if "task" in record:  # {"task": 7, "remaining_s": 30.0}: the time we asked for
        with open(path + ".new", "w") as file:
            json.dump(total, file)
        os.replace(path + ".new", path)
        for event in waiting:
            print(json.dumps({"ack": event}))
        waiting = []
        print(json.dumps({"end_task": record["task"]}), flush=True)
    elif "id" in record:  # an event may come twice, with the same id
        if record["type"] == "significant" and record["id"] > total["last"]:
            total = {"last": record["id"], "meters": total["meters"] + record.get("moved_m", 0.0)}
        if not waiting:
            print(json.dumps({"begin_task": "save"}), flush=True)
        waiting.append(record["id"])
