import LocationCore
import LocationFormats

/// The session with an accessory that a program opens (rule J1).
enum AccessoryAnswer {
  /// Reads the object; nil where it is none: `session` and `device` must be in it.
  static func read(from reader: inout JSONReader) throws(JSONError) -> AccessoryEvent? {
    var session: String?
    var kind: AccessoryTerms.Kind? = .serial
    var device: String?
    var baud = 9600.0
    try reader.openObject()
    while let key = try reader.nextKey() {
      switch reader.decoded(key) {
      case "session": session = try reader.string()
      case "kind": kind = AccessoryTerms.Kind(rawValue: try reader.string())
      case "device": device = try reader.string()
      case "baud": baud = try reader.number()
      case _: try reader.skip()
      }
    }
    guard let session, let kind, let device, isName(session), isPath(device), let speed = Int(exactly: baud),
      SerialLine.knows(baud: speed)
    else { return nil }
    return .open(AccessoryTerms(session: session, kind: kind, device: device, baud: speed))
  }

  private static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= SupervisorLimits.nameBytes
  }

  private static func isPath(_ text: String) -> Bool {
    text.hasPrefix("/") && text.utf8.count <= longestPath && !text.utf8.contains(0)
  }

  /// `PATH_MAX` of Linux.
  private static let longestPath = 4096
}

extension Subscriber {
  /// Whether its program may have a device opened: one that its manifest names, or any where the program could open it
  /// itself, because it runs as the daemon does.
  func mayOpen(device: String) -> Bool {
    if accessories.contains(device) { return true }
    return style != .socket && confinement?.user == nil
  }
}
