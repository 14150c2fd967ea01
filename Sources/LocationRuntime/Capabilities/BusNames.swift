import Glibc
import LocationFormats

/// Which services are on a bus, by a program that speaks to it.
struct BusNames {
  enum Bus: String {
    /// That of the user's session.
    case session
    /// That of the machine.
    case system
  }

  /// Those that run; nil where nobody can be asked, because locwatch-conditions is missing.
  private let running: [String]?
  /// Those that the bus would start.
  private let startable: [String]

  /// Asks; a bus that does not answer has none.
  init(_ bus: Bus) {
    let environment = ProgramStart.inheritedEnvironment()
    let isThere = bus == .system ? ConditionsLink.hasBus : NotifyHook.hasBus(environment: environment)
    guard isThere, let helper = SiblingProgram.executable(ConditionsLink.program) else {
      (running, startable) = (isThere ? nil : [], [])
      return
    }
    let answer = Self.answer(of: [helper, "--names", bus.rawValue], environment)
    running = answer?["running"]?.strings ?? []
    startable = answer?["startable"]?.strings ?? []
  }

  /// Whether a service runs; taken for granted where nobody can be asked.
  func runs(_ name: String) -> Bool { running?.contains(name) ?? true }

  /// Whether a service runs, or the bus would start it; taken for granted where nobody can be asked.
  func has(_ name: String) -> Bool { runs(name) || startable.contains(name) }

  /// The services whose names begin so.
  func all(beginning prefix: String) -> [String] {
    Set((running ?? []) + startable).filter { $0.hasPrefix(prefix) }.sorted()
  }

  /// What a program prints; nil where it fails, or takes too long.
  private static func answer(of command: [String], _ environment: [String]) -> JSONTree? {
    // Its standard error is not shown: the rows tell that a bus does not answer.
    guard
      let program = try? ProgramStart(
        command: command, environment: environment, hasOutput: true, hasError: true)
    else { return nil }
    var bytes: [UInt8] = []
    let end = MonotonicTime.milliseconds + patienceMilliseconds
    func waits(for descriptor: Descriptor) -> Bool {
      let left = max(0, end - MonotonicTime.milliseconds)
      return PollSet.wait(on: descriptor.number, atMost: Int32(left)) != 0
    }
    var hasEnded = false
    while !hasEnded, let output = program.output, waits(for: output) {
      hasEnded = output.readAll { piece in
        bytes += piece
        return true
      }
    }
    if hasEnded, waits(for: program.pidfd), let end = program.reap() {
      return end.status == 0 ? try? JSONTree(bytes) : nil
    }
    program.end()
    return nil
  }

  /// How long the bus may take to answer.
  private static let patienceMilliseconds: Int64 = 5_000
}
