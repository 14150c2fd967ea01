import LocationCore
package import LocationFormats
import LocationRuntime

/// Replays many tracks that come as lines through one process: what a task of Spark, `xargs` or GNU parallel feeds.
///
/// A line is a fix with the name of its `track`, or the path of a whole file, plain or as `{"path":"drive.gpx"}`. The fixes of a track stand
/// one after the other. There are no programs, so nothing but what happened is recorded; and the regions are read once
/// for all tracks.
package enum BatchReplay {
  /// The longest line, bytes.
  private static let longestLine = 1 << 20

  /// The next line that is not too long; nil after the last.
  private static func nextLine(
    of input: inout LineInput, _ refuse: (Failure) -> Void
  ) throws(Failure) -> [UInt8]? {
    while true {
      switch try input.next() {
      case nil: return nil
      case .tooLong(let failure): refuse(failure)
      case .whole(let line): return line
      }
    }
  }

  /// Replays everything that a file or standard input names.
  ///
  /// - Parameter report: told of each line and each track that can't be used; the others go on.
  /// - Returns: the code of the first failure; nil where there was none.
  /// - Throws: ``Failure`` where the input can't be read or is a track itself, or the output takes no more.
  package static func run(
    _ path: String, _ request: ReplayRequest, to output: consuming OutputFile, report: (Failure) -> Void
  ) async throws(Failure) -> Failure.Code? {
    var request = request
    try request.share()
    let format = request.format == .arrow ? RecordFormat.arrow : .ndjson
    request.format = format
    let assumeAccuracyMeters = request.track.assumeAccuracyMeters
    var input = try LineInput(
      path: path, limit: longestLine, assumeAccuracyMeters: assumeAccuracyMeters)
    var printer = LinePrinter(format: format, to: output)
    var first: Failure.Code?
    var track: BatchTrack?
    var seen: Set<ExactName> = []
    func refuse(_ failure: Failure) {
      first = first ?? failure.code
      report(failure)
    }
    var hasFixes = false
    func note(_ outcome: TrackOutcome?, of track: String) {
      guard let outcome else { return }
      if let tally = outcome.summary?.tally, tally.fixes > 0 { hasFixes = true }
      if let failure = outcome.failure ?? Replay.disbelief(in: outcome, TrackPart(path: track)) {
        refuse(failure)
      }
    }
    while true {
      try track?.takeFixes(from: &input, into: &printer)
      guard let line = try nextLine(of: &input, refuse) else { break }
      if input.number == 1, LineInput.beginsTrack(line) {
        throw Failure(
          .data, file: input.name, line: 1, what: "a track, not lines that name tracks",
          remedy: "leave out --batch, or give the file's name as a line")
      }
      switch BatchLine(line, assumeAccuracyMeters: assumeAccuracyMeters) {
      case .blank: break
      case .fix(let name, let fix):
        if ExactName(name) != track?.name {
          try track?.finish(into: &printer)
          note(track?.outcome, of: track?.name.text ?? name)
          if !seen.insert(ExactName(name)).inserted {
            refuse(
              Failure(
                .data, file: input.name, line: input.number, what: "track \"\(name)\" comes a second time",
                remedy: "sort the lines by track, then by time"))
          }
          track = BatchTrack(name, request)
        }
        try track?.take([.fix(fix)], into: &printer)
      case .path(let path):
        if let last = track {
          try last.finish(into: &printer)
          note(last.outcome, of: last.name.text)
        }
        track = nil
        let outcome = try await Replay.replay(TrackPart(path: path), isNamed: true, request, into: &printer)
        note(outcome, of: path)
      case .unusable(let why):
        refuse(Failure(.data, file: input.name, line: input.number, what: why, remedy: LineTrack.lineRemedy))
      }
    }
    if let track {
      try track.finish(into: &printer)
      note(track.outcome, of: track.name.text)
    }
    try printer.finish()
    if first == nil, !hasFixes, request.from != nil || request.to != nil { refuse(Replay.noFix(in: [])) }
    return first
  }
}

/// A line of a batch, read.
enum BatchLine {
  case blank
  case fix(track: String, FixReport)
  case path(String)
  case unusable(String)

