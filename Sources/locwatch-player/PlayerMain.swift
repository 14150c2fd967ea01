import Glibc
import LocationBus
import LocationCore

/// Stands on the user's bus for the program whose audio session was last: `locwatch run` starts it. A program that is
/// suspended, or is not there, could not answer the desktop (rule F5).
///
/// It reads lines `{"player":NAME,"status":"Playing"}`, and writes `{"command":"pause"}` for what the user commands. It
/// ends when its input does. It is a program of its own so that the daemon needs no bus.
@main struct PlayerMain {
  static func main() {
    BusProgram.run("locwatch-player", see: "locwatch subscribers", on: .session, serve: serve)
  }

  private static func serve(_ bus: consuming MessageBus) throws(MessageBus.Failure) {
    var lines = LineBuffer(limit: 4_096)
    var player: MediaPlayer?
    try bus.serve { (message) throws(MessageBus.Failure) in
      guard let player else { return }
      if let command = try player.take(message, on: bus) { print("{\"command\":\"\(command)\"}") }
    } input: { (bytes) throws(MessageBus.Failure) in
      lines.append(bytes.span)
      try lines.each { (line) throws(MessageBus.Failure) in
        guard let next = Self.player(Array(line)) else { return }
        try become(next, from: player, on: bus)
        player = next
      }
    }
  }

  private static func become(
    _ next: MediaPlayer, from old: MediaPlayer?, on bus: borrowing MessageBus
  ) throws(MessageBus.Failure) {
    if old?.busName != next.busName {
      if let old { try bus.release(name: old.busName) }
      try bus.request(name: next.busName)
    }
    if old?.status != next.status { try next.announce(on: bus) }
  }

  /// What a line says; nil where it is none.
  private static func player(_ line: [UInt8]) -> MediaPlayer? {
    var name = ""
    var status = "Stopped"
    var reader = JSONReader(line)
    do throws(JSONError) {
      try reader.openObject()
      while let key = try reader.nextKey() {
        switch reader.decoded(key) {
        case "player": name = try reader.string()
        case "status": status = try reader.string()
        case _: try reader.skip()
        }
      }
    } catch {
      return nil
    }
    return name.isEmpty ? nil : MediaPlayer(name: name, status: status)
  }
}
