import Glibc
import LocationCore
package import LocationFormats

/// The file that node_exporter's textfile collector, or anyone, reads the metrics from. Readers see the old file or the
/// new one, never a part.
package struct MetricsFile {
  let path: String
  private var writtenAt: EngineInstant?
  /// What had happened then.
  private var writtenMark: [Int] = []
  /// When what has happened since is written; nil where nothing has.
  private var laterAt: EngineInstant?
  /// When the fixes that it tells of are old, unless others come; nil where it says so already.
  private var staleAt: EngineInstant?
  private var hasComplained = false

  /// Prometheus scrapes no more often by default than every minute; 15 s is what most set.
  private static let seconds = 15.0

  init(_ path: String) { self.path = path }

  /// Refuses a path at which it can't be written. A file that is there is replaced, and need not be writable; a device,
  /// a pipe or a socket is not to be lost for it.
  ///
  /// - Throws: `.usage` where it is empty, `.cantCreate`.
  package static func refuseUnwritable(_ path: String) throws(Failure) {
    guard !path.isEmpty else {
      throw Failure(.usage, what: "--metrics names no file", remedy: "name one, or leave the option out")
    }
    let kind = StatePath.status(path).map { $0.st_mode & S_IFMT }
    if let kind, ![S_IFREG, S_IFLNK, S_IFDIR].contains(kind) {
      throw Failure(
        .cantCreate, file: path, what: "is no plain file, and would be replaced",
        remedy: "name another with --metrics")
    }
    let isFile = kind == S_IFREG || kind == S_IFLNK
    try OutputFile.refuseUnwritable(isFile ? draft(of: path) : path)
  }

  private static func draft(of path: String) -> String { path + ".new" }

  /// When it is to be written though nothing happens before; nil where it need not be.
  var dueAt: EngineInstant? { EngineInstant.earlier(laterAt, staleAt) }

  /// Notes that it is being written, where it is due.
  ///
  /// - Parameter mark: changes when something happens. That the daemon is awake is not enough: the file may lie in a
  ///   folder that it watches.
  mutating func isDue(at instant: EngineInstant, mark: [Int]) -> Bool {
    if let due = writtenAt?.advanced(bySeconds: Self.seconds), instant < due {
      laterAt = mark == writtenMark ? nil : due
      return false
    }
    writtenAt = instant
    writtenMark = mark
    laterAt = nil
    staleAt = nil
    return true
  }

  /// Notes when the fixes of which it tells will be old, where that is to come.
  ///
  /// - Parameters:
  ///   - fix: when the last one was.
  ///   - staleSeconds: how old it may be.
  mutating func noteStale(after fix: EngineInstant?, staleSeconds: Double, at instant: EngineInstant) {
    guard let fix, let earliest = writtenAt?.advanced(bySeconds: Self.seconds) else { return }
    let old = fix.advanced(bySeconds: staleSeconds + 1)
    if old > instant { staleAt = max(old, earliest) }
  }

  /// Writes it; what went wrong, for the log, once.
  mutating func write(_ text: String) -> String? {
    do throws(Failure) {
      let draft = Self.draft(of: path)
      // Whatever somebody has left or put there, such as a pipe that nobody reads.
      unsafe unlink(draft)
      try OutputFile(path: draft, isNew: true).write(Array(text.utf8))
      guard unsafe rename(draft, path) == 0 else {
        throw Failure(.cantCreate, file: path, what: "can't be replaced: \(SystemReason.text(errno))")
      }
      hasComplained = false
      return nil
    } catch {
      defer { hasComplained = true }
      return hasComplained ? nil : "metrics: \(error); this is told once"
    }
  }
}
