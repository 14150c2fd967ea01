import Glibc

/// What happens where a person starts a program that is for the daemon alone. It lies in the path all the same.
package enum StartByHand {
  /// Ends the program where it was started with an argument, or at a terminal, and says who starts it.
  ///
  /// - Parameters:
  ///   - name: of the program.
  ///   - command: whose help tells of what it is for.
  package static func endProgram(_ name: String, see command: String) {
    let words = CommandLine.arguments.dropFirst()
    guard !words.isEmpty || isatty(STDIN_FILENO) == 1 else { return }
    let isAsked = words.first == "--help" || words.first == "-h"
    let line = Array("\(name) is started by locwatch run; see: \(command) --help\n".utf8)
    _ = unsafe line.withUnsafeBytes {
      unsafe write(isAsked ? STDOUT_FILENO : STDERR_FILENO, $0.baseAddress, $0.count)
    }
    exit(isAsked ? 0 : EX_USAGE)
  }
}
