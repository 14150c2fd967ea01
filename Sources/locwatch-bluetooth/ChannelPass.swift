import CSpawn
import Glibc
import LocationFormats

/// The channel by which descriptors are passed to the daemon: the one file that speaks to CSpawn.
enum ChannelPass {
  /// Passes a descriptor with a line that names its session, and closes it here; whether there was room.
  static func pass(_ descriptor: Int32, held session: Int) -> Bool {
    defer { close(descriptor) }
    let line = JSONTree.object(["held": .integer(session)]).text
    let bytes = Array(line.utf8)
    return unsafe bytes.withUnsafeBytes {
      unsafe locwatch_send(Int32(LOCWATCH_CHANNEL), $0.baseAddress, $0.count, descriptor) == $0.count
    }
  }
}
