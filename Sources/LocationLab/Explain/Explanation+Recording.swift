import LocationCore
package import LocationFormats
import LocationRuntime

extension Explanation {
  /// The answer that a recording holds.
  ///
  /// - Throws: ``Failure`` of code 65 where the file is no recording, of code 1 where it holds nothing of that moment
  ///   or what is asked about was not there then.
  package init(_ question: Question, recording path: String) throws(Failure) {
    let head = try InputHead(path: path)
    guard head.isRecording else {
      throw Failure(
        .data, file: path, what: "not a recording",
        remedy: "locwatch explain --track \(path) explains a track")
    }
    var reader = try JournalReader(head)
    var inquiry: Inquiry
    if let snapshot = reader.snapshot {
      inquiry = try Inquiry(question, from: snapshot)
    } else {
      inquiry = Inquiry(question, configuration: reader.configuration)
    }
    var answer: Explanation?
    var batch: [Stamped] = []
    var begins = inquiry.engine.tally.last?.time
    while try reader.read(into: &batch) {
      for stamped in batch {
        guard answer == nil else {
          inquiry.takeLater(stamped)
          continue
        }
        if begins == nil { begins = inquiry.time(of: stamped) }
        if let until = question.until, let begins, until < begins {
          throw Failure(
            .conditionFails, file: path, what: "it begins later, at \(begins.rfc3339)",
            remedy: "ask for a later time")
        }
        let progress = inquiry.take(stamped)
        guard progress != .before else { continue }
        let found = try Explanation(question, inquiry)
        // What follows from an event may come later; from a time nothing does.
        guard question.event != nil else {
          self = found
          return
        }
        answer = found
        if progress == .between { inquiry.takeLater(stamped) }
      }
    }
    inquiry.endEvents()
    guard inquiry.engine.instant > .distantPast else {
      throw Failure(
        .conditionFails, file: path, what: "nothing has been recorded in it",
        remedy: "locwatch watch --record and locwatch run --record write recordings")
    }
    if let event = question.event, inquiry.seen.subject == nil { throw Self.unknown(event) }
    if let answer {
      self = answer
    } else {
      try self.init(question, inquiry)
    }
    decisions = inquiry.seen.consequences.map { JSONTree($0) }
  }
}
