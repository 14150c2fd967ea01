import Glibc
import LocationBus

/// Runs in a user's session, and tells the daemon when the screen is locked and unlocked (rules A2 and A8): it listens to
/// logind on the machine's bus and runs `locwatch lock` and `locwatch unlock`, with the arguments it got itself.
///
/// It is a program of its own so that the daemon needs no bus. It waits for signals and does nothing else.
@main struct SessionMain {
  private static let help = """
    Tells the locwatch daemon when this user's screen is locked and unlocked.

    usage: locwatch-session [--state FILE]

    It runs until the session ends. Start it with the session:
      systemctl --user enable --now locwatch-session

    """

  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments == ["--help"] || arguments == ["-h"] { return print(help, terminator: "") }
    guard arguments.isEmpty || arguments.count == 2 && arguments[0] == "--state" else {
      complain("usage: locwatch-session [--state FILE]")
      exit(EX_USAGE)
    }
    do throws(MessageBus.Failure) {
      var screen = try Screen(user: getuid())
      var told: Bool?
      var pauseSeconds = shortestPauseSeconds
      while true {
        guard let isLocked = screen.isLocked, isLocked != told else {
          pauseSeconds = shortestPauseSeconds
          try screen.wait()
          continue
        }
        if tell(isLocked ? "lock" : "unlock", arguments) {
          told = isLocked
        } else {
          // The daemon may be starting. It would believe the machine to be locked until the next unlock.
          try screen.wait(within: pauseSeconds)
          pauseSeconds = min(2 * pauseSeconds, longestPauseSeconds)
        }
      }
    } catch {
      complain("logind can't be asked: \(error); is its bus there?")
      exit(EX_UNAVAILABLE)
    }
  }

  /// Seconds until what could not be told is told again, doubled each time.
  private static let shortestPauseSeconds: UInt64 = 5
  private static let longestPauseSeconds: UInt64 = 300

  /// Runs a command of locwatch and waits for it; false where it failed. What goes wrong it says itself.
  private static func tell(_ command: String, _ arguments: [String]) -> Bool {
    // The locwatch beside this program: the one of the same release.
    var link = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink("/proc/self/exe", &link, link.count - 1)
    guard count > 0 else {
      complain("this program's own path is not known")
      return false
    }
    let own = String(decoding: link.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let program = own.prefix(through: own.lastIndex(of: "/") ?? own.startIndex) + "locwatch"
    var words = unsafe ([String(program), command] + arguments).map { unsafe strdup($0) } + [nil]
    defer { while let word = unsafe words.popLast() { unsafe free(word) } }
    var child: pid_t = 0
    let code = unsafe posix_spawn(&child, String(program), nil, nil, &words, environ)
    guard code == 0 else {
      complain("\(program): \(unsafe String(cString: strerror(code)))")
      return false
    }
    var status: Int32 = 0
    while unsafe waitpid(child, &status, 0) == -1, errno == EINTR {}
    let end = status & 0x7F == 0 ? status >> 8 & 0xFF : -1
    // Where no daemon runs there is nobody to lock.
    return end == 0 || command == "lock" && end == EX_UNAVAILABLE
  }

  private static func complain(_ text: String) {
    let line = "locwatch-session: \(text)\n"
    _ = unsafe line.utf8.withContiguousStorageIfAvailable {
      unsafe write(STDERR_FILENO, $0.baseAddress, $0.count)
    }
  }
}
