import Glibc
import LocationCore
import LocationFormats

/// Asks gpsd for its version and its devices, without asking for reports: a receiver that is off stays off.
enum GPSDProbe {
  /// What gpsd said.
  struct Answer: Hashable {
    /// What it calls itself.
    var release: String?
    /// Its devices with their drivers; nil where it did not say.
    var devices: [Device]?
  }

  /// A device that gpsd has.
  struct Device: Hashable {
    var path: String
    var driver: String?
  }

  /// How long gpsd may take to connect and to answer, seconds: it keeps clients waiting for 4 to 6 s while it probes
  /// a device (gpsd 3.22).
  private static let seconds = 8.0

  static func look(at address: SourceAddress) -> [Capability] {
    let version = GPSDDecoder.version
    let library = Capability("libgps", .yes, "interface version \(version.major).\(version.minor)")
    do throws(GPSDTrouble) {
      let answer = try ask(address)
      let gpsd = Capability("gpsd", .yes, "\(answer.release ?? "gpsd") at \(address)")
      return [gpsd, liveFixes(answer.devices ?? [], wanted: address.device), library]
    } catch {
      let failure = error.failure(at: address)
      return [
        Capability("gpsd", .no, failure.what, remedy: failure.remedy),
        Capability("live-fixes", .no, "they come from gpsd"), library,
      ]
    }
  }

  private static func liveFixes(_ devices: [Device], wanted: String?) -> Capability {
    let names = devices.map { $0.path + ($0.driver.map { " (\($0))" } ?? "") }.joined(separator: ", ")
    if devices.isEmpty {
      return Capability(
        "live-fixes", .no, "gpsd has no receiver",
        remedy: "plug one in, or name it: gpsdctl add /dev/ttyACM0, or DEVICES in /etc/default/gpsd")
    }
    if let wanted, !devices.contains(where: { $0.path == wanted }) {
      return Capability("live-fixes", .no, "gpsd has no \(wanted); it has \(names)")
    }
    return Capability("live-fixes", .yes, names)
  }

  private static func ask(_ address: SourceAddress) throws(GPSDTrouble) -> Answer {
    let clock = SystemClock()
    let end = clock.instant.advanced(bySeconds: seconds)
    let socket = try connect(address, clock, until: end)
    guard socket.send(Array("?DEVICES;\r\n".utf8)) == .done else { throw GPSDTrouble.closed }
    var buffer = LineBuffer(limit: GPSDLimits.lineBytes)
    var answer = Answer()
    var hasHeard = false
    while PollSet.wait(for: POLLIN, on: socket.descriptor, atMost: clock.milliseconds(until: end)) != 0 {
      var bytes: [UInt8] = []
      let outcome = socket.receive(into: &bytes, limit: GPSDLimits.burstBytes)
      hasHeard = hasHeard || !bytes.isEmpty
      buffer.append(bytes.span)
      buffer.each { take(Array($0), into: &answer) }
      if answer.devices != nil { return answer }
      if outcome != .pending { break }
    }
    throw hasHeard && answer.release == nil ? .notGPSD : .silent
  }

  private static func connect(
    _ address: SourceAddress, _ clock: SystemClock, until end: EngineInstant
  ) throws(GPSDTrouble) -> GPSDSocket {
    var trouble = GPSDTrouble.unreachable("no address")
    for target in try address.endpoint.targets() {
      guard let socket = GPSDSocket(family: target.family) else {
        trouble = .unreachable(SystemReason.text(errno))
        continue
      }
      var outcome = socket.connect(to: target)
      if outcome == .pending {
        let milliseconds = clock.milliseconds(until: end)
        guard PollSet.wait(for: POLLOUT, on: socket.descriptor, atMost: milliseconds) != 0 else {
          trouble = .timeout
          continue
        }
        outcome = socket.outcomeOfConnecting()
      }
      if case .failed(let error) = outcome {
        trouble = GPSDTrouble(opening: error)
        continue
      }
      return socket
    }
    throw trouble
  }

  static func take(_ line: [UInt8], into answer: inout Answer) {
    guard let tree = try? JSONTree(line), let kind = tree["class"]?.string else { return }
    if kind == "VERSION", let release = tree["release"]?.string { answer.release = "gpsd \(release)" }
    guard kind == "DEVICES", case .array(let list) = tree["devices"] else { return }
    answer.devices = list.compactMap { device in
      device["path"]?.string.map { Device(path: $0, driver: device["driver"]?.string) }
    }
  }
}
