import LocationCore
import LocationFormats
import TestSupport
import Testing

@Suite("Hostile corpus", .enabled(if: Corpus.folder != nil))
struct HostileCorpusTests {
  /// Points that are delivered, and what the failure contains; nil where there is none.
  static let expected: [String: (fixes: Int, failure: String?)] = [
    "enc-cdata.gpx": (2, nil), "enc-gz.gpx.gz": (20, nil), "enc-latin1.gpx": (20, nil),
    "enc-leading-newline.gpx": (0, ":3: not well-formed XML"), "enc-split-text.gpx": (20, nil),
    "enc-unknown.gpx": (0, ":1: the encoding"), "enc-utf16le-bom.gpx": (20, nil),
    "enc-utf16le-nobom.gpx": (20, nil), "enc-utf8-bom.gpx": (20, nil), "geo-10hz.gpx": (3000, nil),
    "geo-antimeridian-zigzag.gpx": (600, nil), "geo-antipodal-jump.gpx": (4, nil),
    "geo-frozen.gpx": (3000, nil), "geo-null-island-glitch.gpx": (20, nil),
    "geo-pole-lon-spin.gpx": (360, nil), "geo-swapped-latlon.gpx": (100, nil),
    "ns-decoy-trkpt.gpx": (20, nil), "ns-none.gpx": (20, nil), "ns-prefixed.gpx": (20, nil),
    "num-latitudes.gpx": (52, nil), "st-empty-gpx.gpx": (0, ":2: no track points"),
    "st-empty-values.gpx": (3, nil), "st-missing-lon.gpx": (3, nil),
    "st-root-kml.gpx": (0, ":2: no position in it"),
    "st-rte-only.gpx": (2, ":2: no track point has a time"), "st-self-closed.gpx": (0, ":2: no track points"),
    "st-swapped-names.gpx": (1, ":2: no point has a latitude"), "st-trkpt-outside.gpx": (3, nil),
    "st-upper.gpx": (0, ":2: the root element is \"GPX\""), "st-wpt-only.gpx": (1, nil),
    "time-all-equal.gpx": (50, nil), "time-none.gpx": (50, ":2: no track point has a time"),
    "time-spellings.gpx": (55, nil), "wf-bad-utf8.gpx": (0, ":2: not well-formed XML at column 97"),
    "wf-dup-attribute.gpx": (0, ":2: not well-formed XML"), "wf-empty.gpx": (0, ":1: empty file"),
    "wf-json.gpx": (0, ":1: GeoJSON"), "wf-mismatched.gpx": (1, ":2: not well-formed XML"),
    "wf-nul-inside.gpx": (1, ":2: not well-formed XML"), "wf-only-decl.gpx": (0, ":2: not well-formed XML"),
    "wf-overlong-utf8.gpx": (0, ":2: not well-formed XML"), "wf-random.gpx": (0, ":1: binary data"),
    "wf-truncated-after-point.gpx": (19, ":2: not well-formed XML: the file is cut off"),
    "wf-truncated-mid-tag.gpx": (12, ":2: not well-formed XML: the file is cut off"),
    "wf-two-roots.gpx": (20, ":3: not well-formed XML"),
    "wf-unescaped-amp.gpx": (0, ":2: not well-formed XML"),
    "wf-unquoted-attr.gpx": (0, ":2: not well-formed XML"), "wf-whitespace.gpx": (0, ":1: empty file"),
    "xml-billion-laughs.gpx": (0, ":2: declares the entity \"a0\""), "xml-charref-in-number.gpx": (1, nil),
    "xml-deep-nesting-ext.gpx": (0, ":2: elements are nested deeper"),
    "xml-external-dtd-http.gpx": (20, nil),
    "xml-external-entity-file.gpx": (0, ":2: declares the entity \"x\""),
    "xml-huge-attribute.gpx": (1, ":2: no track point has a time"), "xml-huge-text.gpx": (1, nil),
    "xml-many-attributes.gpx": (1, ":2: no track point has a time"), "xml-pi.gpx": (20, nil),
  ]

  @Test("every hostile file is read or fails in one line")
  func everyFile() throws {
    let corpus = try #require(Corpus.folder)
    let rows = CorpusTable.rows("hostile/INDEX.csv")
    #expect(Set(rows.map { $0[0] }) == Set(Self.expected.keys))
    for row in rows {
      let path = "\(corpus)/hostile/\(row[0])"
      let reading = Reading(path: path)
      let expected = try #require(Self.expected[row[0]])
      #expect(reading.fixes.count == expected.fixes, "\(row[0])")
      #expect((reading.failure == nil) == (expected.failure == nil), "\(row[0])")
      guard let failure = reading.failure, let wanted = expected.failure else { continue }
      #expect(failure.code == .data)
      #expect(failure.description.hasPrefix(path + wanted), "\(failure)")
      #expect(!failure.description.contains("\n"))
    }
  }

  @Test("spellings of numbers reach the fixes as their table says")
  func numbers() throws {
    let reading = Reading(path: try #require(Corpus.folder) + "/hostile/num-latitudes.gpx")
    for (row, fix) in zip(CorpusTable.rows("hostile/num-latitudes.expected.csv"), reading.fixes) {
      #expect(fix.latitude.isNaN == (row[2] == "0"), "\(row)")
      if let value = Double(row[3]) { #expect(fix.latitude == value, "\(row)") }
    }
  }

  @Test("spellings of times reach the fixes as their table says")
  func times() throws {
    let reading = Reading(path: try #require(Corpus.folder) + "/hostile/time-spellings.gpx")
    for (row, fix) in zip(CorpusTable.rows("hostile/time-spellings.expected.csv"), reading.fixes) {
      #expect(fix.time == UTCTime(rfc3339: row[1]), "\(row)")
    }
  }

  @Test("a long track in gzip gives all its points", .enabled(if: Corpus.isFull))
  func bigFile() throws {
    let path = try #require(Corpus.folder) + "/hostile/big-150k-points.gpx.gz"
    var reader = try TrackReader(path: path)
    var batch: [TrackItem] = []
    var count = 0
    var largest = 0
    while try reader.read(into: &batch) {
      count += batch.count
      largest = max(largest, batch.count)
    }
    #expect(count == 150_000)
    #expect(largest < 2 * TrackReader.batchItems)
    #expect(reader.bytesRead == reader.byteCount)
    #expect(reader.notes == ["gzip"])
  }
}
