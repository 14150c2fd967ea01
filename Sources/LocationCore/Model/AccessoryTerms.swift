/// An accessory as its program asks for it (rule J1).
public struct AccessoryTerms: Hashable, Sendable, Codable {
  /// How it is reached. The raw values stand in what a program says.
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// A serial line: raw, with a speed.
    case serial
    /// Another device of the USB, such as `/dev/hidraw0`, opened as it is.
    case usb
    /// Bluetooth: characteristics of GATT, through BlueZ (rule J3).
    case gatt
  }

  /// What its program calls the session.
  public var session: String
  /// How it is reached.
  public var kind: Kind
  /// The path of its device; the address of one of Bluetooth, empty for a service of this machine.
  public var device: String
  /// The speed of a serial line, bits per second.
  public var baud: Int
  /// What a session of Bluetooth is about; nil for any other.
  public var gatt: GattTerms?

  /// One at the speed that most devices begin with.
  public init(session: String, kind: Kind = .serial, device: String, baud: Int = 9600) {
    self.session = session
    self.kind = kind
    self.device = device
    self.baud = baud
  }

  /// A session of Bluetooth.
  ///
  /// - Parameter device: the address of the other device; empty for a service of this machine.
  public init(session: String, device: String = "", gatt: GattTerms) {
    self.init(session: session, kind: .gatt, device: device)
    self.gatt = gatt
  }

  /// The rule that grants its session.
  var rule: Rule { kind == .gatt ? .bluetooth : .accessory }
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
  /// The user lets it use Bluetooth, or no longer (rule J3a).
  case permitBluetooth(Bool)
  /// Another device asks for something of a service (rule J3).
  case request(session: String, GattRequest)
  /// The program gives the value of a characteristic of its service, two hexadecimal digits a byte.
  case publish(session: String, characteristic: String, value: String)
  /// The helper that held its Bluetooth sessions has ended: they are opened again, and nothing is reported.
  case anew
}

/// What is to be done with the device of a session.
public enum AccessoryOrder: Hashable, Sendable, Codable {
  /// Open it as soon as it is there, and pass it to the program, until told otherwise.
  case open(AccessoryTerms)
  /// Close it.
  case close
  /// Give the value of a characteristic to those who read it or have subscribed to it.
  case publish(characteristic: String, value: String)
}
