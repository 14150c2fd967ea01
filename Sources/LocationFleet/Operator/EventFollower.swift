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

  /// Hands on every event from now on, for as long as the connection lasts.
  package func follow(_ body: ([UInt8]) throws(Failure) -> Void) throws(Failure) {
    let messages = try layout.stream.connection.subscribe("event.>")
    while true {
      guard let message = try messages.next(milliseconds: 60_000) else { continue }
      if message.status == 0 { try body(message.payload) }
    }
  }
}
