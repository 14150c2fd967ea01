public struct RegionConfiguration: Hashable, Sendable, Codable { public init() {} }
public enum RegionError: Error { case bad }
public struct RegionEvent: Hashable, Sendable, Codable {
  public enum Kind: Hashable, Sendable, Codable {
    case enter, exit, dwell, cross
    case state(RegionState)
  }
  public enum Reason: String, Hashable, Sendable, Codable { case held, clear, initial }
  public var kind: Kind
  public var region: String
  public var visit: Int
  public var instant: EngineInstant
  public var fix: Fix
  public var edgeMeters: Double
  public var confidence: Double
  public var reason: Reason
  public var insideSeconds: Double?
}
public struct RegionMonitor: ~Copyable {
  public struct Snapshot: Hashable, Sendable, Codable {}
  init(configuration: RegionConfiguration) {}
  init(configuration: RegionConfiguration, restoring: Snapshot) throws(RegionError) {}
  var snapshot: Snapshot { Snapshot() }
  mutating func add(_ region: Region) throws(RegionError) {}
  mutating func remove(id: String) {}
  mutating func observe(_ fix: Fix, into: inout [RegionEvent]) {}
  mutating func noteGap() {}
  var nextDeadline: EngineInstant? { nil }
  mutating func advance(to: EngineInstant, into: inout [RegionEvent]) {}
  func state(of id: String) -> RegionState? { nil }
}
