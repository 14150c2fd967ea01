/// A transfer as the engine knows it (rule I1). Where from, where to and with which headers only those know who carry it
/// out.
public struct TransferTerms: Hashable, Sendable, Codable {
  /// Which way it goes. The raw values stand in what a program says.
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// A file comes here.
    case get
    /// A file goes there.
    case put
  }

  /// What its program calls the transfers that belong together.
  public var session: String
  /// Which way it goes.
  public var kind: Kind
  /// Whether it waits for mains, an unmetered network and a machine that has the time (rule I1a).
  public var isDiscretionary = false
  /// Whether the end of its session wakes or relaunches the program (rule I2).
  public var launchesEvents = true
  /// Whether a network that counts what it carries will do.
  public var metered = false

  /// One that hurries.
  public init(session: String, kind: Kind = .get) {
    self.session = session
    self.kind = kind
  }
}

/// What is to be done with a transfer.
public enum TransferOrder: String, Hashable, Sendable, Codable {
  /// Begin it, or go on where it was.
  case start
  /// Stop it, and keep what has come.
  case pause
  /// Stop it, and keep nothing.
  case cancel
}
