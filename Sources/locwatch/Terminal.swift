import ArgumentParser
import LocationFormats
import LocationRuntime

#if canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The three standard streams as a person or a pipe sees them.
enum Terminal {
  enum Stream: Int32 {
    case output = 1
    case error = 2
  }

  /// Whether a person looks at the stream.
  static func isTerminal(_ stream: Stream) -> Bool { isatty(stream.rawValue) == 1 }

  /// Whether the user wants nothing set off by colour or weight (https://no-color.org).
  static var wantsNoColor: Bool {
    guard let value = unsafe getenv("NO_COLOR") else { return false }
    return unsafe value.pointee != 0
  }

  /// Says what went wrong, in one line.
  static func report(_ failure: Failure) {
    do throws(Failure) {
      try OutputFile.standardError.write(Array("locwatch: \(failure)\n".utf8))
    } catch {
      // Where nobody listens, the exit status still tells.
    }
  }

  /// Says what went wrong and returns the exit status for it.
  static func exit(for failure: Failure) -> ExitCode {
    report(failure)
    return ExitCode(failure.code.rawValue)
  }
}
