import LocationCore
import LocationFormats

/// What gpsd says.
extension GPSDSession {
  /// Takes everything that could be read at once.
  package mutating func received(_ bytes: Span<UInt8>, at reading: ClockReading) {
    guard case .up = link else { return }
    hasHeard = true
    buffer.append(bytes)
    let text = buffer.bytes
    var items: [TrackItem] = []
    reading: while case .up = link {
      switch buffer.next() {
      case .line(let range): read(text.span.extracting(range), at: reading, into: &items)
      case .tooLong: buffer.skipTooLong()
      case .none: break reading
      }
    }
    hand(on: items, at: reading)
  }

  private mutating func read(_ line: Span<UInt8>, at reading: ClockReading, into items: inout [TrackItem]) {
    guard !line.rangeWithinXMLSpace.isEmpty else { return }
    switch FixLine(line, assumeAccuracyMeters: nil) {
    case .gpsd(let scan):
      lastWordAt = reading.instant
      hasSpoken = true
      take(line, scan, at: reading, into: &items)
    case .fix(let report) where traits.tellsFixes:
      lastWordAt = reading.instant
      hasSpoken = true
      if !isFound { greet("\(address)", at: reading.instant) }
      delay.reset()
      items.append(.fix(report))
    case .fix, .other, .malformed: break
    }
  }

  private mutating func take(
    _ line: Span<UInt8>, _ scan: GPSDLine, at reading: ClockReading, into items: inout [TrackItem]
  ) {
    switch scan.kind {
    case .version:
      let name = Self.text("release", in: line)
      greet(
        traits.namesItself ? name ?? "\(address)" : name.map { "gpsd \($0)" } ?? "gpsd", at: reading.instant)
      return
    case .error:
      complain(Self.text("message", in: line) ?? "an error without a message", at: reading.instant)
      return
    case .tpv, .gst, .sky, .device, .devices, .other: greet("gpsd", at: reading.instant)
    }
    decoder.read(line, scan, at: reading.instant, into: &items)
    switch scan.kind {
    case .tpv:
      quietConnections = 0
      delay.reset()
      noteDevices(true, at: reading.instant)
    case .device, .devices: noteDevices(decoder.deviceCount > 0, at: reading.instant)
    case .gst, .sky, .version, .error, .other: break
    }
  }

  /// The source has said its first word.
  private mutating func greet(_ name: String, at instant: EngineInstant) {
    guard !isFound else { return }
    isFound = true
    trouble = nil
    told = nil
    searchSince = instant
    freshness = .searching
    deliver(.source(.found(name: name)))
  }

  private mutating func complain(_ message: String, at instant: EngineInstant) {
    // gpsd 3.22, `gpsd.c`: an unknown device means that nothing is watched.
    if address.device != nil, message.hasPrefix("No such device") {
      breakOff(.noSuchDevice, at: instant)
    } else {
      trouble = .complaint(message)
    }
  }

  private mutating func noteDevices(_ has: Bool, at instant: EngineInstant) {
    guard has != hasDevice else { return }
    if has, hasDevice == false {
      searchSince = instant
      freshness = .searching
    }
    hasDevice = has
    guard !has else { return }
    freshness = .none
    tell(.noDevice, at: instant)
  }

  /// What somebody else calls himself or a device, for logs, systemd and terminals.
  private static func plain(_ name: String) -> String { TextTable.cell(String(name.prefix(longestName))) }

  private static let longestName = 200

  /// A member of an object that is a string, as ``plain(_:)`` has it.
  private static func text(_ name: StaticString, in line: Span<UInt8>) -> String? {
    var bytes: [UInt8] = []
    for index in 0..<line.count { bytes.append(line[index]) }
    var reader = JSONReader(bytes)
    do throws(JSONError) {
      try reader.openObject()
      while let key = try reader.nextKey() {
        if reader.equals(key, name), try reader.peek() == .string {
          return plain(try reader.string())
        }
        try reader.skip()
      }
    } catch {
      // The line has been found to be a whole object; what is left is text that is not UTF-8.
    }
    return nil
  }
}

