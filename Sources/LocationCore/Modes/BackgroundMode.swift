/// A location service or background mode: what a manifest asks for it, and what it may do.
///
/// Each mode has one file in this folder with its row here, its ``Trigger``, and its own state where it has any. A
/// further mode is a further file and a further entry in ``all``; whoever raises its trigger calls
/// `Policy.offer(event:trigger:at:into:)`.
public struct BackgroundMode: Hashable, Sendable {
  /// What its launches are called; stable, as it stands in what a program is told.
  public var kind: String
  /// The services a manifest must name for it.
  public var services: Subscriber.Services
  /// The modes a manifest must name for it.
  public var modes: Subscriber.Modes = []
  /// What it may do, and for how long.
  public var trigger: Trigger

  /// Every mode there is, in the order of the documents.
  public static let all: [BackgroundMode] = [
    .significantChange, .region, .visit, .standard, .backgroundLocation,
  ]

  /// The mode whose rule this is; nil where it is no mode's.
  public static func mode(of rule: Rule) -> BackgroundMode? {
    switch rule {
    // Pauses and batches belong to standard updates.
    case .automaticPause, .deferral: .backgroundLocation
    case _: all.first { $0.trigger.rule == rule }
    }
  }
}
