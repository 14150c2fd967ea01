import LocationCore
package import LocationFormats
import LocationRuntime

extension Explanation {
  /// The answer that a track gives, replayed with the regions, programs and settings of a request. Ids are those of
  /// such a replay.
  ///
  /// - Throws: ``Failure`` as the reader of the track does, and of code 1 where it holds nothing of that moment or what
  ///   is asked about was not there then.
  package init(_ question: Question, track path: String, _ request: ReplayRequest) throws(Failure) {
    let head = try InputHead(path: path, gpsbabel: request.track.gpsbabel)
    guard !head.isRecording else {
      throw Failure(.usage, file: path, what: "a recording, no track", remedy: "name it without --track")
    }
    var request = request
    request.configuration = request.configuration.explaining(question.region)
    var track = TrackAhead(try TrackReader(head, options: request.track))
    var replay = TrackReplay(request, to: Inquiry.Ports(question: question, isOfTrack: true))
    var answer: Explanation?
    var hasBegun = false
    var isMisdated = false
    while let item = try track.next() {
      if let until = question.until, answer == nil, case .fix(let report) = item {
        let time = replay.time(of: report)
        let isLater = time > until && report.time.map { $0 > until } ?? true
        if isLater, !isMisdated, replay.fix == nil, report.time != nil {
          // Nothing says yet whether its date is right; the replay believes it in any case.
          isMisdated = try track.hasReport(until: until)
        }
        if isLater, !isMisdated, !hasBegun, report.time != nil {
          throw Failure(
            .conditionFails, file: path, what: "it begins later, at \(time.rfc3339)",
            remedy: "ask for a later time")
        }
        if isLater, !isMisdated, hasBegun {
          try Self.prepare(&replay, path)
          replay.pass(to: until)
          try self.init(question, replay.engine, replay.sink.seen, isReached: true)
          return
        }
        if !isLater { isMisdated = false }
        hasBegun = hasBegun || !isMisdated
      }
      if case .fix(let report) = item, question.event != nil, answer == nil {
        answer = try Self.answer(question, &replay, before: report)
      }
      replay.take(item)
      guard replay.sink.isReached, answer == nil else { continue }
      answer = try Explanation(question, replay.engine, replay.sink.seen, isReached: true)
      replay.sink.isLater = true
    }
    guard let event = question.event else {
      try Self.prepare(&replay, path)
      try self.init(question, replay.engine, replay.sink.seen, isReached: replay.fix == nil)
      return
    }
    if answer == nil { answer = try Self.answer(question, &replay, before: nil) }
    _ = replay.finish(notes: [])
    guard replay.sink.seen.subject != nil else { throw Self.unknown(event, in: path) }
    if let answer {
      self = answer
    } else {
      try Self.prepare(&replay, path)
      try self.init(question, replay.engine, replay.sink.seen, isReached: true)
    }
    decisions = replay.sink.seen.consequences.map { JSONTree($0) }
  }

  /// The answer of the moment where the record that is asked about is made by a deadline, a program or a step of the
  /// scenario before a report, or before the end; nil where it is not.
  private static func answer(
    _ question: Question, _ replay: inout TrackReplay<Inquiry.Ports>, before report: FixReport?
  ) throws(Failure) -> Explanation? {
    while replay.takeNextDue(before: report) {
      guard replay.sink.isReached else { continue }
      let answer = try Explanation(question, replay.engine, replay.sink.seen, isReached: true)
      replay.sink.isLater = true
      return answer
    }
    return nil
  }

  /// Puts the regions and programs in place at the time of the last report, where no fix was believed that would have.
  private static func prepare(
    _ replay: inout TrackReplay<Inquiry.Ports>, _ path: String
  ) throws(Failure) {
    guard replay.fix == nil else { return }
    guard let report = replay.sink.seen.report else {
      throw Failure(
        .conditionFails, file: path, what: "it holds no report with a time until then",
        remedy: "ask for a later time, or for another track")
    }
    replay.prepare(at: report.time)
  }

  private static func unknown(_ event: Int, in path: String) -> Failure {
    Failure(
      .conditionFails, file: path, what: "nothing has the id \(event) in it",
      remedy: "a replay with the same options tells the ids of records")
  }
}

/// A track of which one can look at what comes.
private struct TrackAhead: ~Copyable {
  private var reader: TrackReader
  private var items: [TrackItem] = []
  private var taken = 0

  /// So many items may be kept for it.
  private static let mostItems = 100_000

  init(_ reader: consuming TrackReader) { self.reader = reader }

  /// The next item; nil at the end.
  mutating func next() throws(Failure) -> TrackItem? {
    if taken == items.count {
      taken = 0
      items.removeAll(keepingCapacity: true)
      guard try reader.read(into: &items) else { return nil }
    }
    taken += 1
    return items[taken - 1]
  }

  /// Whether a report of a time or of an earlier one is to come; nothing is taken.
  mutating func hasReport(until: UTCTime) throws(Failure) -> Bool {
    items.removeFirst(taken)
    taken = 0
    var lookedAt = 0
    var batch: [TrackItem] = []
    while true {
      while lookedAt < items.count {
        if case .fix(let report) = items[lookedAt], let time = report.time, time <= until { return true }
        lookedAt += 1
      }
      guard items.count < Self.mostItems, try reader.read(into: &batch) else { return false }
      items += batch
    }
  }
}
