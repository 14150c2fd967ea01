import Glibc
import LocationCore
import LocationFormats

/// Lines of JSON from the daemon, on standard input.
struct EventInput {
  private var lines = LineBuffer(limit: Self.lineBytes)
  private var hasEnded = false
  /// Whether the positions of events are made coarse here, before any kind of outlet sees them.
  var isReduced = false

  /// The longest line: far above any record.
  private static let lineBytes = 1 << 20

  /// The next one, once it is there; nil at the end.
  mutating func next() throws(SendFailure) -> JSONTree? {
    while true {
      if let tree = try pending() { return tree }
      guard !hasEnded else { return nil }
      read()
    }
  }

  /// The next one that was read already; nil where there is none.
  mutating func pending() throws(SendFailure) -> JSONTree? {
    switch lines.next() {
    case .none: return nil
    case .tooLong: throw SendFailure("a line of the daemon's is too long")
    case .line(let range):
      do throws(JSONError) {
        let line = try JSONTree(Array(lines.bytes[range]))
        return isReduced && line["type"] != nil ? ReducedLine.of(line) : line
      } catch {
        throw SendFailure("a line of the daemon's is no JSON: \(error.what)")
      }
    }
  }

  /// Whether the daemon is gone: then what it still wanted is the next one's to send.
  var isAbandoned: Bool {
    PollSet.wait(for: 0, on: STDIN_FILENO, atMost: 0) & POLLHUP != 0
  }

  /// Whether there will be no more.
  var isAtEnd: Bool { hasEnded }

  /// Reads what is there, and waits where nothing is.
  mutating func read() {
    guard let piece = DaemonPipes.read() else {
      hasEnded = true
      return
    }
    lines.append(piece.span)
  }
}
