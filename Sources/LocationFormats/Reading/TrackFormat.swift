import LocationCore

/// What a file is, told by its first bytes and never by its name.
enum TrackFormat: Hashable {
  /// XML in any encoding; its root tells whether it is GPX.
  case xml
  /// JSON objects, one a line: gpsd's, OwnTracks's or the minimal ones.
  case jsonLines
  /// A KML document.
  case kml
  /// Sentences of NMEA 0183, one a line.
  case sentences
  /// A table whose first line names its columns.
  case table
  /// Everything that reached an engine.
  case recording
  /// What gpsbabel converts to GPX.
  case foreign(Gpsbabel.Format)
  /// Not decided: more bytes are needed.
  case undecided
  /// Something else; a word for it.
  case other(String)

  /// The remedy in every message about a file of another kind.
  static let accepted =
    "accepted are \(TrackReader.formats) with a header, gpsd JSON lines and NDJSON with time, lat, lon; each also as .gz; with gpsbabel installed also FIT, TCX and IGC, and what replay --gpsbabel FORMAT names"

  /// What is said of text of two bytes a character.
  static let wideText = "text in UTF-16"

  /// What is said of an archive that has no track.
  static let zip = "a ZIP archive without KML; unpack it first"

  /// How many bytes may be looked at before the decision.
  static let maximumBytes = 1 << 16

  /// Looks at the first bytes of a file; `isWhole` where there are no more.
  init(_ bytes: Span<UInt8>, isWhole: Bool) {
    if bytes.count > 11, bytes.extracting(8..<12).equals(".FIT") {
      self = .foreign(Gpsbabel.fit)
      return
    }
    if let other = Self.binary(bytes) {
      self = .other(other)
      return
    }
    if bytes.starts(with: JournalLine.signature) {
      self = .recording
      return
    }
    if bytes.startsWithUTF16 {
      self =
        bytes.beginsLikeXMLInUTF16
        ? Self.xml(bytes, isWhole: isWhole) : .other(Self.wideText)
      return
    }
    var index = bytes.startsWithByteOrderMark ? 3 : 0
    while index < bytes.count, bytes[index].isXMLSpace { index += 1 }
    guard index < bytes.count else {
      self = isWhole ? .other(bytes.isEmpty ? "empty file" : "empty file (white space only)") : .undecided
      return
    }
    switch bytes[index] {
    case UInt8(ascii: "<"): self = Self.xml(bytes, isWhole: isWhole)
    case UInt8(ascii: "{"):
      self =
        bytes.namesFeatureCollection || bytes.spreadsGeoJSON
        ? .other("GeoJSON, not a track")
        : bytes.namesTimeline ? .foreign(Gpsbabel.google) : .jsonLines
    case UInt8(ascii: "["):
      self = .other("a JSON array, not JSON lines")
    default:
      if bytes.hasLineStartingObject {
        self = .jsonLines
      } else if bytes.isFlight {
        self = .foreign(Gpsbabel.igc)
      } else if bytes.hasSentence(isWhole: isWhole) {
        self = .sentences
      } else if bytes.hasTableHeader(from: index, isWhole: isWhole) {
        self = .table
      } else if isWhole || bytes.count >= Self.maximumBytes {
        // The reader of sentences tells of wrong checksums.
        self =
          bytes.hasSentence(isWhole: isWhole, verifies: false)
          ? .sentences : .other(Self.text(bytes.extracting(index...)))
      } else {
        self = .undecided
      }
    }
  }

  /// What a file is whose XML root is not `gpx`.
  static func describe(xmlRoot name: String) -> String {
    switch name {
    case "html", "HTML": "HTML, not GPX"
    case "osm": "OpenStreetMap XML, not GPX"
    default: "the root element is \"\(name)\", not \"gpx\""
    }
  }

  /// Whether an encoding, by its name in the XML declaration, writes ASCII as ASCII.
  static func isASCIICompatible(encoding name: Span<UInt8>) -> Bool {
    var lower: [UInt8] = []
    for index in 0..<name.count { lower.append(name[index].asciiLowercased) }
    let span = lower.span
    return span.starts(with: "windows-125") || span.starts(with: "cp125") || span.starts(with: "iso-8859-")
      || span.starts(with: "iso8859-") || span.starts(with: "koi8-") || span.equals("windows-874")
      || span.equals("tis-620") || span.equals("macintosh") || span.equals("latin1") || span.equals("ascii")
      || span.equals("gb2312") || span.equals("gbk") || span.equals("gb18030") || span.starts(with: "big5")
      || span.starts(with: "shift_jis") || span.starts(with: "euc-") || span.equals("utf8")
  }

  private static func xml(_ bytes: Span<UInt8>, isWhole: Bool) -> TrackFormat {
    switch bytes.xmlRoot {
    case "kml": .kml
    case "TrainingCenterDatabase": .foreign(Gpsbabel.tcx)
    case nil where !isWhole: .undecided
    default: .xml
    }
  }

