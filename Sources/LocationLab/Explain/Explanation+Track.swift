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
    var reader = try TrackReader(head, options: request.track)
    var replay = TrackReplay(request, to: Inquiry.Ports(question: question, isOfTrack: true))
    var answer: Explanation?
    var items: [TrackItem] = []
    var hasBegun = false
    while try reader.read(into: &items) {
      for item in items {
        if let until = question.until, answer == nil, case .fix(let report) = item {
          let time = replay.time(of: report)
          if time > until, !hasBegun, report.time != nil {
            throw Failure(
              .conditionFails, file: path, what: "it begins later, at \(time.rfc3339)",
              remedy: "ask for a later time")
          }
          if time > until, hasBegun {
            try Self.prepare(&replay, path)
            replay.pass(to: until)
            try self.init(question, replay.engine, replay.sink.seen, isReached: true)
            return
          }
          hasBegun = true
        }
        replay.take(item)
        guard replay.sink.isReached, answer == nil else { continue }
        answer = try Explanation(question, replay.engine, replay.sink.seen, isReached: true)
        replay.sink.isLater = true
      }
      items.removeAll(keepingCapacity: true)
    }
    guard let event = question.event else {
      try Self.prepare(&replay, path)
      try self.init(question, replay.engine, replay.sink.seen, isReached: replay.fix == nil)
      return
    }
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
      remedy: "locwatch replay with the same options tells the ids of records")
  }
}