// MARK: - Fixes

extension GPSDSession {
  /// Ends the epoch that is open, if one is.
  mutating func finishEpoch(at reading: ClockReading) {
    var items: [TrackItem] = []
    decoder.flush(into: &items)
    hand(on: items, at: reading)
  }

  private mutating func hand(on items: [TrackItem], at reading: ClockReading) {
    let first = backlog(in: items, at: reading)
    for (index, item) in items.enumerated() {
      switch item {
      case .segmentBreak:
        deliver(.source(.switched(to: decoder.deviceInUse.map(Self.plain) ?? "another receiver")))
      case .fix(let report):
        if let first, index < first { continue }
        hand(on: report, at: reading)
      }
    }
  }

  /// Where the newest fix stands, when the oldest that came with it is so much older that they must have waited for
  /// us: gpsd keeps megabytes for a client that does not read (3.4 MB of gpsd 3.22 in 100 s). The others are told of.
  ///
  /// Reports that have waited follow the last one that was taken, in order, and the newest is of now. The times of two
  /// receivers whose clocks differ go back and forth. A sentence without a date gets the date of the other receiver.
  private mutating func backlog(in items: [TrackItem], at reading: ClockReading) -> Int? {
    guard !isSimulated, items.count > 1 else { return nil }
    var oldest: UTCTime?
    var newest: (index: Int, time: UTCTime)?
    var reports = 0
    for (index, item) in items.enumerated() {
      guard case .fix(let report) = item, let time = report.time else { continue }
      if let before = newest?.time ?? cycle.last, time < before { return nil }
      if let newest, newest.time.seconds(to: time) > GPSDLimits.dateSeconds { return nil }
      oldest = oldest ?? time
      newest = (index, time)
      reports += 1
    }
    guard let oldest, let newest else { return nil }
    let seconds = oldest.seconds(to: newest.time)
    guard seconds > GPSDLimits.backlogSeconds else { return nil }
    if let utc = reading.utc, utc.seconds(to: newest.time) > GPSDLimits.aheadSeconds { return nil }
    deliver(.source(.dropped(reports: reports - 1, seconds: seconds)))
    return newest.index
  }

  private mutating func hand(on report: FixReport, at reading: ClockReading) {
    if isCached(report, at: reading) { return }
    if isUsable(report, at: reading) { noteFix(report, at: reading.instant) }
    deliver(.fix(report))
  }

  /// Whether a report may be one that gpsd kept from before the connection. With a system clock that is set, its
  /// age tells; without, the first report of a connection is only what the next ones are compared with.
  private mutating func isCached(_ report: FixReport, at reading: ClockReading) -> Bool {
    guard mayBeCached, !isSimulated, reading.utc == nil, let time = report.time else { return false }
    if let cachedTime, time > cachedTime {
      mayBeCached = false
      return false
    }
    cachedTime = time
    return true
  }

  /// Whether a report shows that the receiver has a fix now.
  private mutating func isUsable(_ report: FixReport, at reading: ClockReading) -> Bool {
    guard report.mode != .noFix, report.latitude.isFinite, report.longitude.isFinite, let time = report.time
    else { return false }
    guard !isSimulated, let utc = reading.utc else { return true }
    let age = time.seconds(to: utc)
    if age > -GPSDLimits.aheadSeconds && age < GPSDLimits.oldSeconds { return true }
    // A receiver whose clock was set wrong has a fix too, where its reports keep pace with the system's clock.
    defer { misdated = (time, age) }
    guard let misdated, time > misdated.time else { return false }
    return abs(age - misdated.age) <= GPSDLimits.paceShare * misdated.time.seconds(to: time)
  }

  private mutating func noteFix(_ report: FixReport, at instant: EngineInstant) {
    if let time = report.time { cycle.note(time) }
    lastFixAt = instant
    freshness = .fresh
    told = nil
  }

  mutating func deliver(_ event: Event) { actions.append(.deliver(event)) }
}
