public import LocationCore

/// Where an ``EngineHost`` hands effects to, after the commit.
@usableFromInline package protocol EffectPorts: ~Copyable {
  /// Something beside the engine's effects that is to be done in order with them; `Never` where there is none.
  associatedtype Action = Never

  /// Shows or collects a record.
  mutating func receive(_ record: Record)
  /// Hands an event to a subscriber.
  ///
  /// - Parameter line: its record; see ``EngineJournal/line(of:)``.
  mutating func deliver(_ event: Int, _ line: [UInt8], to subscriber: String, because cause: Order.Cause)
  /// Carries out another order for a subscriber.
  mutating func receive(_ order: Order)
  /// Carries out an order to the receiver. What came of it returns to the host as an event.
  mutating func receive(_ order: ReceiverOrder)
  /// Does something that was added with ``EngineHost/add(_:)``.
  mutating func perform(_ action: Action)
}

extension EffectPorts where Self: ~Copyable {
  /// For ports that need no line.
  @inlinable package mutating func deliver(
    _ event: Int, _ line: [UInt8], to subscriber: String, because cause: Order.Cause
  ) {
    receive(.deliver(subscriber: subscriber, event: event, cause))
  }
  /// Without subscribers there are no orders for them.
  @inlinable package mutating func receive(_ order: Order) {}
  /// A receiver that is always on is not switched.
  @inlinable package mutating func receive(_ order: ReceiverOrder) {}
}

extension EffectPorts where Self: ~Copyable, Action == Never {
  /// There are no such actions.
  @inlinable package mutating func perform(_ action: Never) {}
}
