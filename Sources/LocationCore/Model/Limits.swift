/// Every bound of the engine. What meets one is refused or dropped by name, never in silence.
public enum Limits {
  /// Subscribers of one engine.
  public static let subscribers = 1_000
  /// Unacknowledged events of one subscriber.
  public static let outbox = 10_000
  /// Background updates (rule B3) that wait for one subscriber: half an hour at one in 7 s. The oldest is dropped.
  public static let updates = 256
  /// Bytes that a subscriber may have kept for its next process.
  public static let preservedBytes = 65_536
  /// Seconds that the process of one event may take (style `oneshot`), where its manifest does not say: what
  /// NetworkManager gives its dispatcher scripts.
  public static let oneshotSeconds = 600.0
  /// Open finite tasks of one subscriber.
  public static let tasks = 1_000
  /// Sockets that are watched for one subscriber, however many are set (rule E4).
  public static let sockets = 16
  /// Open audio sessions of one subscriber.
  public static let audioSessions = 16
  /// Services of one subscriber that are published on the network (rule K6).
  public static let advertisedServices = 16
}
