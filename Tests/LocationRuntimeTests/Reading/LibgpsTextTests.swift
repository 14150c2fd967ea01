import LocationCore
import LocationFormats
import TestSupport
import Testing

@Suite("What reaches libgps")
struct LibgpsTextTests {
  static func report(_ line: String) -> String {
    var text = LibgpsText()
    text.composeReport(from: Array(line.utf8).span)
    return String(decoding: text.characters.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  @Test(
    "only known members with plain numbers pass, each once, in one order",
    arguments: [
      (
        #"{"lon":11.5,"class":"TPV","lat":1,"x":{"lat":9},"lat":48.1,"mode":3,"time":"t","device":"/dev/a"}"#,
        #"{"class":"TPV","mode":3,"lat":48.1,"lon":11.5}"#
      ),
      (
        #"{"class":"TPV","x":"\"class\":\"DEVICES\"","lat":"48","lon":null,"mode":-1,"status":300,"eph":4e0}"#,
        #"{"class":"TPV","eph":4e0}"#
      ),
      (#"{"class":"TPV","lat":1,"lat":"2","speed":[1],"track":{}}"#, #"{"class":"TPV"}"#),
      (#"{"class":"TPV", "mode" : 3.0 , "lat" : -0.5 }"#, #"{"class":"TPV","lat":-0.5}"#),
      (#"{"class":"TPV","lat":1"#, #"{"class":"TPV","lat":1}"#), ("[]", #"{"class":"TPV"}"#),
    ])
  func members(line: String, text: String) { #expect(Self.report(line) == text) }

  @Test("a number that is longer than any that means something is left out")
  func longNumbers() {
    let limit = LibgpsText.maximumNumberBytes
    let longest = String(repeating: "1", count: limit)
    #expect(Self.report(#"{"lat":\#(longest),"lon":\#(longest)0}"#) == #"{"class":"TPV","lat":\#(longest)}"#)
  }

  @Test("the longest text is within its bound")
  func bound() {
    let number = String(repeating: "1", count: LibgpsText.maximumNumberBytes)
    let names = LibgpsText.integers + LibgpsText.reportNumbers
    let members = names.map { "\"\($0)\":" + ($0.description == "mode" ? "3" : number) }
    let text = Self.report("{" + members.joined(separator: ",") + ",\"status\":12}")
    #expect(text.utf8.count < LibgpsText.maximumBytes && text.contains("epy") && text.contains("status"))
  }

  /// Lines of gpsd, mutated: by libgps or not, each must come back, with what our own scan finds.
  @Test("mutated lines come back, and libgps finds the numbers that the scan finds", .timeLimit(.minutes(5)))
  func mutations() throws {
    var random = SeededRandom(4_711)
    let decoder = try GPSDDecoder(assumeAccuracyMeters: nil)
    for _ in 0..<(Corpus.isFull ? 2_000_000 : 20_000) {
      let line = Self.mutated(using: &random)
      guard case .gpsd(let scan) = FixLine(line.span, assumeAccuracyMeters: nil) else { continue }
      var items: [TrackItem] = []
      decoder.read(line.span, scan, into: &items)
      decoder.flush(into: &items)
      #expect(decoder.deviceCount <= GPSDTrack.maximumDevices + 1, "\(random)")
    }
  }

  private static let lines: [String] = [
    #"{"class":"TPV","device":"/dev/a","mode":3,"time":"2024-05-01T10:00:00.123Z","lat":48.1,"lon":-11.5,"altHAE":500.5,"eph":4.5,"status":2}"#,
    #"{"class":"GST","device":"/dev/a","time":"2024-05-01T10:00:00Z","lat":1.5,"lon":2.5,"rms":1}"#,
    #"{"class":"DEVICE","path":"/dev/a","driver":"NMEA0183","activated":"2024-05-01T09:59:59.000Z"}"#,
    #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a"},{"class":"DEVICE","path":"/dev/b"},{"path":"c"},{"path":"d"},{"path":"e"}]}"#,
    #"{"class":"SKY","device":"/dev/a","satellites":[{"PRN":1,"el":2,"az":3,"ss":4,"used":true}]}"#,
    #"{"class":"VERSION","release":"3.22","proto_major":3}"#, #"{"class":"POLL","tpv":[],"sky":[]}"#,
  ]

  private static func mutated(using random: inout SeededRandom) -> [UInt8] {
    var line = Array((lines.randomElement(using: &random) ?? "").utf8)
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      let index = Int.random(in: 0..<line.count, using: &random)
      let other = Array((lines.randomElement(using: &random) ?? "").utf8)
      let from = Int.random(in: 0..<other.count, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: line[index] = other[from]
      case 1: line.insert(contentsOf: other[from..<min(other.count, from + 12)], at: index)
      case 2: line.insert(contentsOf: line[min(index, line.count - 1)...], at: index)
      default: line[index] = UInt8(ascii: "0") + UInt8(index % 10)
      }
    }
    return line
  }
}

@Suite("gpsd's devices")
struct GPSDDeviceTests {
  static func list(_ text: String) -> [GPSDDevice]? { GPSDDevice.list(of: Array(text.utf8).span) }

  @Test("a device says its path, its driver, and whether it is in use")
  func device() throws {
    func device(_ text: String) throws -> GPSDDevice {
      let device = GPSDDevice(line: Array(text.utf8).span)
      return try #require(device)
    }
    let whole =
      #"{"class":"DEVICE","path":"/dev/a","driver":"NMEA0183","activated":"2024-05-01T09:59:59.000Z"}"#
    #expect(try device(whole).driver == .nmea0183 && device(whole).isActive)
    #expect(try device(whole).path.count == 6)
    #expect(try device(#"{"path":"/dev/a","driver":"u-blox","activated":0}"#).driver == .other)
    #expect(try !device(#"{"path":"/dev/a","activated":0}"#).isActive)
    #expect(try !device(#"{"path":"/dev/a","driver":""}"#).isActive)
    #expect(try device(#"{"path":"/dev/a","driver":""}"#).driver == nil)
    #expect(try !device(#"{"path":"/dev/a","activated":"1970-01-01T00:00:00.000Z"}"#).isActive)
    #expect(try device(#"{"path":5}"#).path.isEmpty)
    let cut = Array(#"{"path":"/dev/a""#.utf8)
    let none = GPSDDevice(line: cut.span)
    #expect(none == nil)
  }

  @Test("a list of any length is read, up to a bound", arguments: [0, 1, 4, 5, 16, 100])
  func lists(count: Int) throws {
    let devices = (0..<count).map { #"{"class":"DEVICE","path":"/dev/tty\#($0)"}"# }
    let text = #"{"class":"DEVICES","x":[1],"devices":[\#(devices.joined(separator: ","))]}"#
    #expect(Self.list(text)?.count == min(count, GPSDTrack.maximumDevices))
  }

  @Test(
    "what is no list is none",
    arguments: [#"{"devices":{}}"#, #"{"devices":[5]}"#, #"{"devices":[{}"#, "{}", #"{"x":1}"#, "[]"])
  func noLists(text: String) { #expect((Self.list(text) ?? []).isEmpty) }

  @Test("a log that lists five devices is read to its end")
  func fiveDevices() throws {
    let devices = (0..<5).map { #"{"class":"DEVICE","path":"/dev/tty\#($0)","driver":"NMEA0183"}"# }
    let reading = try Reading(
      #"{"class":"DEVICES","devices":[\#(devices.joined(separator: ","))]}"# + "\n"
        + #"{"class":"TPV","device":"/dev/tty4","mode":3,"time":"2024-05-01T10:00:00Z","lat":48.1,"lon":11.5,"eph":16.15}"#
    )
    #expect(reading.failure == nil && reading.fixes.map(\.latitude) == [48.1])
    #expect(reading.fixes.map { ($0.accuracy.radiusMeters * 100).rounded() } == [1000])
  }
}
