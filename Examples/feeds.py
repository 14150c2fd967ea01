#!/usr/bin/env python3
"""Fetches at good moments, and tells the user what is new.

    name: feeds
    command: [/usr/local/bin/feeds.py, /var/lib/feeds/inbox]
    services: []
    modes: [fetch]
    fetch_interval_s: 3600

The argument stands for the server: a file whose lines are the news. What was told is kept beside it.
"""
import json
import os
import sys


def say(answer):
    print(json.dumps(answer), flush=True)


def fetch(inbox):
    """The lines that were not told before."""
    told = inbox + ".told"
    seen = int(open(told).read()) if os.path.exists(told) else 0
    lines = open(inbox).read().splitlines()
    with open(told + ".new", "w") as file:
        file.write(str(len(lines)))
    os.replace(told + ".new", told)
    return lines[seen:]


def main():
    inbox = sys.argv[1]
    for line in sys.stdin:
        event = json.loads(line)
        if event.get("type") == "call" and event.get("kind") == "fetch":
            try:
                news = fetch(inbox)
            except OSError:
                say({"fetched": "failed"})
                continue
            for text in news:
                say({"notify": {"title": text, "now": True}})
            say({"fetched": "newData" if news else "noData"})
        elif "id" in event:
            say({"ack": event["id"]})


main()
