import Foundation
import LocationCore
import LocationFormats
import LocationLab
import LocationRuntime
import TestSupport
import Testing

struct ArrowStreamTests {
  let folder = TemporaryFolder()

  @Test(arguments: ["Tracks/day-with-commute.gpx.gz", "Tracks/walk-around-the-block.gpx"])
  func `the columns are members of the lines, and json is the line`(track: String) async throws {
    var request = ReplayRequest()
    let regions = PackageRoot.file("Tracks/day-with-commute.regions.geojson")
    request.regions = try RegionFile.read(path: regions).regions
    // A record for each fix, which makes more than one batch of rows.
    request.configuration.explains = true
    // A name that JSON has to escape.
    let path = folder("a \"track\"." + (track.hasSuffix("gz") ? "gpx.gz" : "gpx"))
    try FileManager.default.copyItem(atPath: PackageRoot.file(track), toPath: path)
    func output(_ format: RecordFormat) async throws -> [UInt8] {
      request.format = format
      let file = folder("\(format)")
      // Two of them, so that their name stands in each record.
      _ = try await Replay.run([path, PackageRoot.file(track)], request, to: OutputFile(path: file)) { _ in }
      return Array(try Data(contentsOf: URL(fileURLWithPath: file)))
    }
    let text = String(decoding: try await output(.ndjson), as: UTF8.self)
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines.count > 100)
    var stream = ArrowReader(try await output(.arrow))
    let schema = "track 5, id 2, type 5, time 5, region 5, lat 3, lon 3, acc_m 3, json 5"
    #expect(stream.schema().joined(separator: ", ") == schema)
    let rows = stream.rows()
    request.jobs = 1
    let bytes = try await output(.arrow)
    request.jobs = 2
    #expect(try await output(.arrow) == bytes)
    #expect(rows.map { $0[8] } == lines)
    for (row, line) in zip(rows, lines) {
      let tree = try JSONTree(Array(line.utf8))
      for (index, key) in ["track", "id", "type", "time", "region", "lat", "lon", "acc_m"].enumerated() {
        let expected: String? =
          switch tree[key] {
          case .string(let text): text
          case .number(let text): index == 1 ? text : "\(Double(text) ?? .nan)"
          default: nil
          }
        #expect(row[index] == expected, "\(key) of \(line)")
      }
    }
  }
}

/// Reads a stream of Arrow as its format is described, far enough for texts and numbers of 64 bits.
private struct ArrowReader {
  let bytes: [UInt8]
  var place = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func number<Value: FixedWidthInteger>(_ place: Int, _: Value.Type = Value.self) -> Value {
    (0..<(Value.bitWidth / 8)).reduce(0) { $0 | Value(truncatingIfNeeded: bytes[place + $1]) << (8 * $1) }
  }

  func follow(_ place: Int) -> Int { place + Int(number(place, UInt32.self)) }

  /// Where a field of a table stands.
  func field(_ table: Int, _ index: Int) -> Int {
    let head = table - Int(number(table, Int32.self))
    #expect(4 + 2 * index < Int(number(head, UInt16.self)))
    return table + Int(number(head + 4 + 2 * index, UInt16.self))
  }

  /// The next message: its kind, its header and where its body begins; nil at the end of the stream.
  mutating func message() -> (kind: UInt8, header: Int, body: Int)? {
    #expect(number(place, UInt32.self) == 0xFFFF_FFFF && place % 8 == 0)
    let size = Int(number(place + 4, Int32.self))
    guard size > 0 else {
      #expect(place + 8 == bytes.count)
      return nil
    }
    let root = follow(place + 8)
    let body = place + 8 + size
    let kind = bytes[field(root, 1)]
    place = body + (kind == 1 ? 0 : Int(number(field(root, 3), Int64.self)))
    return (kind, follow(field(root, 2)), body)
  }

  mutating func schema() -> [String] {
    guard let (kind, header, _) = message(), kind == 1 else { return [] }
    let fields = follow(field(header, 1))
    return (0..<Int(number(fields, UInt32.self))).map { index in
      let column = follow(fields + 4 + 4 * index)
      let name = follow(field(column, 0))
      let text = bytes[(name + 4)..<(name + 4 + Int(number(name, UInt32.self)))]
      return "\(String(decoding: text, as: UTF8.self)) \(bytes[field(column, 2)])"
    }
  }

  /// The rows of all batches: each value as a text.
  mutating func rows() -> [[String?]] {
    var rows: [[String?]] = []
    while let (_, header, body) = message() {
      let count = Int(number(field(header, 0), Int64.self))
      var buffer = follow(field(header, 2)) + 4
      func next() -> Range<Int> {
        defer { buffer += 16 }
        let start = body + Int(number(buffer, Int64.self))
        return start..<(start + Int(number(buffer + 8, Int64.self)))
      }
      var columns: [[String?]] = []
      for column in 0..<9 {
        let validity = next()
        let isText = [0, 2, 3, 4, 8].contains(column)
        let ends = isText ? next() : 0..<0
        let data = next()
        columns.append(
          (0..<count).map { row in
            if !validity.isEmpty, bytes[validity.lowerBound + row / 8] >> (row % 8) & 1 == 0 { return nil }
            if isText {
              let from = Int(number(ends.lowerBound + 4 * row, Int32.self))
              let to = Int(number(ends.lowerBound + 4 * row + 4, Int32.self))
              return String(decoding: bytes[(data.lowerBound + from)..<(data.lowerBound + to)], as: UTF8.self)
            }
            let value: UInt64 = number(data.lowerBound + 8 * row)
            return column == 1 ? "\(value)" : "\(Double(bitPattern: value))"
          })
      }
      rows += (0..<count).map { row in columns.map { $0[row] } }
    }
    return rows
  }
}
