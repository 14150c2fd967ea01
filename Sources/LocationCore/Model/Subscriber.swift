/// A program that wants to know where the machine is, and how far it may go for it.
public struct Subscriber: Hashable, Sendable, Codable {
  /// The location services a subscriber can ask for.
  public struct Services: OptionSet, Hashable, Sendable, Codable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Rule B1.
    public static let significantChange = Services(rawValue: 1)
    /// Rule B4.
    public static let regions = Services(rawValue: 2)
    /// Rule B5.
    public static let visits = Services(rawValue: 4)
    /// Rule B2.
    public static let standard = Services(rawValue: 8)
    /// Every service.
    public static let all: Services = [.significantChange, .regions, .visits, .standard]
  }

  /// The background modes a manifest can declare (rule M1). What is not declared is refused. They
  /// are listed beside `ModeState`.
  public struct Modes: OptionSet, Hashable, Sendable, Codable {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }
  }

  /// When a subscriber may be told anything at all (rule B8).
  public enum Authorization: String, Hashable, Sendable, Codable, CaseIterable {
    /// Never.
    case denied
    /// Only while it runs; nothing wakes or relaunches it.
    case whenInUse
    /// Also when that takes a wake or a relaunch.
    case always
  }

  /// How exactly a subscriber is told where the machine is (rule B8).
  public enum AccuracyAuthorization: String, Hashable, Sendable, Codable, CaseIterable {
    case full, reduced
  }

  /// How the program takes its events.
  public enum Style: String, Hashable, Sendable, Codable, CaseIterable {
    /// One long-lived process: events on standard input, answers on standard output.
    case resident
    /// One process an event; exit 0 acknowledges it.
    case oneshot
    /// A program that locwatch does not start itself: it connects to a socket and says its name.
    case socket
  }

  /// Whether only the program starts itself: style `socket`, without a command.
  public var startsItself: Bool { style == .socket && command.isEmpty }

  /// As whom a program runs, and how much it may take. What is nil is as the daemon has it.
  public struct Confinement: Hashable, Sendable, Codable {
    /// The user's name.
    public var user: String?
    /// The group's name; nil for the user's own.
    public var group: String?
    /// Bytes of memory.
    public var memoryMaxBytes: Int?
    /// Processes and threads.
    public var tasksMax: Int?
    /// Open file descriptors.
    public var descriptorsMax: Int?

    public init() {}
  }

  /// Unique among the subscribers of an engine.
  public var name: String
  /// The program and its arguments; empty for a modelled subscriber.
  public var command: [String]
  /// How it takes its events.
  public var style: Style
  /// What it asks for.
  public var services: Services
  /// What it may do in the background.
  public var modes: Modes
  /// When it may be told.
  public var authorization: Authorization
  /// How exactly it may be told.
  public var accuracy: AccuracyAuthorization
  /// Metres between two standard updates; 0 for every fix.
  public var distanceFilterMeters: Double
  /// Ids of the regions it wants to hear of; nil for all.
  public var regions: [String]?
  /// What those were called in events that may wait still; nil where none was renamed.
  public var formerRegions: [FormerRegion]?
  /// Opted out of background execution (rule A5).
  public var exitsOnSuspend: Bool
  /// What it asks of standard updates.
  @Added public var standard: StandardTerms
  /// Whether anything but the user may wake or relaunch it; if not, what happens meanwhile waits for the user.
  public var backgroundDelivery: Bool
  /// As whom its program runs, and within which limits; nil for as the daemon.
  public var confinement: Confinement?
  /// Which events of its services it is offered; nil for all.
  public var filter: OfferFilter?
  /// Seconds that the process of one event may take, for the style `oneshot`; nil for ``Limits/oneshotSeconds``.
  public var maxTimeSeconds: Double?
  /// What it asks of good moments to fetch, with the mode `fetch`; nil for the usual (rule G1).
  public var fetch: FetchTerms?
  /// The issues that it fetches, with the mode `newsstand-content`; nil where no interval brings any (rule I5).
  public var issues: IssueTerms?
  /// Where its own files are, a full path; nil for a directory that the daemon makes (rule I4).
  public var directory: String?
  /// Full paths of the devices that its program may have opened (rule J1).
  @Added public var accessories: [String] = []

  public init(
    name: String, command: [String] = [], style: Style = .resident, services: Services = .all,
    modes: Modes = [], authorization: Authorization = .always, accuracy: AccuracyAuthorization = .full,
    distanceFilterMeters: Double = 0, regions: [String]? = nil, exitsOnSuspend: Bool = false,
    standard: StandardTerms = StandardTerms(), backgroundDelivery: Bool = true
  ) {
    self.name = name
    self.command = command
    self.style = style
    self.services = services
    self.modes = modes
    self.authorization = authorization
    self.accuracy = accuracy
    self.distanceFilterMeters = distanceFilterMeters
    self.regions = regions
    self.exitsOnSuspend = exitsOnSuspend
    self.standard = standard
    self.backgroundDelivery = backgroundDelivery
  }
}

/// An id that a region had before it was renamed.
public struct FormerRegion: Hashable, Sendable, Codable {
  /// The id that it had.
  public var id: String
  /// The id of the last event that may be of it.
  public var through: Int

  /// A region that was called otherwise up to an event.
  public init(id: String, through: Int) {
    self.id = id
    self.through = through
  }

  /// Whether an event of a region is of it.
  public func covers(_ event: Int, region: String) -> Bool { region == id && event <= through }
}

/// Where a subscriber stands (rule A1). It is in exactly one of these.
public enum SubscriberState: String, Hashable, Sendable, Codable, CaseIterable {
  case notRunning
  /// In the foreground, not receiving the user's attention.
  case inactive
  /// In the foreground.
  case active
  /// Running, out of sight.
  case background
  /// In memory, running no code.
  case suspended

  /// Whether it runs code.
  public var isRunning: Bool {
    switch self {
    case .inactive, .active, .background: true
    case .notRunning, .suspended: false
    }
  }

  /// Whether the user sees it.
  public var isForeground: Bool {
    switch self {
    case .inactive, .active: true
    case .notRunning, .background, .suspended: false
    }
  }

  /// Whether the move is one of those rule A1 allows.
  public func mayBecome(_ next: SubscriberState) -> Bool {
    switch self {
    case .notRunning: next == .inactive || next == .background
    case .inactive: next == .active || next == .background || next == .notRunning
    case .active: next == .inactive || next == .notRunning
    case .background: next == .suspended || next == .inactive || next == .notRunning
    case .suspended: next == .background || next == .inactive || next == .notRunning
    }
  }
}
