import LocationCore
import LocationFormats

#if canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The program that stands on the user's bus for whoever had an audio session last, so that keys and headsets reach it
/// (rule F5). It is started with the first session.
struct PlayerLink {
  /// Who is commanded, and what the desktop is told of it.
  struct Player: Equatable {
    var name: String
    /// `Playing`, `Paused` or `Stopped`, as MPRIS has it.
    var status: String
  }

  private let environment: [String]
  private var program: ProgramStart?
  private var queue = WriteQueue()
  private var lines = LineBuffer(limit: 4_096)
  private var told: Player?
  private var hasFailed = false

  init(environment: [String]) { self.environment = environment }

  /// The program, beside this one; nil where it is not there, or there is no bus.
  static func helper(environment: [String]) -> String? {
    guard NotifyHook.hasBus(environment: environment), let path = SiblingProgram.path("locwatch-player"),
      unsafe access(path, X_OK) == 0
    else { return nil }
    return path
  }

  /// Who is commanded from now on; nil where nobody is.
  mutating func align(_ player: Player?) {
    guard player != told else { return }
    told = player
    guard let player else { return end() }
    if program == nil, !hasFailed { start() }
    var line = JSONLine()
    line.open()
    line.member("player", player.name)
    line.member("status", player.status)
    line.close()
    guard let program else { return }
    _ = queue.append(line.bytes + [UInt8(ascii: "\n")])
    queue.send(to: program.input)
  }

  private mutating func start() {
    guard let path = Self.helper(environment: environment) else { return }
    program = try? ProgramStart(
      command: [path], environment: environment, hasOutput: true, cgroup: nil, noting: { _ in })
    hasFailed = program == nil
    queue = WriteQueue()
  }

  /// Ends it.
  mutating func end() {
    guard let program else { return }
    kill(-program.pid, SIGKILL)
    while program.reap() == nil { _ = poll(nil, 0, 1) }
    self.program = nil
  }

  /// Adds what `poll` is to wait for; ``take(_:)`` takes it back.
  func watch(_ entries: inout [pollfd]) {
    entries.append(pollfd(fd: program?.output?.number ?? -1, events: Int16(POLLIN), revents: 0))
  }

  /// What the user commands. A program that has ended is not started again in this run: its bus is gone.
  mutating func take(_ entries: ArraySlice<pollfd>) -> [String] {
    guard entries.first?.revents != 0, let output = program?.output else { return [] }
    var commands: [String] = []
    var piece = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = unsafe piece.withUnsafeMutableBytes { unsafe SystemCall.readBytes(output.number, $0) }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { break }
      guard count > 0 else {
        hasFailed = true
        end()
        break
      }
      lines.append(piece.span.extracting(0..<count))
      while case .line(let range) = lines.next() {
        var reader = JSONReader(Array(lines.bytes[range]))
        if let command = (try? JSONTree(&reader))?["command"]?.text(or: nil) { commands.append(command) }
      }
    }
    return commands
  }
}
