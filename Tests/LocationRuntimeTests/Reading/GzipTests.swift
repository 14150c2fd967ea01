import LocationCore
import LocationFormats
import Testing

@Suite("Reading gzip")
struct GzipTests {
  /// A gzip member that stores its data as it is (RFC 1951, 3.2.4; RFC 1952, 2.2).
  static func member(_ data: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
    var rest = data[...]
    repeat {
      let block = rest.prefix(65_535)
      rest = rest.dropFirst(65_535)
      let count = UInt16(block.count)
      bytes.append(rest.isEmpty ? 1 : 0)
      bytes += [UInt8(count & 0xFF), UInt8(count >> 8), UInt8(~count & 0xFF), UInt8(~count >> 8)]
      bytes += block
    } while !rest.isEmpty
    for number in [checksum(data), UInt32(data.count)] {
      bytes += (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    return bytes
  }

  private static func checksum(_ data: [UInt8]) -> UInt32 {
    var crc: UInt32 = 0xFFFF_FFFF
    for byte in data {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
  }

  static let lines = (0..<10).map {
    Array("{\"time\":\"2024-05-01T10:00:0\($0)Z\",\"lat\":48,\"lon\":11.\($0)}\n".utf8)
  }

  @Test("one member, several members, and zeros after them give what they contain")
  func members() throws {
    let whole = Array(Self.lines.joined())
    for packed in [
      Self.member(whole), Array(Self.lines.map(Self.member).joined()),
      Self.member([]) + Self.member(whole) + [UInt8](repeating: 0, count: 700),
    ] {
      let reading = try Reading(packed)
      #expect(reading.failure == nil)
      #expect(reading.fixes.map(\.longitude) == (0..<10).map { 11 + Double($0) / 10 })
      #expect(reading.notes == ["gzip"])
    }
  }

  @Test("GPX in gzip is told by its content too")
  func gpx() throws {
    let document = HostileGPXTests.track(HostileGPXTests.point(0))
    #expect(try Reading(Self.member(Array(document.utf8))).fixes.count == 1)
  }

  @Test("bytes after the last member are ignored and said aloud")
  func garbage() throws {
    let reading = try Reading(Self.member(Array(Self.lines.joined())) + Array("garbage".utf8))
    #expect(reading.failure == nil && reading.fixes.count == 10)
    #expect(reading.notes == ["gzip", "bytes after the gzip data, ignored"])
  }

  @Test("a truncated or corrupt member gives what is whole, then the error")
  func trouble() throws {
    let packed = Self.member(Array(Self.lines.joined()))
    let cut = try Reading(Array(packed.dropLast(100)))
    #expect((1..<10).contains(cut.fixes.count))
    #expect(cut.failure?.code == .data && cut.failure?.what == "the gzip data ends early")
    #expect(cut.failure?.line == cut.fixes.count)
    var corrupt = packed
    corrupt[corrupt.count - 8] ^= 1
    let reading = try Reading(corrupt)
    #expect(reading.fixes.count == 10)
    #expect(reading.failure?.what == "the gzip data is corrupt")
    let headOnly = try Reading(Array(packed.prefix(5)))
    #expect(headOnly.failure?.what == "the gzip data ends early")
  }

  @Test("an archive within an archive is not a track")
  func twice() throws {
    let reading = try Reading(Self.member(Self.member(Array(Self.lines.joined()))))
    #expect(reading.failure?.code == .data)
  }
}
