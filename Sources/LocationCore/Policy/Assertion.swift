/// Something that holds off suspension: the second of the three ideas every background mode rests on.
public enum Assertion: Hashable, Sendable, Codable {
  /// Handed to the subscriber and not acknowledged yet.
  case delivery(id: Int)
  /// The seconds a subscriber gets to clean up after it left the foreground (rule A2).
  case grace(until: EngineInstant)
  /// Work of finite length (rule C1); its budget runs once the subscriber is in the background.
  case task(token: Int, name: String)
}
