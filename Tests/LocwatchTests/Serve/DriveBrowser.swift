import Foundation
import TestSupport

/// A Chromium that is driven step by step over its DevTools protocol, by a program in Python without packages.
enum DriveBrowser {
  /// Why a drive did not come to its end.
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// What a drive came to.
  struct Drive {
    /// What each step that asked something returned, by its name.
    var values: [String: Any]
    /// What the page wrote to its console, and errors that nobody caught.
    var console: [String]
  }

  /// Opens an address and does the steps.
  ///
  /// - Parameter steps: lines of Python: `value(NAME, SCRIPT)` keeps what a script returns, `wait(SCRIPT)` waits until
  ///   it is true, `do(SCRIPT)` runs one, `drag(x, y, x, y)` uses the mouse, `key(NAME)` the keyboard, `shot(PATH)`
  ///   takes a picture, `size(width, height)` and `dark()` change the screen.
  static func drive(
    _ url: String, _ folder: TemporaryFolder, _ steps: String, environment: [String: String] = [:]
  ) async throws -> Drive {
    let file = folder.write("drive.py", script.replacing("STEPS", with: steps))
    let run = try await Binary.run(
      [file, Browser.path ?? "", url, folder("browser")], environment: environment,
      timeout: .seconds(2 * TestPatience.seconds), executable: "/usr/bin/python3")
    let last = run.stdout.split(separator: "\n").last.map(String.init) ?? ""
    guard run.status == 0,
      let json = try JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any]
    else { throw Failure(description: "\(run.stdout)\(run.stderr)") }
    return Drive(
      values: json["values"] as? [String: Any] ?? [:], console: json["console"] as? [String] ?? [])
  }

  private static let script = #"""
    import atexit, base64, json, os, signal, socket, struct, subprocess, sys, time, urllib.request
    browser, url, profile = sys.argv[1:]
    chrome = subprocess.Popen([browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
        "--window-size=1200,900", "--user-data-dir=" + profile, "--remote-debugging-port=0", "about:blank"],
        stderr=subprocess.PIPE, text=True, start_new_session=True)
    # On Debian the program is a script that starts the browser, so its process group is killed.
    atexit.register(os.killpg, chrome.pid, signal.SIGKILL)
    end = time.time() + 400
    for line in chrome.stderr:
        if "DevTools listening" in line:
            port = int(line.split(":")[-1].split("/")[0])
            break
    import threading
    threading.Thread(target=lambda: chrome.stderr.read(), daemon=True).start()
    while True:
        pages = json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/json"))
        pages = [p for p in pages if p["type"] == "page"]
        if pages: break
        time.sleep(0.05)
    path = "/" + pages[0]["webSocketDebuggerUrl"].split("/", 3)[3]
    link = socket.create_connection(("127.0.0.1", port))
    link.sendall((f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
    data = b""
    while b"\r\n\r\n" not in data: data += link.recv(65536)
    data = data.split(b"\r\n\r\n", 1)[1]

    def receive():
        global data
        def need(count):
            global data
            while len(data) < count:
                piece = link.recv(1 << 20)
                if not piece: sys.exit("the browser is gone")
                data += piece
        text = b""
        while True:
            need(2)
            length, at = data[1] & 127, 2
            if length == 126: need(4); length, at = struct.unpack(">H", data[2:4])[0], 4
            elif length == 127: need(10); length, at = struct.unpack(">Q", data[2:10])[0], 10
            need(at + length)
            final, text, data = data[0] & 128, text + data[at:at + length], data[at + length:]
            if final: return json.loads(text)

    console, values, number = [], {}, 0
    def call(method, **params):
        global number
        number += 1
        body = json.dumps({"id": number, "method": method, "params": params}).encode()
        head = b"\x81" + (bytes([128 | len(body)]) if len(body) < 126 else b"\xfe" + struct.pack(">H", len(body))
                          if len(body) < 65536 else b"\xff" + struct.pack(">Q", len(body)))
        link.sendall(head + b"\0\0\0\0" + body)
        while True:
            message = receive()
            if message.get("id") == number:
                if "error" in message: sys.exit(f"{method}: {message['error']}")
                return message["result"]
            note(message)

    def note(message):
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.consoleAPICalled":
            console.append(" ".join(str(a.get("value", a.get("description"))) for a in params["args"]))
        if method == "Runtime.exceptionThrown": console.append(json.dumps(params["exceptionDetails"])[:500])
        if method == "Log.entryAdded": console.append(params["entry"]["text"] + " " + params["entry"].get("url", ""))

    def do(script):
        answer = call("Runtime.evaluate", expression="(async () => { " + script + " })()", awaitPromise=True,
                      returnByValue=True)
        if "exceptionDetails" in answer: sys.exit(script + ": " + json.dumps(answer["exceptionDetails"])[:800])
        return answer["result"].get("value")

    def value(name, script): values[name] = do(script)
    def wait(script):
        began = time.time()
        while not do("return Boolean(" + script + ")"):
            if time.time() > end:
                print(console, do("return document.body.innerText")[:3000])
                sys.exit("waited in vain for " + script)
            time.sleep(0.02)
        return time.time() - began

    def mouse(kind, x, y, down=1):
        call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=down, clickCount=1)
    def drag(x1, y1, x2, y2):
        mouse("mouseMoved", x1, y1, 0); mouse("mousePressed", x1, y1)
        for i in range(1, 6): mouse("mouseMoved", x1 + (x2 - x1) * i / 5, y1 + (y2 - y1) * i / 5)
        mouse("mouseReleased", x2, y2, 0)
    def click(x, y): mouse("mouseMoved", x, y, 0); mouse("mousePressed", x, y); mouse("mouseReleased", x, y, 0)
    def key(name):
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, "End": 35, "ArrowLeft": 37, "ArrowRight": 39, "0": 48, "+": 187}
        text = "\r" if name == "Enter" else name if len(name) == 1 else ""
        for kind in ["keyDown", "keyUp"]:
            call("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=codes.get(name, 0),
                 **({"text": text} if text and kind == "keyDown" else {}))
    def shot(path):
        picture = call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        open(path, "wb").write(base64.b64decode(picture["data"]))
    def size(width, height):
        call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
    def dark():
        call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])

    for domain in ["Page", "Runtime", "Log"]: call(domain + ".enable")
    call("Page.navigate", url=url)
    wait("location.href !== 'about:blank' && document.readyState === 'complete'")
    STEPS
    print(json.dumps({"values": values, "console": console}))
    """#
}
