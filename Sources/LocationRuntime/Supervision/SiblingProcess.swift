import Glibc
import LocationCore
import LocationFormats

/// A running program of locwatch's own that does what the daemon does not load the libraries for. Both speak lines of
/// JSON: it is told by its standard input, and says by its standard output. It ends when its input does.
struct SiblingProcess {
  private var program: ProgramStart
  private var queue = WriteQueue()
  private var lines: LineBuffer

  /// Bytes that are read at a time: most answers are short.
  private static let pieceBytes = 4_096

  /// Starts it.
  ///
  /// - Parameters:
  ///   - user: as whom; nil for the daemon's own user. Nothing but the user and the group counts.
  ///   - lineBytes: the longest line that it says.
  ///   - hasChannel: whether it passes descriptors.
  ///   - folders: open directories that it has, also where its user has no way to them.
  init(
    _ path: String, environment: [String], as user: Subscriber.Confinement? = nil, lineBytes: Int,
    hasChannel: Bool = false, folders: [Descriptor] = []
  ) throws(ProgramStart.Refusal) {
    let confinement = user.map { user in
      var confinement = Subscriber.Confinement()
      confinement.user = user.user
      confinement.group = user.group
      return confinement
    }
    program = try ProgramStart(
      command: [path], environment: environment, hasOutput: true, hasChannel: hasChannel,
      folders: folders, confinement: confinement)
    lines = LineBuffer(limit: lineBytes)
  }

  /// For `poll`; -1 where there is nothing to be written.
  var readable: Int32 { program.output?.number ?? -1 }
  var writable: Int32 { queue.isEmpty ? -1 : program.input?.number ?? -1 }
  /// Whether it has taken everything that it was told.
  var hasTakenAll: Bool { queue.isEmpty }

  /// Becomes readable when it has ended. Who keeps this and nothing else of it has closed its input.
  var pidfd: Descriptor { program.pidfd }

  /// Tells it a line, as soon as it takes one.
  mutating func say(_ line: String) { say(CollectionOfOne(line)) }

  /// Tells it lines, as soon as it takes them.
  mutating func say(_ lines: some Sequence<String>) {
    for line in lines { _ = queue.append(Array((line + "\n").utf8)) }
    send()
  }

  /// Writes what goes without waiting.
  mutating func send() { if let input = program.input { queue.send(to: input) } }

  /// Tells it no more. It sees the end of its input, and may still say something.
  mutating func closeInput() {
    program.input = nil
    queue = WriteQueue()
  }

  /// What it has said, but for lines that are no JSON, and whether it says no more.
  ///
  /// - Parameter limit: nothing more is read once there are so many lines. The rest stays in the pipe, and once that is
  ///   full the program waits.
  mutating func take(upTo limit: Int = .max) -> (lines: [JSONTree], hasEnded: Bool) {
    guard let output = program.output else { return ([], true) }
    var said: [JSONTree] = []
    let hasEnded = output.readAll(pieceBytes: Self.pieceBytes) { piece in
      lines.append(piece.span)
      lines.each { if let line = try? JSONTree(Array($0)) { said.append(line) } }
      return said.count < limit
    }
    return (said, hasEnded)
  }

  /// By which it passes descriptors; nil where it has nothing of the kind.
  var channel: Descriptor? { program.channel }

  /// The descriptors that it has passed, each with the line that came along.
  func takePassed() -> [(line: JSONTree, descriptor: Descriptor)] {
    guard let channel else { return [] }
    var all: [(line: JSONTree, descriptor: Descriptor)] = []
    var buffer = [UInt8](repeating: 0, count: Self.pieceBytes)
    while true {
      let (count, passed) = unsafe buffer.withUnsafeMutableBytes {
        unsafe PassedDescriptor.receive(from: channel, into: $0)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return all }
      guard let passed, let line = try? JSONTree(Array(buffer[..<count])) else { continue }
      all.append((line, passed))
    }
  }

  /// Kills it. Its end is not waited for.
  func kill() { program.kill() }

  /// Kills it, and waits for its end.
  func end() { program.end() }
}
