import Glibc
import LocationCore
import LocationFormats

/// Asks which distributors of pushes (UnifiedPush) are on the user's bus, by the program that speaks to it.
enum PushProbe {
  /// Their bus names; nil where there is no bus, or no such program.
  static var distributors: [String]? {
    let environment = ProgramStart.inheritedEnvironment()
    guard NotifyHook.hasBus(environment: environment),
      let helper = SiblingProgram.executable("locwatch-push"),
      let program = try? ProgramStart(
        command: [helper, "--distributors"], environment: environment, hasOutput: true)
    else { return nil }
    var lines = LineBuffer(limit: lineBytes)
    var names: [String] = []
    while let output = program.output, waits(for: output) {
      let hasEnded = output.readAll { piece in
        lines.append(piece.span)
        lines.each { names.append(String(decoding: $0, as: UTF8.self)) }
        return true
      }
      guard hasEnded, waits(for: program.pidfd) else { continue }
      return program.reap()?.status == 0 ? names : nil
    }
    program.end()
    return nil
  }

  private static func waits(for descriptor: Descriptor) -> Bool {
    PollSet.wait(on: descriptor.number, atMost: patienceMilliseconds) != 0
  }

  /// How long the bus may take to answer.
  private static let patienceMilliseconds: Int32 = 5_000
  /// Bytes of a bus name and its end (the D-Bus specification, "Valid Names").
  private static let lineBytes = 256
}
