#!/usr/bin/env python3
"""Keeps a connection to a server while it is suspended, and notes what the server says.

    name: phone
    command: [/usr/local/bin/phone.py, "server.example:5060", /var/lib/phone/messages]
    services: []
    modes: [voip]

It says an empty line to the server at each keep-alive, as SIP does (RFC 5626). locwatch wakes it when the server says
something, and starts it again at boot and when it has failed.
"""
import json
import os
import selectors
import socket
import sys


def say(answer):
    print(json.dumps(answer), flush=True)


def hand_over(connection, tag):
    """Has locwatch watch a socket while this program is suspended. It reads nothing of it."""
    with socket.socket(fileno=int(os.environ["LOCWATCH_FD"])) as channel:
        socket.send_fds(channel, [json.dumps({"tag": tag}).encode()], [connection.fileno()])


def main():
    host, _, port = sys.argv[1].rpartition(":")
    server = socket.create_connection((host, int(port)), timeout=20)
    server.setblocking(False)
    hand_over(server, "server")
    say({"keep_alive_s": 900})
    selector = selectors.DefaultSelector()
    selector.register(server, selectors.EVENT_READ)
    selector.register(sys.stdin.fileno(), selectors.EVENT_READ)
    heard = b""
    while True:
        # What the server said comes first: a call is acknowledged once that is noted.
        for key, _ in sorted(selector.select(), key=lambda item: item[0].fileobj is not server):
            if key.fileobj is server:
                note(server, sys.argv[2])
                continue
            text = os.read(key.fd, 65536)
            if not text:
                return
            *lines, heard = (heard + text).split(b"\n")
            for line in lines:
                event = json.loads(line)
                if event.get("kind") == "keep_alive" and event["type"] == "call":
                    server.sendall(b"\r\n\r\n")
                if "id" in event:
                    note(server, sys.argv[2])
                    say({"ack": event["id"]})


def note(server, path):
    """Appends all that has come. Where the server has hung up, the program fails, and is started again."""
    while True:
        try:
            text = server.recv(65536)
        except BlockingIOError:
            return
        if not text:
            sys.exit("the server has hung up")
        with open(path, "ab") as file:
            file.write(text)


main()
