import Glibc
import LocationCore
import LocationFormats

/// Says in gpsd's words what comes as sentences of NMEA 0183, so that one state machine judges both: a small gpsd with
/// one receiver, inside this process.
struct NMEABridge {
  private let name: String
  private var decoder = NMEADecoder()
  private var buffer = LineBuffer(limit: NMEASentence.maximumLineBytes)
  /// Whether a sentence has come: before, the source may be anything.
  private var hasSentence = false

  /// - Parameter name: the device, as records and messages name it.
  init(name: String) { self.name = name }

  /// What gpsd says to a new client: its version, and its receiver.
  var greeting: [UInt8] {
    Self.object { line in
      line.member("class", "VERSION")
      line.member("release", "NMEA 0183")
    }
      + Self.object { line in
        line.member("class", "DEVICE")
        line.member("path", name)
        line.member("driver", "NMEA0183")
        line.member("activated", 1)
      }
  }

  /// Takes a piece of what comes; the lines that gpsd would say.
  mutating func read(_ bytes: Span<UInt8>) -> [UInt8] {
    buffer.append(bytes)
    let text = buffer.bytes
    var lines: [UInt8] = []
    while true {
      switch buffer.next() {
      case .line(let range):
        guard let sentence = NMEASentence(text.span.extracting(range)) else { continue }
        hasSentence = true
        switch decoder.read(sentence) {
        case .position(let report): lines += describe(report)
        case .deviations(let time, let latitude, let longitude):
          lines += describe(time, latitude: latitude, longitude: longitude)
        case .nothing: break
        }
      case .tooLong: buffer.skipTooLong()
      case .none: return lines
      }
    }
  }

  private func describe(_ report: GPSDReport) -> [UInt8] {
    let fix = report.fix
    return Self.object { line in
      line.member("class", "TPV")
      line.member("device", name)
      // gpsd has no word for a fix whose dimensions nobody tells; its accuracy is that of three.
      line.member("mode", fix.mode == .noFix ? 1 : fix.mode == .twoD ? 2 : 3)
      if report.isSimulated {
        line.member("status", Self.simulated)
      } else if report.isDeadReckoned {
        line.member("status", Self.deadReckoned)
      }
      line.member("time", fix.time?.rfc3339)
      guard fix.latitude.isFinite, fix.longitude.isFinite else { return }
      line.member("lat", fix.latitude, decimals: FixedPoint.degrees)
      line.member("lon", fix.longitude, decimals: FixedPoint.degrees)
      line.member("altMSL", fix.altitudeMeters, decimals: FixedPoint.thousandths)
      line.member("speed", fix.speedMetersPerSecond, decimals: FixedPoint.thousandths)
      line.member("track", fix.courseDegrees, decimals: FixedPoint.thousandths)
      line.member("eph", report.horizontalErrorMeters, decimals: FixedPoint.thousandths)
    }
  }

  /// gpsd's `STATUS_DR` (gpsd 3.22, `gps.h`).
  private static let deadReckoned = 5
  /// gpsd's `STATUS_SIM`.
  private static let simulated = 8

  private func describe(_ time: UTCTime?, latitude: Double, longitude: Double) -> [UInt8] {
    Self.object { line in
      line.member("class", "GST")
      line.member("device", name)
      line.member("time", time?.rfc3339)
      line.member("lat", latitude, decimals: FixedPoint.thousandths)
      line.member("lon", longitude, decimals: FixedPoint.thousandths)
    }
  }

  private static func object(_ members: (inout JSONLine) -> Void) -> [UInt8] {
    var line = JSONLine()
    line.open()
    members(&line)
    line.close()
    return line.bytes + [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
  }

  // MARK: - The thread

  /// Starts a bridge on a thread of its own; it ends with either side.
  ///
  /// - Parameters:
  ///   - source: a descriptor to read sentences from, which the bridge closes.
  ///   - endsLines: whether each piece ends its last line: a datagram may lack the line's end.
  /// - Returns: the end of a socket that speaks as gpsd does.
  /// - Throws: why there is none, in the system's words.
  static func start(_ source: Int32, name: String, endsLines: Bool) throws(GPSDTrouble) -> GPSDSocket {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      let reason = SystemReason.text(errno)
      close(source)
      throw GPSDTrouble.unreachable(reason)
    }
    let (mine, theirs) = (ends[0], ends[1])
    let isStarted = DedicatedThread.start {
      var bridge = NMEABridge(name: name)
      bridge.run(from: source, to: mine, endsLines: endsLines)
      close(mine)
      close(source)
    }
    guard isStarted else {
      for descriptor in [mine, theirs, source] { close(descriptor) }
      throw GPSDTrouble.unreachable(Failure.noThread.what)
    }
    return GPSDSocket(descriptor: theirs)
  }

  private mutating func run(from source: Int32, to end: Int32, endsLines: Bool) {
    var isGreeted = false
    var piece = [UInt8](repeating: 0, count: Self.pieceBytes)
    var polled = PollSet()
    polled.watch(source)
    polled.watch(end)
    while true {
      if polled.wait(atMost: -1) < 0, errno != EINTR { return }
      if polled.has(end) {
        // Nothing is asked of a bridge; the end of the stream says that nobody listens any more.
        let count = unsafe piece.withUnsafeMutableBytes { unsafe SystemCall.readBytes(end, $0) }
        if count == 0 || count < 0 && errno != EAGAIN && errno != EINTR { return }
      }
      guard polled.has(source) else { continue }
      let room = piece.count - 1
      var count = unsafe piece.withUnsafeMutableBytes {
        unsafe SystemCall.readBytes(source, UnsafeMutableRawBufferPointer(rebasing: $0[..<room]))
      }
      if count < 0, errno == EAGAIN || errno == EINTR { continue }
      guard count > 0 || count == 0 && endsLines else { return }
      if endsLines {
        piece[count] = UInt8(ascii: "\n")
        count += 1
      }
      var lines = read(piece.span.extracting(..<count))
      if !isGreeted {
        lines = hasSentence ? greeting + lines : Self.noise
        isGreeted = hasSentence
      }
      guard Self.send(lines, to: end) else { return }
    }
  }

  /// An empty line, which says that something comes and no more.
  private static let noise = [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
  /// More than a second of the fastest line.
  private static let pieceBytes = 1 << 16

  /// Sends lines; false where the peer is gone. It waits for a peer that does not read.
  private static func send(_ bytes: [UInt8], to end: Int32) -> Bool {
    guard !bytes.isEmpty else { return true }
    var sent = 0
    while sent < bytes.count {
      let count = unsafe bytes.span.extracting(sent...).withUnsafeBytes {
        unsafe SystemCall.sendBytes(end, $0)
      }
      if count > 0 {
        sent += count
      } else if errno == EAGAIN {
        if PollSet.wait(for: POLLOUT, on: end, atMost: -1) & POLLHUP != 0 { return false }
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }
}
