/// An accessory as its program asks for it (rule J1).
public struct AccessoryTerms: Hashable, Sendable, Codable {
  /// How it is reached. The raw values stand in what a program says.
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// A serial line: raw, with a speed.
    case serial
    /// Another device of the USB, such as `/dev/hidraw0`, opened as it is.
    case usb
  }

  /// What its program calls the session.
  public var session: String
  /// How it is reached.
  public var kind: Kind
  /// The path of its device.
  public var device: String
  /// The speed of a serial line, bits per second.
  public var baud: Int

  /// One at the speed that most devices begin with.
  public init(session: String, kind: Kind = .serial, device: String, baud: Int = 9600) {
    self.session = session
    self.kind = kind
    self.device = device
    self.baud = baud
  }
}

/// What a program says of its accessories, or the user or the machine does to them.
public enum AccessoryEvent: Hashable, Sendable, Codable {
  /// It opens a session, in place of one of the same name (rule J1).
  case open(AccessoryTerms)
  /// It needs a session no longer.
  case close(session: String)
  /// It wants its accessories from now on, or no longer (rule J2).
  case want(Bool)
  /// The user lets it use accessories, or no longer (rule J2).
  case allow(Bool)
  /// The device of a session was opened, and its descriptor passed to the program.
  case connected(session: String)
  /// The device of a session is gone.
  case disconnected(session: String)
  /// Something can be read of a session: so many bytes, where they are known, and so many lost for want of room.
  case data(session: String, bytes: Int?, lost: Int?)
}

/// What is to be done with the device of a session.
public enum AccessoryOrder: Hashable, Sendable, Codable {
  /// Open it as soon as it is there, and pass it to the program, until told otherwise.
  case open(AccessoryTerms)
  /// Close it.
  case close
}

extension Limits {
  /// Open sessions with accessories of one subscriber.
  public static let accessories = 8
  /// Events of accessories that wait for one subscriber (rule J1).
  public static let accessoryEvents = 256
  /// Wakes in a minute for one session, after which they are merged (rule J5).
  static let accessoryWakes = 30
  /// Seconds from one wake for a session to the next while they are merged (rule J5).
  static let accessoryMergeSeconds = 2.0
}
