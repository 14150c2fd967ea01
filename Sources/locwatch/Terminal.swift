import ArgumentParser
import Glibc
import LocationCore
import LocationFormats
import LocationRuntime

/// The standard streams.
enum Terminal {
  enum Stream: Int32 {
    case output = 1
    case error = 2
  }

  /// Whether the stream is a terminal.
  static func isTerminal(_ stream: Stream) -> Bool { isatty(stream.rawValue) == 1 }

  /// Whether the user asks for plain text without colours (https://no-color.org).
  static var wantsNoColor: Bool {
    guard let value = unsafe getenv("NO_COLOR") else { return false }
    return unsafe value.pointee != 0
  }

  /// How many characters a line of the terminal has; nil where the stream is none.
  static func columns(_ stream: Stream) -> Int? {
    var size = winsize()
    guard isTerminal(stream), unsafe ioctl(stream.rawValue, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
    return Int(size.ws_col)
  }

  /// How texts are written to standard output.
  static func style(_ units: MeasureUnits) -> TextStyle {
    let isPlain = wantsNoColor || EnvironmentVariable.value("TERM") == "dumb"
    return TextStyle(
      units: units, columns: columns(.output), isColored: isTerminal(.output) && !isPlain)
  }

  /// A text with its lines broken at the width of a terminal; anywhere else as it is.
  static func wrapped(_ text: String, on stream: Stream) -> String {
    columns(stream).map { TextWrap.wrap(text, width: $0) } ?? text
  }

  /// Prints a failure in one line on standard error.
  static func report(_ failure: Failure) {
    do throws(Failure) {
      try OutputFile.standardError.write(Array(wrapped("locwatch: \(failure)\n", on: .error).utf8))
    } catch {
      // Standard error is closed: the exit status is all that is left.
    }
  }

  /// Prints a failure and returns its exit status.
  static func exit(for failure: Failure) -> ExitCode {
    report(failure)
    return ExitCode(failure.code.rawValue)
  }

  /// Prints warnings on standard error.
  static func warn(_ lines: [String]) {
    for line in lines.prefix(shownWarnings) { note("warning: \(line)") }
    if lines.count > shownWarnings { note("warning: \(lines.count - shownWarnings) more warnings") }
  }

  private static let shownWarnings = 100

  /// Prints one line on standard error.
  static func note(_ line: String) {
    do throws(Failure) {
      let text = wrapped("locwatch: \(TextTable.cell(line))\n", on: .error)
      try OutputFile.standardError.write(Array(text.utf8))
    } catch {
      // Standard error is closed: the exit status is all that is left.
    }
  }

  /// Writes text to standard output. On a terminal its lines are broken between words.
  ///
  /// - Parameter asIs: whether no line is broken, because the text is for programs too.
  static func print(_ text: String, asIs: Bool = false) throws(Failure) {
    let isForPrograms = asIs || text.hasPrefix("{")
    try OutputFile(path: "-").write(Array((isForPrograms ? text : wrapped(text, on: .output)).utf8))
  }

  /// Ends the program as soon as nobody reads its standard output any more. Without this it would notice only when it
  /// has something to print.
  static func endWithReader() {
    _ = DedicatedThread.start {
      var come: Int32 = 0
      while come == 0 { come = PollSet.wait(for: 0, on: STDOUT_FILENO, atMost: -1) }
      guard come & (POLLERR | POLLHUP) != 0 else { return }
      _ = signal(SIGPIPE, SIG_DFL)
      kill(getpid(), SIGPIPE)
    }
  }

  /// Runs a command's work; prints a failure in one line and turns it into the exit status.
  static func reporting(_ work: () throws(Failure) -> Void) throws {
    do throws(Failure) {
      try work()
    } catch {
      throw exit(for: error)
    }
  }
}
