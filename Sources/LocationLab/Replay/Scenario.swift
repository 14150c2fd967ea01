public import LocationCore
import LocationFormats

/// What else happens during a replay, and when: to the subscribers and to the machine.
public struct Scenario: Hashable, Sendable {
  /// When a step happens.
  public enum Moment: Hashable, Sendable {
    case absolute(UTCTime)
    case afterFirstFix(seconds: Double)
  }

  /// What a step does.
  public enum Action: Hashable, Sendable {
    /// The user starts a subscriber.
    case launch(subscriber: String)
    case subscriber(name: String, SubscriberEvent)
    /// A subscriber opens a finite task and ends it after so many seconds.
    case task(subscriber: String, name: String, seconds: Double)
    /// A program answers nothing any more, or answers again.
    case hang(subscriber: String, Bool)
    case machine(MachineEvent)
    /// A call or the like begins or ends, whoever is in the foreground or sounds (rules A1 and F4).
    case call(begins: Bool)
    /// How short of memory the machine is, and how many bytes must be freed until it is not; nil where only a further
    /// step ends it (rule A4).
    case memoryPressure(MemoryPressure, freesBytes: Int64?)
    /// How a subscriber answers good moments to fetch from now on, after how many seconds, with how many bytes.
    case fetchAnswer(subscriber: String, FetchResult, seconds: Double, bytes: Int?)
    /// A subscriber says something to a mode, and its handlers take so many seconds from now on.
    case handled(subscriber: String, ModeEvent, seconds: Double)
    /// The accessory of a session is plugged in or out.
    case plug(subscriber: String, session: String, isIn: Bool)
    /// A subscriber asks for a transfer, which takes so many seconds and ends so.
    case transfer(subscriber: String, TransferTerms, ModelledTransfer)
    /// Something happens to the source of fixes.
    case source(SourceEvent)
    /// A beacon is seen.
    case beacon(BeaconEvent)
  }

  /// How a transfer goes once it runs.
  public struct ModelledTransfer: Hashable, Sendable {
    /// Bytes that it carries.
    public var bytes: Int
    /// Seconds that it runs.
    public var seconds: Double
    /// How it ends.
    public var outcome: TransferOutcome
    /// Whether the server first asks who wants it.
    public var asks: Bool
  }

  /// One thing that happens.
  public struct Step: Hashable, Sendable {
    /// When.
    public var at: Moment
    /// What happens.
    public var action: Action
  }

  /// Whether nothing is relaunched between a boot and the first unlock (rule A8); nil for what the settings say.
  public var protectUntilFirstUnlock: Bool?
  /// In the order of the file.
  public var steps: [Step] = []

  /// Whether the user launches this subscriber. It then begins the replay not running.
  func launches(_ subscriber: String) -> Bool {
    steps.contains { $0.action == .launch(subscriber: subscriber) }
  }
}