  init(_ line: [UInt8], assumeAccuracyMeters: Double?) {
    let text = line.span
    guard !text.rangeWithinXMLSpace.isEmpty else {
      self = .blank
      return
    }
    guard text[text.rangeWithinXMLSpace.lowerBound] == UInt8(ascii: "{") else {
      self = .path(String(decoding: line, as: UTF8.self))
      return
    }
    switch FixLine(text, assumeAccuracyMeters: assumeAccuracyMeters) {
    case .fix(let report):
      guard let name = Self.leadingTrack(line) ?? Self.member("track", of: line) else {
        self = .unusable("a fix without the name of its track")
        return
      }
      self = .fix(track: name, report)
    case .other:
      guard let path = Self.member("path", of: line) else {
        self = .unusable("neither a fix nor {\"path\":...}")
        return
      }
      self = .path(path)
    case .gpsd: self = .unusable("a report of gpsd's protocol; give its file as {\"path\":...}")
    case .malformed(let why): self = .unusable(why)
    }
  }

  /// The name where the line begins with it, as most do.
  private static func leadingTrack(_ line: [UInt8]) -> String? {
    guard line.starts(with: prefix) else { return nil }
    let rest = line[prefix.count...]
    guard let end = rest.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
    let name = rest[..<end]
    return name.contains(UInt8(ascii: "\\")) ? nil : String(decoding: name, as: UTF8.self)
  }

  /// How most lines of a track begin; empty where its name has to be written in another way.
  static func beginning(of track: String) -> [UInt8] {
    guard !track.utf8.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") })
    else { return [] }
    return prefix + Array(track.utf8) + Array(#"","#.utf8)
  }

  private static let prefix = Array(#"{"track":""#.utf8)

  private static func member(_ key: String, of line: [UInt8]) -> String? {
    return (try? JSONTree(line))?[key]?.string
  }
}

/// A track of a batch.
private final class BatchTrack {
  let name: ExactName
  private let beginning: [UInt8]
  private var replay: TrackReplay<RecordLines>
  private var fixes: [TrackItem] = []
  /// Gives times to fixes; nil where the caller does not ask for it.
  private var timeline: Timeline?
  private let intervalRemedy: String
  /// What became of the track; nil until it is settled.
  private(set) var outcome: TrackOutcome?

  init(_ name: String, _ request: ReplayRequest) {
    self.name = ExactName(name)
    if request.track.intervalSeconds != nil { timeline = Timeline(options: request.track) }
    intervalRemedy = request.track.intervalRemedy
    beginning = BatchLine.beginning(of: name)
    replay = TrackReplay(request, to: RecordLines(encoder: RecordEncoder(format: .ndjson, track: name)))
  }

  /// Takes the fixes of this track that are at hand, many at a time.
  func takeFixes(from input: inout LineInput, into printer: inout LinePrinter) throws(Failure) {
    guard !beginning.isEmpty else { return }
    fixes.removeAll(keepingCapacity: true)
    input.takeFixes(beginning: beginning, into: &fixes)
    try take(fixes, into: &printer)
  }

  func take(_ fixes: [TrackItem], into printer: inout LinePrinter) throws(Failure) {
    var fixes = fixes
    timeline?.apply(to: &fixes, from: 0)
    for fix in fixes { replay.take(fix) }
    try print(into: &printer)
  }

  /// Settles the track: nothing of it comes any more.
  func finish(into printer: inout LinePrinter) throws(Failure) {
    let summary = replay.finish(notes: timeline?.notes ?? [])
    if let line = replay.sink.encoder.encode(summary) { replay.sink.lines.append(line) }
    outcome = TrackOutcome(
      summary: summary, failure: timeline?.failure(file: name.text, firstPointLine: nil))
    if !summary.rejected.isEmpty, summary.tally.accepted == 0,
      summary.rejected.allSatisfy({ $0.reason == .noTime })
    {
      outcome?.failure = Timeline.noTime(file: name.text, remedy: intervalRemedy)
    }
    try print(into: &printer)
  }

  private func print(into printer: inout LinePrinter) throws(Failure) {
    try replay.sink.lines.handOn { line throws(Failure) in try printer.print(line) }
    replay.sink.lines.removeAll()
  }
}
