package import LocationCore

/// The tracks of a KML document: `gx:Track`. Where there is none, placemarks with a time and a point; where there are
/// none either, lines without times.
package struct KMLTrack: FormatTrack {
  private let file: String
  private let assumeAccuracyMeters: Double?
  private let parser: XMLParser
  /// The elements that are open, the outermost first.
  private var path: [String] = []
  private var text: [UInt8] = []
  /// What of the track under way waits for the other: the first time belongs to the first place.
  private var times: ArraySlice<UTCTime?> = []
  private var places: ArraySlice<Place?> = []
  /// Points of tracks that lack the one or the other.
  private var incomplete = 0
  private var placemark = (time: UTCTime?.none, place: Place?.none)
  /// The best that was met so far, which alone counts.
  private var source = Source.lines
  private var needsBreak = false
  /// The points of lines or placemarks, which wait for something better.
  private var held: [TrackItem] = []
  /// Whether there were more of them than are kept.
  private var isOverfull = false
  private var missesTrack = false
  package private(set) var firstPointLine: Int?
  private var placesTaken = 0

  private enum Source { case lines, placemarks, tracks }

  private struct Place {
    var latitude: Double
    var longitude: Double
    var altitudeMeters: Double?
  }

  /// How many points of lines or placemarks are kept until the end of the document is seen.
  package static let maximumHeldPoints = 100_000
  private let maximumHeldPoints: Int
  /// The elements whose text is read.
  private static let read: Set<String> = ["when", "coord", "coordinates"]
  /// Of one of them so many bytes are kept at most, and so many times that wait for their places.
  private static let maximumTextBytes = 64 << 20
  private static let maximumTimes = 4_000_000
  /// Whether there was more.
  private var isTooLong = false

  /// - Parameters:
  ///   - file: its name, for messages.
  ///   - assumeAccuracyMeters: the accuracy of a position that states none, metres, 68 %; nil for the usual.
  ///   - maximumHeldPoints: how many points wait for something better; of more lines the file is refused, and more
  ///     placemarks count themselves.
  package init(
    file: String, assumeAccuracyMeters: Double?, maximumHeldPoints: Int = Self.maximumHeldPoints
  ) throws(Failure) {
    self.file = file
    self.assumeAccuracyMeters = assumeAccuracyMeters
    self.maximumHeldPoints = maximumHeldPoints
    parser = try XMLParser(eventsOf: file)
  }

  package var line: Int { parser.line }

  /// Programs write several tracks into a file, some the newest first.
  package var hasParts: Bool { true }

  package var notes: [String] {
    var notes: [String] = []
    if placesTaken > 0 { notes.append("no times in the file; \(placesTaken) points of lines taken instead") }
    if incomplete > 0 {
      notes.append("\(Wording.count(incomplete, "point")) of tracks without a place or a time, skipped")
    }
    if missesTrack {
      notes.append("a track after more than \(maximumHeldPoints) placemarks with a time, left out")
    }
    return notes
  }

  package mutating func read(
    _ piece: borrowing ScanPiece, into batch: inout [TrackItem]
  ) throws(Failure) {
    var trouble: Failure?
    do throws(Failure) {
      try parser.parse(piece.bytes.span.extracting(..<piece.count), isFinal: piece.count == 0)
    } catch {
      trouble = error
    }
    for event in parser.takeEvents() { take(event, into: &batch) }
    guard !isTooLong else {
      throw Failure(
        .data, file: file, line: line,
        what: "more than \(Self.maximumTextBytes >> 20) MiB in one element, "
          + "or \(Self.maximumTimes) times before their places",
        remedy: "convert it to GPX")
    }
    if let trouble {
      flush(into: &batch)
      throw trouble
    }
    guard piece.count == 0 else { return }
    guard source != .lines || !isOverfull else {
      throw Failure(
        .data, file: file, line: firstPointLine,
        what: "no times, and more than \(maximumHeldPoints) points", remedy: "convert it to GPX")
    }
    takeHeld(into: &batch)
  }

  /// Appends what waited for something better, with the whole positions of a line that is cut off.
  package mutating func flush(into batch: inout [TrackItem]) {
    if path.last == "coordinates", let end = text.lastIndex(where: \.isXMLSpace) {
      text.removeSubrange(end...)
      path.removeLast()
      coordinates()
    }
    if source != .lines || !isOverfull { takeHeld(into: &batch) }
  }

  private mutating func takeHeld(into batch: inout [TrackItem]) {
    if source == .lines { placesTaken = held.count { $0 != .segmentBreak } }
    batch += held
    held = []
  }

  private mutating func take(_ event: XMLEvent, into batch: inout [TrackItem]) {
    switch event {
    case .start(let name, _, _):
      path.append(name)
      text.removeAll(keepingCapacity: true)
      if name == "Track" {
        times = []
        places = []
        needsBreak = source == .tracks
      } else if name == "Placemark" {
        placemark = (nil, nil)
      }
    case .text(let bytes):
      // Nothing else is read, however much there is.
      if path.last.map(Self.read.contains) ?? false { text += bytes }
      if text.count > Self.maximumTextBytes || times.count > Self.maximumTimes { isTooLong = true }
    case .end(let name):
      if !path.isEmpty { path.removeLast() }
      end(name, into: &batch)
      text.removeAll(keepingCapacity: true)
    }
  }

  private mutating func end(_ name: String, into batch: inout [TrackItem]) {
    switch name {
    case "when":
      let time = UTCTime(rfc3339: text.span)
      if path.last == "Track" { times.append(time) } else { placemark.time = time }
      takePairs(into: &batch)
    case "coord":
      places.append(Self.place(text.split(whereSeparator: \.isXMLSpace)))
      takePairs(into: &batch)
    case "coordinates": coordinates()
    case "Track":
      incomplete += times.count + places.count
      times = []
      places = []
    case "Placemark":
      if let time = placemark.time, let place = placemark.place { endPlacemark(place, time, into: &batch) }
    default: break
    }
  }

  private mutating func coordinates() {
    let tuples = text.split(whereSeparator: \.isXMLSpace)
    if path.last == "Point" {
      placemark.place = tuples.first.flatMap { Self.place($0.split(separator: UInt8(ascii: ","))) }
    } else if path.last == "LineString", source == .lines {
      if !held.isEmpty, held.last != .segmentBreak, !tuples.isEmpty { held.append(.segmentBreak) }
      for tuple in tuples {
        guard let place = Self.place(tuple.split(separator: UInt8(ascii: ","))) else { continue }
        guard held.count < maximumHeldPoints else {
          isOverfull = true
          return
        }
        firstPointLine = firstPointLine ?? line
        held.append(.fix(report(place, nil)))
      }
    }
  }

  /// Exporters write each point of a track again as a placemark, before the track or behind it.
  private mutating func endPlacemark(_ place: Place, _ time: UTCTime, into batch: inout [TrackItem]) {
    guard source != .tracks else { return }
    begin(.placemarks)
    isOverfull = isOverfull || held.count == maximumHeldPoints
    if isOverfull { takeHeld(into: &batch) }
    let item = TrackItem.fix(report(place, time))
    if isOverfull { batch.append(item) } else { held.append(item) }
  }

  /// Appends the points of the track under way that have come whole. Programs write each time before its place, or all
  /// times first.
  private mutating func takePairs(into batch: inout [TrackItem]) {
    while let time = times.first, let found = places.first {
      times.removeFirst()
      places.removeFirst()
      guard let place = found else {
        incomplete += 1
        continue
      }
      guard source != .placemarks || !isOverfull else {
        missesTrack = true
        continue
      }
      begin(.tracks)
      if needsBreak { batch.append(.segmentBreak) }
      needsBreak = false
      batch.append(.fix(report(place, time)))
    }
  }

  /// Drops what counts less, at the first point of something better.
  private mutating func begin(_ better: Source) {
    guard source != better else { return }
    source = better
    held = []
    isOverfull = false
    firstPointLine = line
  }

  private func report(_ place: Place, _ time: UTCTime?) -> FixReport {
    FixReport(
      time: time, latitude: place.latitude, longitude: place.longitude,
      accuracy: Accuracy(
        metersAt68Percent: nil, hdop: nil, assumedMeters: assumeAccuracyMeters, mode: .unknown),
      altitudeMeters: place.altitudeMeters)
  }

  /// Longitude, latitude and altitude, which may be missing.
  private static func place(_ fields: [ArraySlice<UInt8>]) -> Place? {
    let numbers = fields.map { Double(numberText: Array($0).span) }
    guard numbers.count >= 2, let longitude = numbers[0], let latitude = numbers[1] else { return nil }
    return Place(
      latitude: latitude, longitude: longitude, altitudeMeters: numbers.count > 2 ? numbers[2] : nil)
  }
}
