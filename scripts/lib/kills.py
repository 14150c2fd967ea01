"""What survives kills: the long tests behind scripts/test-kills.

    kills.py transfers PROGRAM FOLDER    1,000 files while the daemon and locwatch-transfer are killed 20 times
    kills.py big PROGRAM FOLDER          a file of 2 GB, and the memory that it takes
    kills.py webhook PROGRAM FOLDER      10,000 events for an endpoint that is away, the daemon killed 20 times
    kills.py mqtt PROGRAM FOLDER         the same for a broker (mosquitto)
    kills.py dbus PROGRAM FOLDER         the same for a program on D-Bus, locwatch-bus killed too
    kills.py page PROGRAM FOLDER         the same for a browser, locwatch serve killed too

Real processes and sockets, on this machine alone. Prints what was measured; ends with 1 where something was lost.
"""

import atexit
import calendar
import hashlib
import http.client
import http.server
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request

KILLS = 20


def fail(text):
    print("failed:", text)
    sys.exit(1)


class GPSD:
    """A gpsd that says what it is told to everyone who listens."""

    def __init__(self):
        self.server = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.server.getsockname()[1]
        self.clients = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.server.accept()
            client.sendall(
                b'{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}\r\n'
                b'{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/gps0","activated":"2026-01-01T00:00:00Z"}]}\r\n'
            )
            self.clients.append(client)

    def say(self, latitude, longitude, at):
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(at))
        line = json.dumps(
            {"class": "TPV", "device": "/dev/gps0", "mode": 3, "time": stamp, "lat": latitude, "lon": longitude, "eph": 5.0}
        )
        for client in list(self.clients):
            try:
                client.sendall(line.encode() + b"\r\n")
            except OSError:
                self.clients.remove(client)


class Daemon:
    """The daemon under test."""

    def __init__(self, program, folder, gpsd, options=()):
        self.program, self.folder, self.gpsd, self.options = program, folder, gpsd, list(options)
        self.state = os.path.join(folder, "s.db")
        self.process = None
        self.peak_kb = 0
        atexit.register(lambda: self.process and self.process.kill())

    def start(self):
        listeners = len(self.gpsd.clients)
        self.process = subprocess.Popen(
            [self.program, "run", "--gpsd", self.gpsd.address, "--state", self.state] + self.options,
            stderr=open(os.path.join(self.folder, "daemon.log"), "a"),
        )
        end = time.time() + 60
        while len(self.gpsd.clients) == listeners and time.time() < end:
            if self.process.poll() is not None:
                fail("the daemon ended with %d: see daemon.log" % self.process.returncode)
            time.sleep(0.02)

    def measure(self):
        try:
            for line in open("/proc/%d/status" % self.process.pid):
                if line.startswith("VmHWM"):
                    self.peak_kb = max(self.peak_kb, int(line.split()[1]))
        except OSError:
            pass

    def kill(self):
        self.measure()
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def end(self):
        self.measure()
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)

    def command(self, *words):
        done = subprocess.run([self.program, *words, "--state", self.state], capture_output=True, text=True)
        if done.returncode != 0:
            fail("%s: %s" % (" ".join(words), done.stderr.strip()))
        return done.stdout

    def events(self, *types):
        lines = [json.loads(line) for line in self.command("events", "--format", "ndjson").splitlines()]
        return [line for line in lines if line["type"] in types]


# MARK: Transfers

FILES = 1000


