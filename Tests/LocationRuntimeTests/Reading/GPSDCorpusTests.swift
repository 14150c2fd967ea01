import Foundation
import LocationCore
import LocationFormats
import TestSupport
import Testing

@Suite("gpsd corpus", .enabled(if: Corpus.folder != nil))
struct GPSDCorpusTests {
  @Test("every TPV of gpsd's regression logs says what its JSON says")
  func everyReport() throws {
    let folder = try #require(Corpus.folder)
    let rows = CorpusTable.rows("gpsd/INDEX.csv")
    #expect(rows.count == 95)
    for row in rows {
      let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(folder)/gpsd/\(row[0]).log.chk")))
      var census: [String: Int] = [:]
      for line in bytes.split(separator: UInt8(ascii: "\n")) where line.first == UInt8(ascii: "{") {
        try check(Array(line), of: row[0], into: &census)
      }
      let counted = ["tpv", "mode0", "mode1", "mode2", "mode3", "pos", "eph", "speed"].map { census[$0] ?? 0 }
      #expect(counted == row[8...15].map { Int($0) ?? -1 }, "\(row[0])")
    }
  }

  private func check(_ line: [UInt8], of log: String, into census: inout [String: Int]) throws {
    guard case .gpsd(let scan) = FixLine(line.span, assumeAccuracyMeters: nil) else {
      Issue.record("\(log): \(String(decoding: line, as: UTF8.self))")
      return
    }
    guard scan.kind == .tpv else { return }
    let decoder = try GPSDDecoder(assumeAccuracyMeters: nil)
    var items: [TrackItem] = []
    decoder.read(line.span, scan, into: &items)
    decoder.flush(into: &items)
    guard items.count == 1, case .fix(let fix) = items[0] else {
      Issue.record("\(log): no fix in \(String(decoding: line, as: UTF8.self))")
      return
    }
    let json = try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
    let mode = try #require(json["mode"] as? Int)
    census["tpv", default: 0] += 1
    census["mode\(mode)", default: 0] += 1
    if !fix.latitude.isNaN {
      census["pos", default: 0] += 1
      #expect(fix.latitude == json["lat"] as? Double && fix.longitude == json["lon"] as? Double)
    }
    if fix.accuracy.source == .reported, let eph = json["eph"] as? Double, eph > 0 {
      #expect(fix.accuracy.radiusMeters == eph)
    }
    if json["eph"] != nil { census["eph", default: 0] += 1 }
    if fix.speedMetersPerSecond != nil { census["speed", default: 0] += 1 }
    #expect(fix.speedMetersPerSecond == json["speed"] as? Double)
    #expect(fix.altitudeMeters == json["altMSL"] as? Double ?? json["altHAE"] as? Double)
    #expect(fix.time?.rfc3339 == json["time"] as? String)
    #expect(fix.mode == [FixMode.unknown, .noFix, .twoD, .threeD][mode])
  }

  @Test("every answer of gpsd reads as a track, or fails in one line")
  func everyFile() throws {
    let folder = try #require(Corpus.folder)
    for row in CorpusTable.rows("gpsd/INDEX.csv") {
      let reading = Reading(path: "\(folder)/gpsd/\(row[0]).log.chk")
      let placed = reading.fixes.filter { !$0.latitude.isNaN }
      #expect(placed.isEmpty == (row[13] == "0"), "\(row[0])")
      #expect(placed.count <= Int(row[13]) ?? 0)
      if let failure = reading.failure {
        #expect(failure.code == .data && failure.line != nil)
        #expect(placed.isEmpty || placed.allSatisfy { $0.time == nil }, "\(failure)")
      } else {
        #expect(placed.isEmpty == placed.allSatisfy { $0.time == nil }, "\(row[0])")
      }
    }
  }
}
