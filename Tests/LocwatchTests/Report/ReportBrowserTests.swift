import Foundation
import TestSupport
import Testing

/// The page of `replay --report` in a browser.
@Suite(
  .enabled(
    if: Browser.path != nil && FileManager.default.fileExists(atPath: "/usr/share/javascript/leaflet"),
    "apt-get install chromium-headless-shell libjs-leaflet"),
  .serialized)
struct ReportBrowserTests {
  let folder = TemporaryFolder()

  private func replay(_ arguments: [String]) async throws -> (page: String, records: [[String: Any]]) {
    let run = try await Binary.run(
      ["replay"] + arguments + ["--report", folder("page.html"), "--explain", "--format", "ndjson"])
    #expect(run.status == 0, "\(run.stderr)")
    let records = try run.stdout.split(separator: "\n").compactMap {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
    return (try String(contentsOfFile: folder("page.html"), encoding: .utf8), records)
  }

  private static func track(_ name: String) -> [String] {
    [
      "Tracks/\(name).gpx", "-r", "Tracks/\(name).regions.geojson", "-s", "Tracks/\(name).subscriber.yaml",
      "--scenario", "Tracks/\(name).scenario.yaml",
    ]
  }

  /// A time and a place, as both page and records have them.
  private struct Place: Hashable {
    var time: Int
    var latitude: Int
    var longitude: Int

    init?(_ values: [Any]) {
      let numbers = values.compactMap { ($0 as? NSNumber)?.doubleValue }
      guard numbers.count == 3 else { return nil }
      time = Int(numbers[0].rounded())
      latitude = Int((numbers[1] * 1e7).rounded())
      longitude = Int((numbers[2] * 1e7).rounded())
    }

    init?(_ record: [String: Any]) throws {
      guard let text = record["time"] as? String, let latitude = record["lat"], let longitude = record["lon"]
      else { return nil }
      let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
      self.init([try style.parse(text).timeIntervalSince1970 * 1000, latitude, longitude])
    }
  }

  @Test(arguments: [
    ("walk-with-teleports", []), ("tunnel", []), ("ferry-across-the-antimeridian", []),
    ("commute-with-stops", []), ("commute-with-stops", ["--sampling", "adaptive"]),
  ])
  func `points and events are those of the records`(name: String, options: [String]) async throws {
    let (page, records) = try await replay(Self.track(name) + options)
    let visit = try await Browser.visit(
      page, folder,
      returning: """
        const { model } = page, { events } = model;
        const taken = [];
        let refused = 0;
        for (let i = 0; i < model.n; i++) {
          if (model.use[i] === BELIEVED) taken.push([model.time[i], model.lat[i], model.lon[i]]);
          if (model.use[i] === REFUSED) refused++;
        }
        return { taken, refused, events: events.map(e => [e.id, e.type, e.what]),
          places: events.filter(e => e.type === "significant" || e.region).map(e => [e.time, e.lat, e.lon]) };
        """)
    #expect(visit.console.isEmpty, "\(visit.console)")
    let value = try #require(visit.value as? [String: Any])
    let taken = try #require(value["taken"] as? [[Any]])
    func of(_ types: Set<String>) -> [[String: Any]] {
      records.filter { types.contains($0["type"] as? String ?? "") }
    }
    #expect(!taken.isEmpty)
    #expect(taken.map(Place.init) == (try of(["fix.accepted"]).map { try Place($0) }))
    #expect(value["refused"] as? Int == of(["fix.rejected"]).count)
    let notShown: Set = ["fix.accepted", "fix.rejected", "receiver", "power", "summary"]
    // Standard updates are the fixes over again.
    let updates = Set(
      of(["location"]).filter { $0["reason"] as? String == "update" }.compactMap { $0["id"] as? Int })
    let shown = records.filter { record in
      if notShown.contains(record["type"] as? String ?? "") || updates.contains(record["id"] as? Int ?? 0) {
        return false
      }
      let starts = ["wake", "relaunch"].contains(record["action"] as? String ?? "")
      return starts || !updates.contains(record["event"] as? Int ?? 0)
    }
    let events = try #require(value["events"] as? [[Any]])
    #expect(events.map { $0[0] as? Int } == shown.map { $0["id"] as? Int })
    #expect(events.map { $0[1] as? String } == shown.map { $0["type"] as? String })
    let places = try #require(value["places"] as? [[Any]]).map(Place.init)
    let told = shown.filter {
      let type = $0["type"] as? String ?? ""
      return type == "significant" || type.hasPrefix("region.")
    }
    #expect(places.count == told.count)
    for (place, record) in zip(places, told) {
      if let expected = try Place(record) { #expect(place == expected) }
    }
  }

  @Test(arguments: [false, true], [1200, 390])
  func `map and timeline are drawn`(isDark: Bool, width: Int) async throws {
    let (page, _) = try await replay(Self.track("commute-with-stops") + ["--sampling", "adaptive"])
    let visit = try await Browser.visit(
      page, folder,
      returning: """
        const looks = canvas => {
          const { width, height } = canvas;
          const words = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, width, height).data.buffer);
          const counts = new Map();
          for (const word of words) counts.set(word, (counts.get(word) || 0) + 1);
          return Math.round(100 - 100 * Math.max(...counts.values()) / words.length + counts.size / 10);
        };
        return { map: looks(watchMap.marks.canvas), timeline: looks(timeline.canvas),
          background: getComputedStyle(document.body).backgroundColor,
          regions: document.querySelectorAll("#map path.leaflet-interactive").length,
          scale: document.querySelector(".leaflet-control-scale").textContent,
          overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
          asked: performance.getEntriesByType("resource").length };
        """,
      options: ["--window-size=\(width),800", "--blink-settings=preferredColorScheme=\(isDark ? 0 : 1)"])
    #expect(visit.console.isEmpty, "\(visit.console)")
    let value = try #require(visit.value as? [String: Any])
    #expect(value["map"] as? Int ?? 0 >= 5, "\(value)")
    #expect(value["timeline"] as? Int ?? 0 >= 5, "\(value)")
    #expect(value["background"] as? String == (isDark ? "rgb(18, 22, 27)" : "rgb(255, 255, 255)"))
    #expect(value["regions"] as? Int ?? 0 > 0)
    #expect((value["scale"] as? String)?.hasSuffix("m") == true)
    // Tables scroll by themselves; the page does not.
    #expect(value["overflow"] as? Int == 0)
    #expect(value["asked"] as? Int == 0)
  }

  @Test func `on paper a dark page is light, as wide as a sheet, and shows the whole track`() async throws {
    let (page, _) = try await replay(Self.track("commute-with-stops"))
    let visit = try await Browser.visit(
      page, folder,
      returning: """
        watchMap.map.setZoom(18, { animate: false });
        const looks = () => [getComputedStyle(document.body).backgroundColor, watchMap.map.getSize().x,
          watchMap.map.getBounds().contains([page.model.box.slice(0, 2), page.model.box.slice(2)]), timeline.width];
        const before = looks();
        turnToPaper(true);
        const paper = looks();
        turnToPaper(false);
        return { before, paper, after: looks() };
        """, options: ["--blink-settings=preferredColorScheme=0"])
    #expect(visit.console.isEmpty, "\(visit.console)")
    let value = try #require(visit.value as? [String: [Any]])
    let paper = try #require(value["paper"])
    #expect(paper[0] as? String == "rgb(255, 255, 255)" && paper[2] as? Bool == true, "\(value)")
    // 18 cm less the borders.
    for width in [paper[1], paper[3]] { #expect((676...681).contains(width as? Int ?? 0), "\(value)") }
    #expect(NSArray(array: value["before"] ?? []) == NSArray(array: value["after"] ?? [0]), "\(value)")
  }

  @Test func `keys and pointer go from event to event and the map follows`() async throws {
    let (page, _) = try await replay(Self.track("commute-with-stops"))
    let file = folder.write("driven.html", page)
    let drive = try await DriveBrowser.drive(
      "file://\(file)", folder,
      """
      said = "document.getElementById('said').textContent"
      value("tab", "return document.getElementById('map').tabIndex")
      value("before", "return [watchMap.map.getZoom(), timeline.to - timeline.from]")
      do("document.getElementById('map').focus()")
      key("+")
      wait("watchMap.map.getZoom() > " + str(values["before"][0]))
      key("0")
      wait("watchMap.map.getZoom() === " + str(values["before"][0]))
      do("timeline.canvas.focus()")
      key("+")
      value("zoomed", "return timeline.to - timeline.from")
      key("ArrowRight")
      value("first", f"return selection.event === page.model.byTime[0] && {said}.includes(selection.event.what) && {said}.includes('Receiver on')")
      key("ArrowRight")
      value("second", "return selection.event === page.model.byTime[1]")
      key("ArrowLeft")
      value("back", "return selection.event === page.model.byTime[0]")
      key("End")
      value("last", "return selection.time === Math.max(...page.model.events.map(e => e.time))")
      do("watchMap.map.setZoom(18, { animate: false })")
      do("const e = page.model.events.filter(e => e.type === 'region.enter').pop(); document.querySelector(`[data-event='${e.id}']`).click()")
      value("row", "return document.querySelector('tr.selected').textContent.includes(selection.event.detail)")
      value("there", "return watchMap.map.getBounds().contains(selection.place) && watchMap.mark.getLatLng().lat === selection.event.lat")
      value("inside", "return watchMap.inside.has(selection.event.region)")
      key("0")
      do("watchMap.showAll(); document.getElementById('map').scrollIntoView(); await new Promise(requestAnimationFrame); watchMap.marks.draw(); select(null, null)")
      spot = do("const s = watchMap.marks.placed[0], p = document.getElementById('map').getBoundingClientRect(); return [p.x + 1 + s.px, p.y + 1 + s.py, s.event.id]")
      click(spot[0], spot[1])
      wait("selection.event && selection.event.id === " + str(spot[2]))
      key("Escape")
      wait(f"{said} === ''")
      seen = set()
      do("document.activeElement.blur()")
      for _ in range(30):
          key("Tab")
          seen.add(do("return document.activeElement.id || document.activeElement.className"))
      value("seen", "return " + json.dumps(sorted(seen)))
      """)
    #expect(drive.console.isEmpty, "\(drive.console)")
    let before = drive.values["before"] as? [Double] ?? []
    #expect(abs((before.last ?? 0) / (drive.values["zoomed"] as? Double ?? 1) - 1.5) < 1e-6)
    for key in ["first", "second", "back", "last", "row", "there", "inside"] {
      #expect(drive.values[key] as? Bool == true, "\(key)")
    }
    #expect(drive.values["tab"] as? Int == 0)
    let seen = Set(drive.values["seen"] as? [String] ?? [])
    #expect(seen.isSuperset(of: ["timeline", "all", "scroll", "at"]), "\(seen)")
  }

  @Test func `marks do not lie on each other, and a pointer finds them where they are seen`() async throws {
    let (page, records) = try await replay(Self.track("commute-with-stops"))
    let visit = try await Browser.visit(
      page, folder,
      returning: """
        const { marks } = watchMap;
        let least = Infinity;
        for (const a of marks.placed) {
          for (const b of marks.placed) if (a !== b) least = Math.min(least, Math.hypot(a.px - b.px, a.py - b.py));
        }
        return { least, found: marks.placed.every(spot => marks.hit({ x: spot.px, y: spot.py }).event === spot.event),
          moved: marks.placed.filter(s => s.px !== s.x || s.py !== s.y).length,
          shown: marks.placed.reduce((sum, spot) => sum + 1 + spot.wakes, 0),
          all: page.model.events.filter(e => e.kind !== "other" && e.shown !== null).length };
        """)
    #expect(visit.console.isEmpty, "\(visit.console)")
    let value = try #require(visit.value as? [String: Any])
    #expect(value["least"] as? Double ?? 0 >= 15 - 1e-9, "\(value)")
    #expect(value["found"] as? Bool == true)
    #expect(value["moved"] as? Int ?? 0 > 0 && value["shown"] as? Int == value["all"] as? Int, "\(value)")
    #expect(!records.isEmpty)
  }

  @Test func `the timeline names the day on which most of it lies`() async throws {
    let (page, _) = try await replay(["Tracks/tunnel.gpx"])
    let visit = try await Browser.visit(
      page, folder,
      returning: """
        const mostlyDay = (from, to) => page.model.mostlyDay(from, to);
        const at = (day, hour) => Date.UTC(2026, 4, day, hour);
        return [mostlyDay(at(4, 20), at(5, 10)), mostlyDay(at(4, 6), at(5, 1)), mostlyDay(at(4, 23), at(7, 1)),
          mostlyDay(at(4, 6), at(4, 7))];
        """)
    #expect(visit.console.isEmpty, "\(visit.console)")
    #expect(visit.value as? [String] == ["2026-05-05", "2026-05-04", "2026-05-05", "2026-05-04"])
  }

  @Test func `the tiles of a file are in the page`() async throws {
    // A PMTiles archive of one tile, a picture of one red pixel.
    let picture = try #require(
      Data(
        base64Encoded:
          "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"))
    func number(_ value: Int) -> [UInt8] { (0..<8).map { UInt8(value >> (8 * $0) & 0xFF) } }
    let metadata = Array(#"{"attribution":"<b>&copy; Someone</b>"}"#.utf8)
    let directory: [UInt8] = [1, 0, 1, UInt8(picture.count), 1]
    var bytes = Array("PMTiles".utf8) + [3] + number(127) + number(directory.count)
    bytes += number(127 + directory.count) + number(metadata.count) + number(0) + number(0)
    bytes += number(127 + directory.count + metadata.count) + number(picture.count)
    bytes += number(1) + number(1) + number(1) + [1, 1, 1, 2, 0, 0]
    bytes += [UInt8](repeating: 0, count: 127 - bytes.count)
    try Data(bytes + directory + metadata + picture).write(to: URL(fileURLWithPath: folder("map.pmtiles")))
    let (page, _) = try await replay(["Tracks/tunnel.gpx", "--tiles", folder("map.pmtiles")])
    #expect(page.contains("The page is whole: it fetches nothing. Its map holds 1 tile."))
    #expect(page.contains("script-src 'unsafe-inline'; img-src data:\""))
    let file = folder.write("driven.html", page)
    let drive = try await DriveBrowser.drive(
      "file://\(file)", folder,
      """
      wait("[...document.querySelectorAll('canvas.leaflet-tile')].some(c => c.getContext('2d').getImageData(9, 9, 1, 1).data[0] > 200)")
      value("credit", "return document.querySelector('.leaflet-control-attribution').textContent")
      value("asked", "return performance.getEntriesByType('resource').filter(r => !r.name.startsWith('data:')).length")
      do("watchMap.map.setZoom(0, { animate: false })")
      wait("[...document.querySelectorAll('canvas.leaflet-tile')].some(c => c.getContext('2d').getImageData(9, 9, 1, 1).data[0] > 200)")
      """)
    #expect(drive.console.isEmpty, "\(drive.console)")
    #expect((drive.values["credit"] as? String)?.contains("© Someone") == true)
    #expect(drive.values["asked"] as? Int == 0)
  }

  @Test func `hostile names are shown as they are`() async throws {
    let file = folder.write("regions.geojson", hostileRegions)
    let (page, _) = try await replay(["Tracks/tunnel.gpx", "-r", file])
    let visit = try await Browser.visit(
      page, folder,
      returning: """
        return [page.regions[0].name, page.regions[0].id, document.images.length, document.scripts.length,
          document.querySelector("#regions th").textContent];
        """)
    #expect(visit.console.isEmpty, "\(visit.console)")
    let value = try #require(visit.value as? [Any])
    #expect(value[0] as? String == "<img src=x onerror=throw(2)> & \"quotes\" '")
    #expect(value[1] as? String == "</script><script>throw 1//")
    #expect(value[2] as? Int == 0)
    // Data, Leaflet, script and the test's own.
    #expect(value[3] as? Int == 4)
    #expect(value[4] as? String == value[0] as? String)
  }

  @Test func `every shape of a region is on the map`() async throws {
    let file = folder.write("regions.geojson", shapes)
    let (page, _) = try await replay(["Tracks/tunnel.gpx", "-r", file])
    let visit = try await Browser.visit(
      page, folder,
      returning: """
        const { map, regions } = watchMap;
        map.setView([46.7, 8.605], 15, { animate: false });
        return regions.map(({ region, layer }) => {
          const box = layer.getBounds(), side = (a, b) => Math.round(map.distance(a, b));
          return [region.name, layer.getLatLngs ? layer.getLatLngs().flat().length : 0, layer.getRadius ? layer.getRadius() : 0,
            side(box.getSouthWest(), box.getSouthEast()), side(box.getSouthWest(), box.getNorthWest()), layer.options.weight];
        });
        """)
    #expect(visit.console.isEmpty, "\(visit.console)")
    let rows = try #require(visit.value as? [[Any]])
    #expect(rows.map { $0[0] as? String } == ["circle", "ring", "corridor"])
    // A polygon has a shell and a hole, a line has two places.
    #expect(rows.map { $0[1] as? Int } == [0, 2, 2])
    #expect(rows.map { $0[2] as? Int } == [500, 0, 0])
    // A hundredth of a degree there is 763 m wide and 1,112 m tall on Leaflet's sphere.
    let sizes = rows.map { [$0[3] as? Int ?? 0, $0[4] as? Int ?? 0] }
    for (size, expected) in zip(sizes, [[1000, 1000], [763, 1112], [763, 0]]) {
      #expect(abs(size[0] - expected[0]) <= 4 && abs(size[1] - expected[1]) <= 4, "\(size) \(expected)")
    }
    // As wide as the corridor.
    #expect(abs((rows[2][5] as? Double ?? 0) - 2 * 40 / 3.28) < 0.1, "\(rows[2])")
  }

  @Test func `a track across the antimeridian is one line, with what belongs to it beside it`() async throws {
    let (page, _) = try await replay(Self.track("ferry-across-the-antimeridian"))
    let visit = try await Browser.visit(
      page, folder,
      returning: """
        const { model } = page, bounds = watchMap.map.getBounds();
        let widest = 0;
        for (let i = 1; i < model.n; i++) widest = Math.max(widest, Math.abs(model.shown[i] - model.shown[i - 1]));
        return { widest, crosses: Math.max(...model.lon) - Math.min(...model.lon) > 350,
          seen: model.events.every(e => bounds.contains([e.lat, e.shown]))
            && watchMap.regions.every(r => !model.told.has(r.region.id) || bounds.contains(r.layer.getBounds())) };
        """)
    #expect(visit.console.isEmpty, "\(visit.console)")
    let value = try #require(visit.value as? [String: Any])
    #expect(value["widest"] as? Double ?? 360 < 1, "\(value)")
    #expect(value["crosses"] as? Bool == true && value["seen"] as? Bool == true, "\(value)")
  }

  @Test func `without Leaflet a page has all but the map, and says so`() async throws {
    let run = try await Binary.run(
      ["replay"] + Self.track("tunnel")
        + ["--report", folder("page.html"), "--leaflet", folder("none"), "--format", "ndjson"])
    #expect(run.status == 0)
    #expect(run.stderr.split(separator: "\n").count == 1)
    #expect(run.stderr.contains("apt-get install libjs-leaflet"))
    let page = try String(contentsOfFile: folder("page.html"), encoding: .utf8)
    let visit = try await Browser.visit(
      page, folder,
      returning: """
        step(1);
        return { hasMap: watchMap !== null, isHidden: getComputedStyle(document.getElementById("map")).display,
          note: document.querySelector(".problem").textContent, said: document.getElementById("said").textContent,
          events: document.querySelectorAll("#events tr").length, lanes: timeline.lanes.length,
          drawn: timeline.canvas.width };
        """)
    #expect(visit.console.isEmpty, "\(visit.console)")
    let value = try #require(visit.value as? [String: Any])
    #expect(value["hasMap"] as? Bool == false && value["isHidden"] as? String == "none")
    #expect((value["note"] as? String)?.contains("There is no map") == true)
    #expect((value["said"] as? String)?.isEmpty == false)
    #expect(value["events"] as? Int ?? 0 > 3 && value["lanes"] as? Int ?? 0 > 3, "\(value)")
    #expect(value["drawn"] as? Int ?? 0 > 300)
  }

  @Test(arguments: ["metric", "imperial", "nautical"])
  func `scale and lengths are in the units of the report`(units: String) async throws {
    let (page, _) = try await replay(["Tracks/tunnel.gpx", "--units", units])
    let visit = try await Browser.visit(
      page, folder,
      returning: """
        return [document.querySelector(".leaflet-control-scale").textContent, document.getElementById("length").textContent];
        """)
    #expect(visit.console.isEmpty, "\(visit.console)")
    let unit = ["metric": " km", "imperial": " mi", "nautical": " nmi"][units] ?? ""
    #expect((visit.value as? [String] ?? []).allSatisfy { $0.hasSuffix(unit) }, "\(visit.value)")
  }

  @Test func `a page with an error would be told`() async throws {
    let visit = try await Browser.visit(
      "<!doctype html><body><script>throw new Error('told')</script>", folder, returning: "return 1")
    #expect(visit.console.count == 1)
    #expect(visit.console.first?.contains("told") == true)
  }

  private let shapes = """
    {"type": "FeatureCollection", "features": [
      {"type": "Feature", "id": "a", "properties": {"name": "circle", "radius_m": 500},
       "geometry": {"type": "Point", "coordinates": [8.6, 46.7]}},
      {"type": "Feature", "id": "b", "properties": {"name": "ring"}, "geometry": {"type": "Polygon", "coordinates": [
        [[8.6, 46.7], [8.61, 46.7], [8.61, 46.71], [8.6, 46.71], [8.6, 46.7]],
        [[8.602, 46.702], [8.602, 46.704], [8.604, 46.704], [8.604, 46.702], [8.602, 46.702]]]}},
      {"type": "Feature", "id": "c", "properties": {"name": "corridor", "buffer_m": 40},
       "geometry": {"type": "LineString", "coordinates": [[8.6, 46.7], [8.61, 46.7]]}}]}
    """
}
