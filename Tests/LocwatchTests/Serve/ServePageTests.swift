import Foundation
import TestSupport
import Testing

/// The page of `locwatch serve` in a browser, before a real daemon.
@Suite(
  .enabled(
    if: Browser.path != nil && FileManager.default.fileExists(atPath: "/usr/share/javascript/leaflet"),
    "apt-get install chromium-headless-shell libjs-leaflet"),
  .serialized)
struct ServePageTests {
  /// Starts the server; it, and the address that it prints.
  private func serve(_ run: DaemonRun, _ more: [String] = []) async throws -> (LiveProcess, String) {
    let server = try LiveProcess(
      Binary.path, ["serve", "--listen", "127.0.0.1:0", "--state", run.state] + more)
    _ = await server.wait { $0.contains { $0.contains("serving at") } }
    let line = try #require(server.lines.first { $0.contains("serving at") }, "\(server.stderr)")
    return (server, String(line.split(separator: " ").last ?? ""))
  }

  /// Feeds a drive: it stays until a file is there, then goes north, in the time of the fixes.
  private static func feed(_ gpsd: ScriptedGPSD, away: String, until isOver: String) async throws {
    var latitude = 48.1
    for second in 0..<20_000 where !FileManager.default.fileExists(atPath: isOver) {
      if FileManager.default.fileExists(atPath: away) { latitude += 0.0002 }
      gpsd.say(ScriptedGPSD.report(second: second, latitude: latitude))
      try await Task.sleep(for: .milliseconds(25))
    }
  }

  @Test func `a region drawn with the mouse fires, is moved, explained and removed`() async throws {
    let run = try DaemonRun()
    #expect(try await run.command(["regions", "add", "far", "--circle", "48.14,11.5,300"]).status == 0)
    // An end of a line to JavaScript's regular expressions, which JSON holds as it is.
    let boat = "boat\u{2028}house"
    #expect(try await run.command(["regions", "add", boat, "--circle", "48.1,11.5,300"]).status == 0)
    try run.start()
    let (server, url) = try await serve(run)
    let over = run.folder("over")
    let (gpsd, away) = (run.gpsd, run.folder("away"))
    let drive = Task { try await Self.feed(gpsd, away: away, until: over) }
    let result = try await DriveBrowser.drive(
      url, run.folder,
      """
      wait("document.querySelector('#link').textContent === 'live'")
      wait("watchMap && watchMap.map.hasLayer(watchMap.dot)")
      value("hash", "return location.hash")
      # The last thing that a page does at its start is to show all.
      wait("state.isWhole")
      do("window.streams = 0; const asked = fetch; window.fetch = (...what) => { if (what[0].includes('/stream')) streams += 1; return asked(...what); }")
      do("watchMap.map.setView(watchMap.dot.getLatLng(), 16, { animate: false })")
      do("document.querySelector('#draw').click()")
      place = do("const p = watchMap.map.getContainer().getBoundingClientRect(); return [p.x + p.width / 2, p.y + p.height / 2]")
      drag(place[0], place[1], place[0] + 90, place[1])
      wait("document.querySelector('#editor').open")
      value("radius", "return Number(document.querySelector('#f-radius').value)")
      do("document.querySelector('#f-id').value = 'drawn'; document.querySelector('#f-name').value = '<b>drawn</b>'")
      do("document.querySelector('#save').click()")
      wait("!document.querySelector('#editor').open")
      wait("state.inside.includes('drawn')")
      wait("[...document.querySelectorAll('#regions tr')].some(r => r.textContent.includes('<b>drawn</b>') && r.textContent.includes('inside'))")
      open("\(run.folder("away"))", "w").close()
      wait("document.querySelector('#events').textContent.includes('left drawn')")
      wait("document.querySelector('#events').textContent.includes('left boat')")
      value("streams", "return window.streams")
      do("[...document.querySelectorAll('#events tr')].find(r => r.textContent.includes('left drawn')).click()")
      wait("document.querySelector('#why').textContent.includes('drawn')")
      value("mark", "return watchMap.map.hasLayer(watchMap.mark)")
      do("showOther(new Date(state.events[state.events.length - 1].time))")
      wait("timeline.lanes.some(l => l.name === '<b>drawn</b>')")
      value("lanes", "return timeline.lanes.map(l => l.name)")
      # The map places its marks when the browser draws next.
      wait("watchMap.marks.placed.length > 0")
      do("chooseRegion('drawn')")
      wait("editor.handles.length === 2")
      do("await new Promise(done => { watchMap.map.once('moveend', () => requestAnimationFrame(done)); watchMap.showRegion('drawn'); })")
      place = do("editor.edit('drawn'); const p = editor.handles[0].getElement().getBoundingClientRect(); return [p.x + p.width / 2, p.y + p.height / 2]")
      value("from", "return state.regions.find(r => r.id === 'drawn').center[1]")
      drag(place[0], place[1], place[0] + 60, place[1])
      wait("state.regions.find(r => r.id === 'drawn').center[1] > " + str(values["from"] + 1e-6))
      value("problem", "return document.querySelector('#problem').hidden")
      shot("\(run.folder("page.png"))")
      do("window.confirm = () => true; [...document.querySelectorAll('#regions button')].find(b => b.textContent === 'Remove' && b.closest('tr').textContent.includes('drawn')).click()")
      wait("!state.regions.some(r => r.id === 'drawn')")
      value("images", "return document.images.length + document.querySelectorAll('#regions b').length")
      """)
    _ = run.folder.write("over", "")
    try await drive.value
    #expect(result.console.isEmpty, "\(result.console)")
    #expect(result.values["hash"] as? String == "")
    #expect(result.values["problem"] as? Bool == true)
    #expect(result.values["mark"] as? Bool == true)
    #expect(result.values["images"] as? Int == 0)
    let lanes = result.values["lanes"] as? [String] ?? []
    #expect(lanes.contains("fixes") && lanes.contains("moves"), "\(lanes)")
    #expect((result.values["radius"] as? Double ?? 0) > 50, "\(result.values)")
    let events = try await run.events()
    #expect(events.contains { $0.contains(#""type":"region.exit""#) && $0.contains(#""region":"drawn""#) })
    server.signal(SIGTERM)
    #expect(await server.finish() == 0)
    #expect(await run.end() == 0)
  }

