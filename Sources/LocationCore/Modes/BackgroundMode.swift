/// A location service or background mode: what a manifest asks for it, and what it may do.
///
/// Each mode has one file in this folder with its rows here, their ``Trigger``s, and its own state where it has any. A
/// further mode is a further file, and its entries beside ``ModeState``. A location service raises its trigger by
/// `Policy.offer(event:trigger:at:into:)`, and any other mode by a ``ModeCall``.
public struct BackgroundMode: Hashable, Sendable {
  /// What its trigger is called in the documents.
  public var name: String
  /// What its launches are called; stable, as it stands in what a program is told.
  public var kind: String
  /// The services a manifest must name for it.
  public var services: Subscriber.Services = []
  /// The modes of which a manifest must name one for it (rule M1).
  public var modes: Subscriber.Modes = []
  /// What it may do, and for how long.
  public var trigger: Trigger

  /// The mode whose rule this is; nil where it is no mode's.
  public static func mode(of rule: Rule) -> BackgroundMode? {
    // Pauses and batches belong to standard updates.
    if rule == .automaticPause || rule == .deferral { return .backgroundLocation }
    // A silent push that had to wait is a push.
    if rule == .silentPush { return .push }
    return all.first { $0.trigger.rule == rule }
  }
}
