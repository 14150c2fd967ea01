import Glibc
import LocationCore
import LocationFormats
import Testing

@testable import LocationRuntime

/// Sentences of NMEA 0183 in gpsd's words.
@Suite struct NMEABridgeTests {
  private static let place = "$GPRMC,120000,A,4807.038,N,01131.000,E,0,0,230394,,*13\n"
  private static let height = "$GPGGA,120000,4807.038,N,01131.000,E,1,08,,545.4,M,46.9,M,,*6E\n"
  private static let twoDimensions = "$GPGSA,A,2,04,05,,,,,,,,,,,,,*1C\n"
  private static let threeDimensions = "$GPGSA,A,3,04,05,,,,,,,,,,,,,*1D\n"

  /// Without a dilution, so that the accuracy follows from the dimensions.
  @Test(arguments: [place, twoDimensions + place, threeDimensions + place, place + height])
  func `a fix is as accurate live as in a file`(sentences: String) throws {
    var bridge = NMEABridge(name: "boat")
    let live = try Reading(bridge.greeting + bridge.read(Array(sentences.utf8).span))
    let file = try Reading(sentences)
    #expect(file.fixes.count == 1 && file.failure == nil)
    #expect(live.fixes.map(\.accuracy) == file.fixes.map(\.accuracy))
  }

  @Test(arguments: [
    "$GPRMC,060000,A,4807.038,N,01131.000,E,0,0,010526,,,A\n$GPGGA,060000,4807.038,N,01131.000,E,1,08,,545.4,M,,M,,\n",
    "$GPRMC,060000,A,4807.038,N,01131.000,E,0,0,010526,,,S\n",
    "$GPRMC,060000,A,4807.038,N,01131.000,E,0,0,010526,,,A\n$GPGGA,060000,4807.038,N,01131.000,E,8,08,,545.4,M,,M,,\n",
    "$GPRMC,060000,A,,,,,0,0,010526,,,A\n$GNGNS,060000,4807.038,N,01131.000,E,NS,08,,545.4,46.9,,\n",
    "$GPRMC,060000,A,,,,,0,0,010526,,,A\n$GPGLL,4807.038,N,01131.000,E,060000,A,S\n",
  ])
  func `a receiver that simulates is not believed live`(sentences: String) throws {
    var bridge = NMEABridge(name: "boat")
    var run = try SessionRun.greeted()
    var heard: [String] = []
    for second in 0..<3 {
      let text = sentences.replacing("060000", with: "06000\(second)")
      let lines = String(decoding: bridge.read(Array(text.utf8).span), as: UTF8.self)
      heard.append(lines)
      for line in lines.split(separator: "\n") { run.say(String(line)) }
      run.pass(to: Double(second + 1))
    }
    // The first row does not simulate.
    let isReal = sentences.contains(",E,1,")
    #expect(heard.allSatisfy { $0.contains(#""status":8"#) != isReal && $0.contains(#""lat":"#) }, "\(heard)")
    #expect(run.reports.contains { $0.latitude.isFinite } == isReal, "\(run.reports)")
  }

  @Test(arguments: ["$GPRMC,120000,A,4807.0", "$", "\u{b5}b\u{1}$\u{7}", "12:00 $GPGSA,A,3*00 "])
  func `what stands before a whole sentence in its line takes nothing of it`(before: String) throws {
    var bridge = NMEABridge(name: "boat")
    let lines = String(decoding: bridge.read(Array((before + Self.place).utf8).span), as: UTF8.self)
    #expect(lines.contains(#""lat":48.1173"#), "\(lines)")
  }