def content(number):
    size = random.Random(number).choice([0, 1, 300, 20_000, 150_000, 400_000])
    block = hashlib.sha256(b"%d" % number).digest()
    return (block * (size // 32 + 1))[:size]


class Files(http.server.BaseHTTPRequestHandler):
    """Ranges, ETags, and connections that break. A client that is killed is nothing to be told."""

    protocol_version = "HTTP/1.1"
    served = 0

    def log_message(self, *words):
        pass

    def handle(self):
        try:
            super().handle()
        except OSError:
            pass

    def do_GET(self):
        data = content(int(self.path[1:]))
        tag = '"%s"' % hashlib.sha256(data).hexdigest()[:16]
        start = 0
        asked = self.headers.get("Range")
        if asked and self.headers.get("If-Range", tag) == tag:
            start = int(asked[6:].split("-")[0])
        if start and start >= len(data):
            self.send_response(416)
            self.send_header("Content-Range", "bytes */%d" % len(data))
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(206 if asked and start else 200)
        self.send_header("ETag", tag)
        if start:
            self.send_header("Content-Range", "bytes %d-%d/%d" % (start, len(data) - 1, len(data)))
        self.send_header("Content-Length", str(len(data) - start))
        self.end_headers()
        Files.served += 1
        half = (start + len(data)) // 2
        try:
            self.wfile.write(data[start:half])
            self.wfile.flush()
            time.sleep(0.2)
            if Files.served % 17 == 0 and half < len(data):
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            self.wfile.write(data[half:])
        except OSError:
            self.close_connection = True


ASKER = r"""
import json, os, sys
here = os.path.dirname(os.path.abspath(__file__))
asked = os.path.join(here, "asked")
if not os.path.exists(asked):
    open(asked, "w").close()
    for number in range(FILES):
        print(json.dumps({"transfer": {"session": "s%d" % (number % 10), "url": "URL/%d" % number, "file": "f%d" % number}}), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    with open(os.path.join(here, "told"), "a") as log:
        log.write(line)
    if "id" in message:
        print(json.dumps({"ack": message["id"]}), flush=True)
"""


def add_asker(daemon, count, url):
    """Adds a program that asks for files once; the directory in which they arrive."""
    own = os.path.join(daemon.folder, "own")
    os.mkdir(own, 0o700)
    asker = os.path.join(daemon.folder, "asker.py")
    with open(asker, "w") as file:
        file.write(ASKER.replace("FILES", str(count)).replace("URL", url))
    manifest = os.path.join(daemon.folder, "a.yaml")
    with open(manifest, "w") as file:
        file.write("name: a\ncommand: [/usr/bin/python3, %s]\nservices: []\ndirectory: %s\n" % (asker, own))
    daemon.command("subscribers", "add", manifest)
    return own


def transfers(program, folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Files)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    daemon = Daemon(program, folder, GPSD())
    own = add_asker(daemon, FILES, "http://127.0.0.1:%d" % server.server_port)
    daemon.start()
    daemon.command("subscribers", "launch", "a")
    began = time.time()
    kills = {"daemon": 0, "locwatch-transfer": 0}
    chance = random.Random(1)
    accepted = 0
    while time.time() < began + 300 and accepted < FILES:
        accepted = daemon.command("transfers", "list", "a", "--format", "ndjson").count("\n") + len(
            daemon.events("transfer.done", "transfer.failed")
        )
        time.sleep(0.5)
    if accepted < FILES:
        fail("%d of %d transfers were accepted" % (accepted, FILES))
    while sum(kills.values()) < KILLS:
        time.sleep(0.5 + chance.random() * 2)
        if sum(kills.values()) % 2 == 0:
            daemon.kill()
            kills["daemon"] += 1
            daemon.start()
        else:
            found = subprocess.run(["pkill", "-KILL", "-P", str(daemon.process.pid), "locwatch-trans"]).returncode
            if found == 0:
                kills["locwatch-transfer"] += 1
    done = []
    end = time.time() + 900
    while time.time() < end:
        done = daemon.events("transfer.done", "transfer.failed")
        if len(done) >= FILES:
            break
        time.sleep(2)
    seconds = time.time() - began
    failed = [line for line in done if line["type"] == "transfer.failed"]
    if failed:
        fail("%d failed, the first: %s" % (len(failed), failed[0]))
    wrong = [
        number
        for number in range(FILES)
        if not os.path.exists(os.path.join(own, "f%d" % number))
        or open(os.path.join(own, "f%d" % number), "rb").read() != content(number)
    ]
    if wrong:
        fail("%d files are missing or wrong, the first: f%d" % (len(wrong), wrong[0]))
    numbers = [line["transfer"] for line in done]
    if len(numbers) != FILES or len(set(numbers)) != FILES:
        fail("%d results of %d transfers" % (len(numbers), len(set(numbers))))
    if len(os.listdir(own)) != FILES:
        fail("there are %d files" % len(os.listdir(own)))
    time.sleep(20)
    told = [json.loads(line) for line in open(os.path.join(folder, "told"))]
    told = {line["transfer"] for line in told if line.get("type") == "transfer.done"}
    if told != set(numbers):
        fail("the program was told of %d" % len(told))
    left = [name for _, _, names in os.walk(daemon.state + ".transfers") for name in names]
    status = daemon.end()
    print(
        "%d files whole, %d results, told of %d; killed: daemon %d, locwatch-transfer %d; %.0f s, "
        "daemon's peak %d kB, left over in the spool: %d, last status %d"
        % (FILES, len(numbers), len(told), kills["daemon"], kills["locwatch-transfer"], seconds, daemon.peak_kb, len(left), status)
    )


BIG = 2 << 30


class BigFile(http.server.BaseHTTPRequestHandler):
    """2 GB, with ranges."""

    protocol_version = "HTTP/1.1"
    block = hashlib.sha256(b"big").digest() * 8192

    def log_message(self, *words):
        pass

    def do_GET(self):
        asked = self.headers.get("Range")
        start = int(asked[6:].split("-")[0]) if asked else 0
        self.send_response(206 if asked else 200)
        self.send_header("ETag", '"big"')
        if asked:
            self.send_header("Content-Range", "bytes %d-%d/%d" % (start, BIG - 1, BIG))
        self.send_header("Content-Length", str(BIG - start))
        self.end_headers()
        place = start
        try:
            while place < BIG:
                inside = place % len(self.block)
                place += self.wfile.write(self.block[inside : inside + BIG - place])
        except OSError:
            self.close_connection = True


def big(program, folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), BigFile)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    daemon = Daemon(program, folder, GPSD())
    own = add_asker(daemon, 1, "http://127.0.0.1:%d" % server.server_port)
    daemon.start()
    daemon.command("subscribers", "launch", "a")
    began = time.time()
    peak, killed = 0, False
    done = []
    while not done and time.time() < began + 600:
        found = subprocess.run(["pgrep", "-P", str(daemon.process.pid), "locwatch-trans"], capture_output=True, text=True)
        for pid in found.stdout.split():
            try:
                status = open("/proc/%s/status" % pid).read()
            except OSError:
                continue
            peak = max(peak, int(status.split("VmHWM:")[1].split()[0]))
            # Once, in the middle.
            parts = daemon.state + ".transfers/parts/a/1"
            if not killed and os.path.exists(parts) and os.path.getsize(parts) > BIG // 3:
                os.kill(int(pid), signal.SIGKILL)
                killed = True
        done = daemon.events("transfer.done", "transfer.failed")
        time.sleep(0.2)
    seconds = time.time() - began
    if not done or done[0]["type"] != "transfer.done":
        fail("the file did not arrive: %s" % done)
    found, expected = hashlib.sha256(), hashlib.sha256()
    with open(os.path.join(own, "f0"), "rb") as file:
        while piece := file.read(len(BigFile.block)):
            found.update(piece)
    for _ in range(BIG // len(BigFile.block)):
        expected.update(BigFile.block)
    if found.digest() != expected.digest():
        fail("the file is not what the server has")
    daemon.measure()
    daemon.end()
    print(
        "2 GB whole in %.0f s, locwatch-transfer killed %d times, its peak %d kB, daemon's peak %d kB"
        % (seconds, killed, peak, daemon.peak_kb)
    )


# MARK: Outlets

EVENTS = 10_000


def walk(gpsd, count, began):
    """Fixes of which each is a significant change: 600 m apart, 10 s from one to the next."""
    for _ in range(count):
        walk.index += 1
        # To and fro, so that it stays on land and the numbers stay short.
        step = walk.index % 800
        place = step if step < 400 else 800 - step
        gpsd.say(40 + 0.0054 * place, 11.5, began + 10 * walk.index)
        time.sleep(walk.pause)


walk.index = 0
walk.pause = 0.001


def outlet(program, folder, add, begin, arrived, killed=lambda: None):
    """The counterpart is away while the events come; afterwards all must arrive, in order.

    `killed` is called after each kill of the daemon while the counterpart is there.
    """
    gpsd = GPSD()
    settings = os.path.join(folder, "c.yaml")
    with open(settings, "w") as file:
        file.write("significant_change: {window_s: 5}\n")
    daemon = Daemon(program, folder, gpsd, ["--simulated", "--config", settings])
    add(daemon)
    daemon.start()
    began = 1_777_615_200
    kills = 0
    chance = random.Random(2)
    made = 0
    # Away: as many events as are asked for, half of the kills among them.
    while made < EVENTS:
        walk(gpsd, 400, began)
        made = len(daemon.events("significant"))
        if kills < KILLS // 2:
            time.sleep(chance.random() * 0.3)
            daemon.kill()
            kills += 1
            daemon.start()
    begin()
    seen = 0
    end = time.time() + 900
    while time.time() < end:
        # Time stands still without fixes, and a try waits for it.
        walk(gpsd, 3, began)
        subprocess.run([program, "outlets", "enable", "o", "--state", daemon.state], capture_output=True)
        now = len(set(arrived()))
        if kills < KILLS and now > seen:
            time.sleep(chance.random() * 0.5)
            daemon.kill()
            kills += 1
            killed()
            daemon.start()
        seen = now
        wanted = [line["id"] for line in daemon.events("significant")]
        if seen >= len(wanted) and kills >= KILLS:
            break
        time.sleep(0.5)
    wanted = [line["id"] for line in daemon.events("significant")]
    got = arrived()
    first = list(dict.fromkeys(got))
    status = daemon.end()
    missing = set(wanted) - set(got)
    if missing:
        fail("%d of %d events did not arrive, the first: %d" % (len(missing), len(wanted), min(missing)))
    if first != sorted(first):
        fail("they did not arrive in order")
    print(
        "%d events arrived in order, %d of them twice; the daemon was killed %d times, its peak was %d kB, last status %d"
        % (len(first), len(got) - len(first), kills, daemon.peak_kb, status)
    )


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def webhook(program, folder):
    got = []

    class Endpoint(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *words):
            pass

        def do_POST(self):
            event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            got.append(event["data"]["id"])
            self.send_response(204)
            self.end_headers()

    port = free_port()

    def begin():
        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Endpoint)
        threading.Thread(target=server.serve_forever, daemon=True).start()

    def add(daemon):
        daemon.command("outlets", "add", "o", "--webhook", "http://127.0.0.1:%d/" % port, "--types", "significant")

    outlet(program, folder, add, begin, lambda: list(got))


def mqtt(program, folder):
    port = free_port()
    settings = os.path.join(folder, "mosquitto.conf")
    children = []
    log = os.path.join(folder, "received")
    reader = ["mosquitto_sub", "-q", "1", "-i", "reader", "-c", "-t", "owntracks/anna/boat", "-p"]

    def serve(port):
        with open(settings, "w") as file:
            file.write("listener %d 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\nuser root\n" % port)
            file.write("persistence true\npersistence_location %s/\n" % folder)
        broker = subprocess.Popen(["/usr/sbin/mosquitto", "-c", settings], stderr=subprocess.DEVNULL)
        children.append(broker)
        time.sleep(1)
        return broker

    def begin():
        # The broker knows its reader before the daemon can reach it: what comes earlier would be kept for nobody.
        other = free_port()
        broker = serve(other)
        subprocess.run(reader + [str(other), "-E"], check=True)
        broker.terminate()
        broker.wait()
        serve(port)
        children.append(subprocess.Popen(reader + [str(port)], stdout=open(log, "w")))
        time.sleep(0.5)

    def add(daemon):
        add.daemon = daemon
        url = "mqtt://127.0.0.1:%d" % port
        daemon.command("outlets", "add", "o", "--mqtt", url, "--topic", "owntracks/anna/boat", "--types", "significant")

    def arrived():
        if not os.path.exists(log):
            return []
        times = []
        for line in open(log):
            if line.endswith("\n"):
                message = json.loads(line)
                if message["_type"] == "location":
                    times.append(message["tst"])
        # The time of each event is its own.
        ids = {}
        for event in add.daemon.events("significant"):
            stamp = time.strptime(event["time"][:19] + "Z", "%Y-%m-%dT%H:%M:%SZ")
            ids[calendar.timegm(stamp)] = event["id"]
        return [ids[at] for at in times if at in ids]

    try:
        outlet(program, folder, add, begin, arrived)
    finally:
        for child in children:
            child.kill()


# MARK: Followers


class Helper:
    """A program of locwatch's own between the daemon and who listens."""

    def __init__(self, words, environment=None):
        self.words, self.environment = words, environment
        self.process = None
        atexit.register(lambda: self.process and self.process.kill())

    def start(self):
        self.process = subprocess.Popen(
            self.words, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def restart(self):
        self.process.kill()
        self.process.wait()
        self.start()


def dbus(program, folder):
    got = []
    bus = subprocess.Popen(
        ["dbus-daemon", "--session", "--nofork", "--print-address"], stdout=subprocess.PIPE, text=True
    )
    atexit.register(bus.kill)
    environment = dict(os.environ, DBUS_SESSION_BUS_ADDRESS=bus.stdout.readline().strip())
    state = os.path.join(folder, "s.db")
    helper = Helper([program + "-bus", "serve", "--session", "--state", state], environment)

    def read():
        since = 0
        call = ["busctl", "--user", "--json=short", "call", "locwatch.Daemon1", "/locwatch", "locwatch.Daemon1", "Events", "tu"]
        while True:
            asked = subprocess.run(call + [str(since), "50"], env=environment, capture_output=True, text=True)
            lines = json.loads(asked.stdout)["data"][0] if asked.returncode == 0 else []
            for line in lines:
                event = json.loads(line)
                since = event["id"]
                if event["type"] == "significant":
                    got.append(since)
            # A kill is to fall between two pages, too.
            time.sleep(0.02 if lines else 0.2)

    def begin():
        helper.start()
        threading.Thread(target=read, daemon=True).start()

    outlet(program, folder, lambda daemon: None, begin, lambda: list(got), helper.restart)


def page(program, folder):
    got = []
    port = free_port()
    token = "5f1c9a0e3b7d24685f1c9a0e3b7d2468"
    secret = os.path.join(folder, "token")
    with open(os.open(secret, os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
        file.write(token + "\n")
    listen = "127.0.0.1:%d" % port
    words = [program, "serve", "--listen", listen, "--token", secret, "--state", os.path.join(folder, "s.db")]
    helper = Helper(words)

    def read():
        since = 0
        while True:
            try:
                asked = urllib.request.Request("http://%s/api/stream?since=%d" % (listen, since))
                asked.add_header("Authorization", "Bearer " + token)
                kind = ""
                for line in urllib.request.urlopen(asked, timeout=60):
                    key, _, value = line.decode().rstrip("\n").partition(": ")
                    if key == "event":
                        kind = value
                    elif key == "data" and kind == "record":
                        event = json.loads(value)
                        since = event["id"]
                        if event["type"] == "significant":
                            got.append(since)
            # What was read of a line that broke off is read again.
            except (OSError, ValueError, http.client.HTTPException):
                time.sleep(0.1)

    def begin():
        helper.start()
        threading.Thread(target=read, daemon=True).start()

    outlet(program, folder, lambda daemon: None, begin, lambda: list(got), helper.restart)


KINDS = ("transfers", "big", "webhook", "mqtt", "dbus", "page")

if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in KINDS:
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(64)
    folder = os.path.abspath(sys.argv[3])
    os.makedirs(folder, exist_ok=True)
    globals()[sys.argv[1]](os.path.abspath(sys.argv[2]), folder)
