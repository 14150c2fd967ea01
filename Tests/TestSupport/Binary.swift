import Foundation

/// The built `locwatch`, run as a user runs it.
///
/// ```swift
/// let run = try await Binary.run(["replay", "-"], stdin: track)
/// #expect(run.status == 0, "\(run.stderr)")
/// ```
package enum Binary {
  /// What a run came to.
  package struct Result: Sendable {
    /// The exit status, or 128 plus the number of the signal that ended it, as a shell has it.
    package var status: Int32
    /// All of standard output.
    package var stdoutBytes: [UInt8]
    /// All of standard error.
    package var stderrBytes: [UInt8]
    /// The highest resident size seen while it ran, bytes (`VmHWM`, looked at every 20 ms): a lower
    /// bound, close for runs of a second or more; 0 where it ended before the first look.
    package var peakResidentBytes: Int
    /// Whether it was killed because its time was up.
    package var timedOut: Bool

    /// Standard output as text; bytes that are not UTF-8 are replaced.
    package var stdout: String { String(decoding: stdoutBytes, as: UTF8.self) }
    /// Standard error as text; bytes that are not UTF-8 are replaced.
    package var stderr: String { String(decoding: stderrBytes, as: UTF8.self) }
  }

  /// Why nothing was run.
  package struct Failure: Error, CustomStringConvertible {
    package var description: String
  }

  /// `LOCWATCH_BINARY`, else the `locwatch` that was built beside the running test bundle.
  package static let path: String = {
    let environment = ProcessInfo.processInfo.environment
    if let named = environment["LOCWATCH_BINARY"], !named.isEmpty { return PackageRoot.file(named) }
    let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return bundle.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
      + "/locwatch"
  }()

  /// The program in the same folder that is called `locwatch-` and this.
  package static func helper(_ name: String) -> String {
    (path as NSString).deletingLastPathComponent + "/locwatch-\(name)"
  }

  /// Runs the binary and waits for its end on a thread of its own, so that tests beside it go on.
  ///
  /// It sees no variable of the tests' environment but `PATH`, `LD_LIBRARY_PATH` and those of
  /// sanitizers and profiles; `HOME` does not exist, so that no state of the user is touched.
  /// When the time is up it is killed with every process it has started in its group.
  ///
  /// - Parameters:
  ///   - stdin: goes through a pipe; empty is an empty file.
  ///   - environment: set in addition.
  ///   - directory: where it runs; the package's folder by default.
  ///   - timeout: generous, because it only ends what hangs.
  ///   - executable: another program than `locwatch`.
  /// - Throws: ``Failure`` where it can't be started.
  package static func run(
    _ arguments: [String], stdin: some Sequence<UInt8> & Sendable = [], environment: [String: String] = [:],
    directory: String = PackageRoot.path, timeout: Duration = .seconds(TestPatience.seconds),
    executable: String = path
  ) async throws -> Result {
    let input = Array(stdin)
    return try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(
          with: Swift.Result {
            var child = try ChildProcess(
              executable: executable, arguments: arguments, environment: variables(adding: environment),
              directory: directory)
            return child.finish(stdin: input, timeout: timeout)
          })
      }
    }
  }

  /// As above, with text for standard input.
  package static func run(
    _ arguments: [String], stdin: String, environment: [String: String] = [:],
    directory: String = PackageRoot.path, timeout: Duration = .seconds(TestPatience.seconds),
    executable: String = path
  ) async throws -> Result {
    try await run(
      arguments, stdin: Array(stdin.utf8), environment: environment, directory: directory, timeout: timeout,
      executable: executable)
  }

  /// The home of programs under test: nothing, and nobody can make it.
  package static let home = "/dev/null/home"

  static func variables(adding more: [String: String]) -> [String] {
    var all = ProcessInfo.processInfo.environment.filter { name, _ in
      ["PATH", "LD_LIBRARY_PATH", "LLVM_PROFILE_FILE"].contains(name) || name.hasSuffix("SAN_OPTIONS")
    }
    all["HOME"] = Self.home
    all["LANG"] = "C.UTF-8"
    all.merge(more) { _, new in new }
    return all.map { "\($0)=\($1)" }.sorted()
  }
}