  @Test(arguments: [false, true])
  func `a phone, the keyboard and the dark are served, and a wrong token is told`(isDark: Bool) async throws {
    let run = try DaemonRun()
    #expect(try await run.command(["regions", "add", "home", "--circle", "48.1,11.5,300"]).status == 0)
    try run.start()
    for second in 0..<30 { run.gpsd.say(ScriptedGPSD.report(second: second, latitude: 48.1)) }
    try await run.waitForFixes(30)
    let (server, url) = try await serve(run)
    let token = url.split(separator: "#").last.map(String.init) ?? ""
    let result = try await DriveBrowser.drive(
      url.replacing("#" + token, with: "#wrong-token-wrong"), run.folder,
      """
      size(390, 800)
      if \(isDark ? "True" : "False"): dark()
      wait("!document.querySelector('#login').hidden")
      value("refused", "return document.querySelector('#problem').textContent")
      console.clear()
      do("document.querySelector('#token').value = '\(token)'; document.querySelector('#login').requestSubmit()")
      # Where the browser is slow, the last fix is too old for the page to say "live".
      wait("state.isWhole && state.status.daemon")
      value("overflow", "return document.documentElement.scrollWidth - document.documentElement.clientWidth")
      value("background", "return getComputedStyle(document.body).backgroundColor")
      do("document.querySelector('#add').focus()")
      key("Enter")
      wait("document.querySelector('#editor').open")
      value("focus", "return document.activeElement.id")
      key("Escape")
      wait("!document.querySelector('#editor').open")
      seen = set()
      for _ in range(40):
          key("Tab")
          seen.add(do("return document.activeElement.id || document.activeElement.tagName"))
      value("seen", "return " + json.dumps(sorted(seen)))
      """)
    #expect(result.console.isEmpty, "\(result.console)")
    #expect((result.values["refused"] as? String)?.contains("token") == true)
    #expect(result.values["overflow"] as? Int == 0)
    #expect(result.values["background"] as? String == (isDark ? "rgb(18, 22, 27)" : "rgb(255, 255, 255)"))
    #expect(result.values["focus"] as? String == "f-id")
    let seen = Set(result.values["seen"] as? [String] ?? [])
    #expect(seen.isSuperset(of: ["day", "why", "decisions", "timeline", "BUTTON"]), "\(seen)")
    server.signal(SIGTERM)
    #expect(await server.finish() == 0)
    #expect(await run.end() == 0)
  }
}
