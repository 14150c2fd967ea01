import Glibc
import LocationCore
import LocationFormats

/// The file that node_exporter's textfile collector, or anyone, reads the metrics from. Readers see the old file or the
/// new one, never a part.
struct MetricsFile {
  let path: String
  private var writtenAt: EngineInstant?
  /// When what has happened since is written; nil where nothing has.
  private(set) var dueAt: EngineInstant?
  private var hasComplained = false

  /// Prometheus scrapes no more often by default than every minute; 15 s is what most set.
  private static let seconds = 15.0

  init(_ path: String) { self.path = path }

  /// Notes that something has happened, and that it is being written, where it is due.
  mutating func isDue(at instant: EngineInstant) -> Bool {
    if let due = writtenAt?.advanced(bySeconds: Self.seconds), instant < due {
      dueAt = due
      return false
    }
    writtenAt = instant
    dueAt = nil
    return true
  }

  /// Writes it; what went wrong, for the log, once.
  mutating func write(_ text: String) -> String? {
    do throws(Failure) {
      let draft = path + ".new"
      try OutputFile(path: draft).write(Array(text.utf8))
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
