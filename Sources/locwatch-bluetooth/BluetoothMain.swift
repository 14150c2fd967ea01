import Glibc
import LocationBus
import LocationCore
import LocationFormats

/// Speaks to BlueZ for sessions of Bluetooth: `locwatch run` starts it with the first of them (rule J3).
///
/// It reads lines that each name a session by its number: `{"open":N,"device":ADDRESS,"service":UUID,
/// "characteristic":UUID}`, `{"open":N,"peripheral":{...}}`, `{"close":N}`, `{"publish":N,"characteristic":UUID,
/// "value":HEX}` and `{"answer":N,"request":R,"value":HEX}`, or with `"error":true`. Notifications of another device it
/// passes on as BlueZ gives them, as a descriptor over the channel of `LOCWATCH_FD`, with the line `{"held":N}`. It
/// writes `{"registered":N}` and `{"gone":N}` of a service of this machine, `{"asks":N,"what":WORD,...}` for what other
/// devices ask of it, and `{"trouble":TEXT}` for the log. It ends when its input does. It is a program of its own so
/// that the daemon needs no bus.
@main struct BluetoothMain {
  /// The longest line: a service of 16 characteristics with values of 512 bytes.
  private static let lineBytes = 65_536

  static func main() {
    BusProgram.run(
      "locwatch-bluetooth", see: "locwatch subscribers bluetooth", on: .system,
      tell: { say("trouble", .string("no bus of the machine: \($0)")) }, serve: serve)
  }

  private static func serve(_ bus: consuming MessageBus) throws(MessageBus.Failure) {
    var lines = LineBuffer(limit: lineBytes)
    var devices = RemoteDevices()
    var services = LocalServices()
    try BlueZ.begin(on: bus)
    while true {
      // Before what has come is taken: it asks BlueZ, and what comes meanwhile would wake nobody.
      try devices.passTime(on: bus)
      try services.passTime(on: bus)
      while let message = try bus.take() {
        if let change = try message.ownerChange() {
          try devices.noteOwner(isThere: !change.after.isEmpty, on: bus)
          try services.noteOwner(isThere: !change.after.isEmpty, on: bus)
          continue
        }
        try devices.take(message, on: bus)
        let (lost, hasNewAdapter) = devices.takeObjects()
        try services.note(lost: lost, hasNewAdapter: hasNewAdapter, on: bus)
        try services.take(message, on: bus)
      }
      fflush(nil)
      let due = [devices.deadline, services.deadline].compactMap { $0 }.min()
      let wait = due.map { Int32(clamping: max(0, $0 - BlueZ.milliseconds)) } ?? -1
      switch bus.waitForInput(atMost: wait) {
      case .bus: continue
      case .end: return
      case .bytes(let bytes): lines.append(bytes.span)
      }
      try lines.each { (line) throws(MessageBus.Failure) in
        guard let line = try? JSONTree(Array(line)) else { return }
        try devices.take(line, on: bus)
        try services.take(line, on: bus)
      }
    }
  }

  /// Says one thing.
  static func say(_ key: String, _ value: JSONTree) { say([key: value]) }

  /// Says a line.
  static func say(_ members: KeyValuePairs<String, JSONTree?>) { print(JSONTree.object(members).text) }

  /// Says something for the log.
  static func note(_ trouble: String) { say("trouble", .string(trouble)) }
}
