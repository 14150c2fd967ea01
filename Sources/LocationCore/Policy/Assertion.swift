/// Something that holds off suspension: the second of the three ideas every background mode rests on.
public struct Assertion: Hashable, Sendable {
  /// Why it holds off suspension. A further mode adds its own.
  public enum Reason: String, Hashable, Sendable, Codable {
    /// The subscriber was handed an event and has not acknowledged it yet.
    case delivery
    /// The seconds a subscriber gets to clean up after it left the foreground (rule A2).
    case grace
    /// Work of finite length (rule C1), bounded by the task clock.
    case task
    /// An audio session that sounds (rule F1).
    case audio
  }

  /// Why it holds off suspension.
  public var reason: Reason
  /// What holds it: an event's id, a task's token; 0 where there is only one.
  public var owner = 0
  /// What the subscriber calls it; nil where it has no name.
  public var name: String?
  /// When it ends by itself; nil where it does not.
  public var end: EngineInstant?

  static func delivery(id: Int) -> Assertion { Assertion(reason: .delivery, owner: id) }

  static func grace(until end: EngineInstant) -> Assertion { Assertion(reason: .grace, end: end) }

  static func audio(token: Int, until end: EngineInstant?) -> Assertion {
    Assertion(reason: .audio, owner: token, end: end)
  }

  static func task(token: Int, name: String) -> Assertion {
    Assertion(reason: .task, owner: token, name: name)
  }
}

extension Assertion: Codable {
  private enum CodingKeys: String, CodingKey { case reason, owner, name, end }

  /// Version 0.1.0 wrote an enum with these cases.
  private enum OldKeys: String, CodingKey { case delivery, grace, task, id, until, token, name }

  public init(from decoder: any Decoder) throws {
    let cases = try decoder.container(keyedBy: OldKeys.self)
    if cases.contains(.delivery) {
      let old = try cases.nestedContainer(keyedBy: OldKeys.self, forKey: .delivery)
      self = .delivery(id: try old.decode(Int.self, forKey: .id))
    } else if cases.contains(.grace) {
      let old = try cases.nestedContainer(keyedBy: OldKeys.self, forKey: .grace)
      self = .grace(until: try old.decode(EngineInstant.self, forKey: .until))
    } else if cases.contains(.task) {
      let old = try cases.nestedContainer(keyedBy: OldKeys.self, forKey: .task)
      self = .task(
        token: try old.decode(Int.self, forKey: .token), name: try old.decode(String.self, forKey: .name))
    } else {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      reason = try values.decode(Reason.self, forKey: .reason)
      owner = try values.decode(Int.self, forKey: .owner)
      name = try values.decodeIfPresent(String.self, forKey: .name)
      end = try values.decodeIfPresent(EngineInstant.self, forKey: .end)
    }
  }
}
