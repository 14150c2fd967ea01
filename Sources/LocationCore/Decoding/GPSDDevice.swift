/// One of gpsd's devices, as a `DEVICE` line or the list of a `DEVICES` line describes it.
package struct GPSDDevice: Hashable, Sendable {
  /// Where in the line the path stands, escapes as written; empty where it has none.
  package var path: Range<Int>
  /// What the driver means by `eph`; nil while gpsd does not know the driver.
  package var driver: GPSDTrack.Driver?
  /// Whether gpsd uses the device: it tells of one that it let go without a time of activation, or with zero.
  package var isActive: Bool

  /// The device of a `DEVICE` line; nil where the line is not one whole object.
  package init?(line: Span<UInt8>) {
    var scanner = JSONScanner()
    self.init(&scanner, in: line)
  }

  /// The devices of a `DEVICES` line, at most ``GPSDTrack/maximumDevices``; nil where it has no list.
  package static func list(of line: Span<UInt8>) -> [GPSDDevice]? {
    var scanner = JSONScanner()
    guard scanner.take(UInt8(ascii: "{"), in: line) else { return nil }
    repeat {
      guard let key = scanner.string(in: line), scanner.take(UInt8(ascii: ":"), in: line) else { return nil }
      if line.extracting(key).equals("devices") { return elements(&scanner, in: line) }
      guard scanner.value(in: line) != nil else { return nil }
    } while scanner.take(UInt8(ascii: ","), in: line)
    return nil
  }

  private static func elements(_ scanner: inout JSONScanner, in line: Span<UInt8>) -> [GPSDDevice]? {
    guard scanner.take(UInt8(ascii: "["), in: line) else { return nil }
    var devices: [GPSDDevice] = []
    guard !scanner.take(UInt8(ascii: "]"), in: line) else { return devices }
    repeat {
      guard let device = GPSDDevice(&scanner, in: line) else { return nil }
      if devices.count < GPSDTrack.maximumDevices { devices.append(device) }
    } while scanner.take(UInt8(ascii: ","), in: line)
    return scanner.take(UInt8(ascii: "]"), in: line) ? devices : nil
  }

  /// Moves over one object.
  private init?(_ scanner: inout JSONScanner, in line: Span<UInt8>) {
    path = 0..<0
    isActive = false
    guard scanner.take(UInt8(ascii: "{"), in: line) else { return nil }
    guard !scanner.take(UInt8(ascii: "}"), in: line) else { return }
    repeat {
      guard let key = scanner.string(in: line), scanner.take(UInt8(ascii: ":"), in: line),
        let value = scanner.value(in: line)
      else { return nil }
      note(value, for: line.extracting(key), in: line)
    } while scanner.take(UInt8(ascii: ","), in: line)
    guard scanner.take(UInt8(ascii: "}"), in: line) else { return nil }
  }

  private mutating func note(_ value: JSONScanner.Value, for key: Span<UInt8>, in line: Span<UInt8>) {
    switch value {
    case .string(let range):
      let text = line.extracting(range)
      if key.equals("path") {
        path = range
      } else if key.equals("driver") {
        driver = text.isEmpty ? nil : text.equals("NMEA0183") ? .nmea0183 : .other
      } else if key.equals("activated") {
        isActive = !text.isEmpty && UTCTime(rfc3339: text)?.microseconds != 0
      }
    case .number(let range):
      guard key.equals("activated"), let seconds = Double(jsonNumber: line.extracting(range)) else { return }
      isActive = seconds != 0
    case .other: return
    }
  }
}
