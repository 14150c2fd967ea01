#!/usr/bin/env python3
"""Shows one notification of a program: the command of notifications.notify_hook.

    notifications: {notify_hook: [/usr/local/bin/notify.py]}

locwatch runs it once for each, with one line of JSON on standard input. With NOTIFY_LOG it writes to that file instead
of the desktop.
"""
import json
import os
import subprocess
import sys

shown = json.loads(sys.stdin.readline())
log = os.environ.get("NOTIFY_LOG")
if log:
    with open(log, "a") as file:
        print(f"{shown['subscriber']}: {shown['title']}: {shown['body']}", file=file)
else:
    name = "--app-name=" + shown["subscriber"]
    subprocess.run(["notify-send", name, "--", shown["title"], shown["body"]], check=True)
