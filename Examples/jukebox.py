#!/usr/bin/env python3
"""Plays sound files in the background, and obeys the desktop's keys.

    name: jukebox
    command: [/usr/local/bin/jukebox.py, /srv/music/one.wav, /srv/music/two.wav]
    services: []
    modes: [audio]

It plays through pw-play, PipeWire's player. While that sounds locwatch does not suspend it. When it is suspended, a key
such as "play" wakes it.
"""
import json
import os
import selectors
import subprocess
import sys

PLAYER = os.environ.get("JUKEBOX_PLAYER", "pw-play")


def say(answer):
    print(json.dumps(answer), flush=True)


class Jukebox:
    def __init__(self, files):
        self.files, self.place, self.player, self.session = files, 0, None, None

    def play(self):
        if self.player is None:
            say({"begin_audio": {"kind": "play"}})
            self.player = subprocess.Popen([PLAYER, self.files[self.place]], stdin=subprocess.DEVNULL)

    def stop(self):
        if self.player is not None:
            self.player.terminate()
            self.player.wait()
            self.player = None
        if self.session is not None:
            say({"end_audio": self.session})
            self.session = None

    def skip(self, count):
        self.stop()
        self.place = (self.place + count) % len(self.files)
        self.play()

    def command(self, word):
        if word == "play" or word == "play_pause" and self.player is None:
            self.play()
        elif word in ("next", "previous"):
            self.skip(1 if word == "next" else -1)
        else:
            self.stop()

    def take(self, event):
        kind = event.get("type")
        if kind == "launch" and event.get("kind") == "user":
            self.play()
        elif kind == "call" and event.get("kind") == "audio":
            self.command(event["command"])
        elif kind == "audio_interrupted":
            self.stop()
        elif kind is None and "audio" in event:
            self.session = event["audio"]
        if "id" in event:
            say({"ack": event["id"]})


def main():
    jukebox = Jukebox(sys.argv[1:])
    selector = selectors.DefaultSelector()
    selector.register(sys.stdin.fileno(), selectors.EVENT_READ)
    heard = b""
    while True:
        # Looks once a second whether the file is over, while one plays.
        if selector.select(None if jukebox.player is None else 1):
            text = os.read(sys.stdin.fileno(), 65536)
            if not text:
                jukebox.stop()
                return
            *lines, heard = (heard + text).split(b"\n")
            for line in lines:
                jukebox.take(json.loads(line))
        if jukebox.player is not None and jukebox.player.poll() is not None:
            jukebox.stop()


main()
