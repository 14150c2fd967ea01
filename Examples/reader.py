#!/usr/bin/env python3
"""Fetches each issue of a periodical, and tells the user when it is there.

    name: reader
    command: [/usr/local/bin/reader.py]
    services: []
    modes: [newsstand-content]
    issues:
      url: https://example.net/latest.epub
      every_s: 604800
    directory: /var/lib/reader
"""
import json
import sys


def say(answer):
    print(json.dumps(answer), flush=True)


def main():
    for line in sys.stdin:
        event = json.loads(line)
        if event.get("type") == "call" and event.get("kind") == "issue":
            name = event["issue"]
            # The address is the manifest's. What becomes of it follows even if this program has ended.
            say({"transfer": {"session": name, "file": name.replace("/", "_") + ".epub"}})
        elif event.get("type") == "transfer.done":
            say({"notify": {"title": "New issue: " + event["session"], "now": True}})
        if "id" in event:
            say({"ack": event["id"]})


main()
