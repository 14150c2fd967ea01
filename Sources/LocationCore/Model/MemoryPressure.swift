/// How short of memory the machine is.
public enum MemoryPressure: String, Hashable, Sendable, Codable, CaseIterable {
  case none, warning, critical
}