  private static func binary(_ bytes: Span<UInt8>) -> String? {
    if bytes.starts(with: "PK\u{03}\u{04}") { return zip }
    if bytes.starts(with: "BZh") { return "bzip2, which is not unpacked here" }
    if bytes.starts(with: "SQLite format 3") { return "an SQLite database, not a track" }
    if bytes.starts(with: "%PDF") { return "PDF, not a track" }
    let first = (bytes.count > 0 ? bytes[0] : 0, bytes.count > 1 ? bytes[1] : 0)
    if first == (0xFD, 0x37) { return "xz, which is not unpacked here" }
    if first == (0x28, 0xB5) { return "zstd, which is not unpacked here" }
    if first == (0xFF, 0xD8) { return "a JPEG picture, not a track" }
    if first == (0x89, 0x50) { return "a PNG picture, not a track" }
    return nil
  }

  private static func text(_ bytes: Span<UInt8>) -> String {
    if bytes[0] == UInt8(ascii: "$") || bytes[0] == UInt8(ascii: "!") {
      return "sentences, but none of a position"
    }
    for index in 0..<min(bytes.count, 4096) {
      let byte = bytes[index]
      if byte < 0x20, !byte.isXMLSpace { return "binary data, not a track" }
    }
    let line = bytes.extracting(..<(bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count))
    return TableHeader.isLikely(line) ? TableHeader.lack(in: line) : "neither XML nor JSON lines"
  }
}

extension Span<UInt8> {
  /// A byte order mark of UTF-16, or a `<` in it.
  var startsWithUTF16: Bool {
    guard count >= 2 else { return false }
    switch (self[0], self[1]) {
    case (0xFF, 0xFE), (0xFE, 0xFF), (0x3C, 0x00), (0x00, 0x3C): return true
    default: return false
    }
  }

  /// Whether the first character of a text in UTF-16 that is no white space is `<`.
  fileprivate var beginsLikeXMLInUTF16: Bool {
    for index in 0..<count where self[index] != 0 && self[index] < 0xFE && !self[index].isXMLSpace {
      return self[index] == UInt8(ascii: "<")
    }
    return false
  }

  /// Whether the word that makes a GeoJSON file stands near the start.
  fileprivate var namesFeatureCollection: Bool {
    for index in 0..<Swift.min(count, 512) where self[index] == UInt8(ascii: "\"") {
      if extracting(index...).starts(with: "\"FeatureCollection\"") { return true }
    }
    return false
  }

  /// Whether GeoJSON is laid out over lines, where that word may stand at its end.
  fileprivate var spreadsGeoJSON: Bool {
    guard let brace = firstIndex(of: UInt8(ascii: "{")), brace + 1 < count,
      self[brace + 1] == UInt8(ascii: "\n") || self[brace + 1] == UInt8(ascii: "\r")
    else { return false }
    for index in brace..<count where self[index] == UInt8(ascii: "\"") {
      if extracting(index...).starts(with: "\"coordinates\"") { return true }
    }
    return false
  }

  /// Whether one of Google's exports of where a phone was begins so.
  fileprivate var namesTimeline: Bool {
    for index in 0..<Swift.min(count, 512) where self[index] == UInt8(ascii: "\"") {
      let rest = extracting(index...)
      if rest.starts(with: "\"semanticSegments\"") || rest.starts(with: "\"timelineObjects\"")
        || rest.starts(with: "\"latitudeE7\"")
      {
        return true
      }
    }
    return false
  }

  /// Whether it begins as a flight recorder's file does: who made it, then the date (FAI IGC, section A3).
  fileprivate var isFlight: Bool {
    guard count > 4, self[0] == UInt8(ascii: "A") else { return false }
    for index in 1..<Swift.min(count, 512) where self[index] == UInt8(ascii: "\n") {
      if extracting((index + 1)...).starts(with: "HFDTE") { return true }
    }
    return false
  }

  /// Whether a whole line is a sentence of a position, time or speed.
  fileprivate func hasSentence(isWhole: Bool, verifies: Bool = true) -> Bool {
    var start = 0
    for index in 0...count where index == count ? isWhole : self[index] == UInt8(ascii: "\n") {
      let line = extracting(start..<index)
      start = index + 1
      guard line.count <= NMEASentence.maximumLineBytes,
        let sentence = NMEASentence(line, verifies: verifies)
      else { continue }
      if sentence.isOfPosition { return true }
    }
    return false
  }

  /// Whether the first line names a latitude and a longitude.
  fileprivate func hasTableHeader(from start: Int, isWhole: Bool) -> Bool {
    let rest = extracting(start...)
    guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? (isWhole ? rest.count : nil), end < 4096 else {
      return false
    }
    let line = rest.extracting(..<end)
    return TableHeader(line) != nil || TableHeader.isBegun(in: line)
  }

  /// Whether any line begins with an object: logs may begin with comments or raw sentences.
  fileprivate var hasLineStartingObject: Bool {
    for index in 1..<Swift.max(count, 1) where self[index] == UInt8(ascii: "{") {
      if self[index - 1] == UInt8(ascii: "\n"), beginsObject(at: index + 1) { return true }
    }
    return false
  }

  /// Whether the first member of an object, or its end, follows an opening brace, as far as the bytes go.
  private func beginsObject(at start: Int) -> Bool {
    var index = start
    while index < count, self[index].isXMLSpace { index += 1 }
    return index == count || self[index] == UInt8(ascii: "\"") || self[index] == UInt8(ascii: "}")
  }
}
