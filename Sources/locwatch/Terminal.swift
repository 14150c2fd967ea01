import ArgumentParser
import LocationFormats
import LocationRuntime

#if canImport(Musl)
  import Musl
#else
  import Glibc
#endif

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

  /// Prints a failure in one line on standard error.
  static func report(_ failure: Failure) {
    do throws(Failure) {
      try OutputFile.standardError.write(Array("locwatch: \(failure)\n".utf8))
    } catch {
      // Standard error is closed: the exit status is all that is left.
    }
  }

  /// Prints a failure and returns its exit status.
  static func exit(for failure: Failure) -> ExitCode {
    report(failure)
    return ExitCode(failure.code.rawValue)
  }
}
