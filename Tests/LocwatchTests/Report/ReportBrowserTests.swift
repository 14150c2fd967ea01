import Foundation
import TestSupport
import Testing

/// The page of `replay --report` in a browser.
@Suite(
  .enabled(if: Browser.path != nil, "no Chromium is installed: apt-get install chromium-headless-shell"),
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

  @Test(
    arguments: [
      "walk-with-teleports", "tunnel", "ferry-across-the-antimeridian", "commute-with-stops",
    ], [[], ["--sampling", "adaptive"]])
  func `points and events are those of the records`(name: String, options: [String]) async throws {
    let (page, records) = try await replay(Self.track(name) + options)
    let visit = try await Browser.visit(
      page, folder,
      returning: """
        const { points, events } = window.locwatch;
        const taken = [];
        let refused = 0;
        for (let i = 0; i < points.count; i++) {
          if (points.use[i] === 1) taken.push([points.time[i], points.lat[i], points.lon[i]]);
          if (points.use[i] === 2) refused++;
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
        const { map, timeline } = window.locwatch;
        const looks = view => {
          view.draw();
          const { width, height } = view.canvas;
          const words = new Uint32Array(view.canvas.getContext("2d").getImageData(0, 0, width, height).data.buffer);
          const counts = new Map();
          for (const word of words) counts.set(word, (counts.get(word) || 0) + 1);
          return Math.round(100 - 100 * Math.max(...counts.values()) / words.length + counts.size / 10);
        };
        const background = getComputedStyle(document.body).backgroundColor;
        return { map: looks(map), timeline: looks(timeline), background,
          overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
          bar: map.scaleBar.metres / map.scaleBar.pixels * map.scale };
        """,
      options: ["--window-size=\(width),800", "--blink-settings=preferredColorScheme=\(isDark ? 0 : 1)"])
    #expect(visit.console.isEmpty, "\(visit.console)")
    let value = try #require(visit.value as? [String: Any])
    #expect(value["map"] as? Int ?? 0 >= 5, "\(value)")
    #expect(value["timeline"] as? Int ?? 0 >= 5, "\(value)")
    #expect(value["background"] as? String == (isDark ? "rgb(18, 22, 27)" : "rgb(255, 255, 255)"))
    // Tables scroll by themselves; the page does not.
    #expect(value["overflow"] as? Int == 0)
    #expect(abs((value["bar"] as? Double ?? 0) - 1) < 1e-9)
  }

  @Test func `keys go from event to event and the map follows`() async throws {
    let (page, _) = try await replay(Self.track("commute-with-stops"))
    let visit = try await Browser.visit(
      page, folder,
      returning: """
        const { map, timeline, events, selection, points } = window.locwatch;
        const press = (view, key) => view.canvas.dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true }));
        const said = () => document.getElementById("said").textContent;
        const scale = map.scale, span = timeline.to - timeline.from;
        press(map, "+");
        press(timeline, "+");
        const zoomed = [map.scale / scale, span / (timeline.to - timeline.from)];
        press(map, "0");
        press(timeline, "ArrowRight");
        const first = [said().includes(events[0].what), selection.event === events[0], said().includes("Receiver on")];
        press(timeline, "ArrowRight");
        const second = selection.event === events[1];
        press(timeline, "ArrowLeft");
        const back = selection.event === events[0];
        press(timeline, "End");
        const last = selection.time === Math.max(...events.map(e => e.time));
        for (let i = 0; i < 12; i++) press(map, "+");
        const region = events.filter(e => e.type === "region.enter").pop();
        document.querySelector(`[data-event="${region.index}"]`).click();
        map.draw();
        const x = map.sx(selection.x), y = map.sy(selection.y);
        const isOnMap = x >= 0 && y >= 0 && x <= map.width && y <= map.height;
        const isThere = selection.lat === region.lat && selection.lon === region.lon;
        const row = document.querySelector("tr.selected").textContent.includes(region.detail);
        press(timeline, "0");
        const under = map.hit(x, y);
        const hit = timeline.hit(timeline.sx(points.time[5]), 5) !== null && under.event !== null
          && Math.hypot(map.sx(under.event.x) - x, map.sy(under.event.y) - y) < 12;
        press(timeline, "Escape");
        return { zoomed, first, second, back, last, isOnMap, isThere, row, hit, cleared: said() === "",
          focusable: [map, timeline].every(v => v.canvas.tabIndex === 0) };
        """)
    #expect(visit.console.isEmpty, "\(visit.console)")
    let value = try #require(visit.value as? [String: Any])
    #expect((value["zoomed"] as? [Double] ?? []).allSatisfy { abs($0 - 1.5) < 1e-6 }, "\(value)")
    #expect(value["first"] as? [Bool] == [true, true, true], "\(value)")
    for key in ["second", "back", "last", "isOnMap", "isThere", "row", "hit", "cleared", "focusable"] {
      #expect(value[key] as? Bool == true, "\(key)")
    }
  }

  @Test func `marks do not lie on each other, and a pointer finds them where they are seen`() async throws {
    let (page, records) = try await replay(Self.track("commute-with-stops"))
    let visit = try await Browser.visit(
      page, folder,
      returning: """
        const { map, events } = window.locwatch;
        map.draw();
        let least = Infinity;
        for (const a of map.placed) {
          for (const b of map.placed) if (a !== b) least = Math.min(least, Math.hypot(a.px - b.px, a.py - b.py));
        }
        const found = map.placed.every(spot => map.hit(spot.px, spot.py).event === spot.event);
        return { least, found, moved: map.placed.filter(s => s.px !== s.x || s.py !== s.y).length,
          shown: map.placed.reduce((sum, spot) => sum + 1 + spot.wakes, 0), all: events.filter(e => e.kind !== "other" && e.x !== null).length };
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
        const { mostlyDay } = window.locwatch;
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
    let visit = try await Browser.visit(
      page, folder,
      returning: """
        const { map, tiles } = window.locwatch;
        map.draw();
        const tile = tiles.get("0/0/0");
        return [tiles.size, tile.source.startsWith("data:image/png;base64,"), tile.image instanceof Image,
          document.scripts.length, JSON.parse(document.getElementById("tiles").textContent).credit];
        """)
    #expect(visit.console.isEmpty, "\(visit.console)")
    let value = try #require(visit.value as? [Any])
    #expect(value[0] as? Int == 1 && value[1] as? Bool == true && value[2] as? Bool == true, "\(value)")
    #expect(value[3] as? Int == 4)
    #expect(value[4] as? String == "© Someone")
  }

  @Test func `hostile names are shown as they are`() async throws {
    let file = folder.write("regions.geojson", hostileRegions)
    let (page, _) = try await replay(["Tracks/tunnel.gpx", "-r", file])
    let visit = try await Browser.visit(
      page, folder,
      returning: """
        const { regions } = window.locwatch;
        return [regions[0].name, regions[0].id, document.images.length, document.scripts.length];
        """)
    #expect(visit.console.isEmpty, "\(visit.console)")
    let value = try #require(visit.value as? [Any])
    #expect(value[0] as? String == "<img src=x onerror=throw(2)> & \"quotes\" '")
    #expect(value[1] as? String == "</script><script>throw 1//")
    #expect(value[2] as? Int == 0)
    // Data, script and the test's own.
    #expect(value[3] as? Int == 3)
  }

  @Test func `every shape of a region is on the map`() async throws {
    let file = folder.write("regions.geojson", shapes)
    let (page, _) = try await replay(["Tracks/tunnel.gpx", "-r", file])
    let visit = try await Browser.visit(
      page, folder,
      returning: """
        return window.locwatch.regions.map(r => [r.name, r.lines ? r.lines.length : 0, r.half || r.r || 0,
          Math.round(r.box[2] - r.box[0]), Math.round(r.box[3] - r.box[1])]);
        """)
    #expect(visit.console.isEmpty, "\(visit.console)")
    let rows = try #require(visit.value as? [[Any]])
    #expect(rows.map { $0[0] as? String } == ["circle", "ring", "corridor"])
    #expect(rows.map { $0[1] as? Int } == [0, 2, 1])
    #expect(rows.map { $0[2] as? Int } == [500, 0, 40])
    // A hundredth of a degree there is 764 m wide and 1,112 m tall, by WGS 84 at 46.7 degrees north.
    let sizes = rows.map { [$0[3] as? Int ?? 0, $0[4] as? Int ?? 0] }
    for (size, expected) in zip(sizes, [[1000, 1000], [765, 1112], [844, 80]]) {
      #expect(abs(size[0] - expected[0]) <= 4 && abs(size[1] - expected[1]) <= 4, "\(size) \(expected)")
    }
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
