/// What a session of Bluetooth is about (rule J3).
public enum GattTerms: Hashable, Sendable, Codable {
  /// The notifications of a characteristic of another device.
  case central(service: String, characteristic: String)
  /// A service of this machine, which other devices use.
  case peripheral(GattService)
}

/// A service of this machine, as its program declares it.
public struct GattService: Hashable, Sendable, Codable {
  /// Its UUID, in the long form.
  public var uuid: String
  /// The name that is advertised with it; nil for none.
  public var name: String?
  /// What can be read, written or subscribed to.
  public var characteristics: [GattCharacteristic]

  public init(uuid: String, name: String? = nil, characteristics: [GattCharacteristic]) {
    self.uuid = uuid
    self.name = name
    self.characteristics = characteristics
  }
}

/// One value of a service of this machine.
public struct GattCharacteristic: Hashable, Sendable, Codable {
  /// What other devices may do with it. The raw values stand in what a program says, and are BlueZ's.
  public enum Use: String, Hashable, Sendable, Codable, CaseIterable {
    case read, write, notify
  }

  /// Its UUID, in the long form.
  public var uuid: String
  /// What other devices may do with it.
  public var uses: [Use]
  /// Its value, two hexadecimal digits a byte: reads are answered by it. Nil where its program answers each of them.
  public var value: String?

  public init(uuid: String, uses: [Use], value: String? = nil) {
    self.uuid = uuid
    self.uses = uses
    self.value = value
  }
}

/// What another device asks of a service.
public struct GattRequest: Hashable, Sendable, Codable {
  /// What is asked. The raw values are those of ``AccessoryRecord/Event``.
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    case read, write, subscribe, unsubscribe
  }

  /// What its answer names; nil where none is needed.
  public var number: Int?
  /// What is asked.
  public var kind: Kind
  /// The characteristic's UUID, in the long form.
  public var characteristic: String
  /// What is written, two hexadecimal digits a byte; nil for anything else.
  public var value: String?

  public init(number: Int? = nil, kind: Kind, characteristic: String, value: String? = nil) {
    self.number = number
    self.kind = kind
    self.characteristic = characteristic
    self.value = value
  }
}

/// The words of Bluetooth, as programs and BlueZ write them.
public enum GattText {
  /// A UUID in the long form, in small letters; nil where the text is none. Those of 16 and 32 bits are short for one
  /// with the base UUID of Bluetooth (Core 5.4, volume 3, part B, 2.5.1).
  public static func uuid(_ text: String) -> String? {
    let base = "-0000-1000-8000-00805f9b34fb"
    let letters = text.lowercased()
    guard letters.utf8.allSatisfy({ isDigit($0) || $0 == UInt8(ascii: "-") }) else { return nil }
    switch letters.utf8.count {
    case 4: return letters.contains("-") ? nil : "0000" + letters + base
    case 8: return letters.contains("-") ? nil : letters + base
    case 36:
      let parts = letters.split(separator: "-", omittingEmptySubsequences: false)
      return parts.map(\.utf8.count) == [8, 4, 4, 4, 12] ? letters : nil
    case _: return nil
    }
  }

  /// The address of a device in large letters; nil where the text is none.
  public static func address(_ text: String) -> String? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 6, parts.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy(isDigit) }) else {
      return nil
    }
    return text.uppercased()
  }

  /// The bytes of a value; nil where the text is no such value, or longer than one may be.
  public static func bytes(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count / 2 <= Limits.gattValueBytes else { return nil }
    return [UInt8](hexadecimal: digits)
  }

  /// A value as text.
  public static func text(_ bytes: some Sequence<UInt8>) -> String { String(hexadecimal: bytes) }

  private static func isDigit(_ byte: UInt8) -> Bool { byte.hexadecimalDigit != nil }
}

extension Limits {
  /// Bytes of the value of a characteristic (Core 5.4, volume 3, part F, 3.2.9).
  public static let gattValueBytes = 512
  /// Characteristics of a service of this machine.
  public static let gattCharacteristics = 16
}