  @Test func `a source is told of with its first sentence, and noise only that it comes`() throws {
    var ends: [Int32] = [-1, -1]
    try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    let bridge = try NMEABridge.start(ends[0], name: "boat", endsLines: false)
    defer { close(ends[1]) }
    func said(for text: String) -> String {
      _ = unsafe Array(text.utf8).withUnsafeBytes { unsafe write(ends[1], $0.baseAddress, $0.count) }
      guard PollSet.wait(on: bridge.descriptor, atMost: 60_000) != 0 else { return "nothing" }
      var piece = [UInt8](repeating: 0, count: 4_096)
      let count = unsafe piece.withUnsafeMutableBytes { unsafe SystemCall.readBytes(bridge.descriptor, $0) }
      return String(decoding: piece.prefix(max(0, count)), as: UTF8.self)
    }
    #expect(said(for: "\u{1}\u{7f}noise\n") == "\r\n")
    #expect(said(for: "$GPRMC,,V,,,,,,,,,,N*53\n").hasPrefix(#"{"class":"VERSION","release":"NMEA 0183"}"#))
  }

  @Test(arguments: [
    (
      "udp::10110", GPSDTrouble.timeout,
      "udp::10110: nothing comes; check the address, and whether it sends"
    ),
    (
      "nmea:/dev/ttyUSB0", .notGPSD,
      "nmea:/dev/ttyUSB0: what comes has no sentence of a receiver; check the wiring, and the speed of the line, "
        + "as in nmea:/dev/ttyUSB0:9600"
    ),
    ("nmea:/dev/ttyUSB0", .closed, "nmea:/dev/ttyUSB0: it has ended the connection"),
  ])
  func `a source that brings no sentence is told with its remedy`(
    source: String, trouble: GPSDTrouble, text: String
  ) throws {
    #expect("\(trouble.failure(at: try SourceAddress(source: source)))" == text)
  }

  @Test(arguments: [("udp::10110", []), ("nmea:/dev/ttyUSB0", [60, 180, 420])])
  func `a source without a sentence is lost once, keeps its connection, and is seldom opened anew`(
    source: String, renewals: [Double]
  ) throws {
    var run = try SessionRun(source)
    run.start()
    run.connected()
    run.receive("\r\n")
    run.pass(to: 14)
    #expect(run.staleness.isEmpty)
    var connections = run.connects.count
    while run.now < 500 {
      run.pass(to: run.now + 5)
      guard run.connects.count > connections else { continue }
      connections = run.connects.count
      run.connected()
      run.receive("\r\n")
    }
    #expect(run.staleness.map(\.reason) == [.lost])
    #expect(run.session.trouble == .notGPSD)
    #expect(run.disconnects.count == renewals.count, "\(run.disconnects)")
    run.say(#"{"class":"VERSION","release":"NMEA 0183"}"#)
    #expect(run.source.last == .found(name: "NMEA 0183"))
    #expect(run.session.trouble == nil)
  }

  @Test func `a source that was there and is opened anew in vain is found again with its next sentence`()
    throws
  {
    var run = try SessionRun("nmea:/dev/ttyUSB0")
    let version = #"{"class":"VERSION","release":"NMEA 0183"}"#
    run.start()
    run.connected()
    run.say(version, GPSDText.device("/dev/ttyUSB0", isActive: true))
    run.reconnect()
    run.pass(to: run.now + 20)
    #expect(run.staleness.last?.reason == .lost)
    run.say(version)
    #expect(run.source.last == .found(name: "NMEA 0183"))
  }

  @Test(arguments: [(place, true), ("no place left\r\n", false), ("", false)])
  func `a source that ends before it has sent a fix was never there`(text: String, isThere: Bool) throws {
    var ends: [Int32] = [-1, -1]
    try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    let bridge = try NMEABridge.start(ends[0], name: "boat", endsLines: false)
    let sent = unsafe Array(text.utf8).withUnsafeBytes { unsafe write(ends[1], $0.baseAddress, $0.count) }
    #expect(sent == text.utf8.count)
    close(ends[1])
    var words: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4_096)
    while PollSet.wait(on: bridge.descriptor, atMost: 30_000) != 0 {
      let count = unsafe piece.withUnsafeMutableBytes { unsafe SystemCall.readBytes(bridge.descriptor, $0) }
      guard count > 0 else { break }
      words += piece[..<count]
    }
    #expect(String(decoding: words, as: UTF8.self).contains("VERSION") == isThere)
  }
}
