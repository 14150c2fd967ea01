package import LocationFormats

/// Events as they are published.
package struct EventFollower {
  private let layout: FleetLayout

  package init(_ layout: FleetLayout) { self.layout = layout }

  /// Hands on every event that is kept now.
  package func all(_ body: ([UInt8]) throws(Failure) -> Void) throws(Failure) {
    let events = JetStream.Selection(stream: FleetLayout.events, subject: "event.>", from: 1)
    try layout.stream.read(events) { message, _ throws(Failure) in try body(message.payload) }
  }

  /// Hands on every event from now on, each once and in the order of the stream, also those that were published while the
  /// servers did not answer.
  ///
  /// - Throws: where the connection is closed for good, and what `body` throws.
  package func follow(_ body: ([UInt8]) throws(Failure) -> Void) throws(Failure) {
    var next: UInt64?
    while true {
      do throws(Failure) {
        if next == nil { next = try layout.stream.lastSequence(of: FleetLayout.events) + 1 }
        let all = JetStream.Selection(stream: FleetLayout.events, subject: ">", from: next)
        try layout.stream.listen(to: all) { message, place throws(Failure) in
          try body(message.payload)
          next = place.sequence + 1
        }
      } catch {
        guard !layout.stream.connection.isClosed else { throw layout.stream.connection.closure }
        guard error.code == .unavailable else { throw error }
        layout.stream.connection.tell("\(error)")
        FleetClock.pause(milliseconds: Self.pauseMilliseconds)
      }
    }
  }

  private static let pauseMilliseconds: UInt32 = 500
}
