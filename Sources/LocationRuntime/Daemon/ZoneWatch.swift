import Glibc
import LocationFormats

/// Tells when the machine may have another time zone: the file that says so was replaced or written. It listens only
/// while that matters to something (rule D1).
struct ZoneWatch {
  /// Tells what happens in the file's directory; nil while nothing is listened for.
  private var news: Descriptor?

  /// A file is made, moved, removed, or was written.
  private static let changes =
    UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_MOVED_FROM) | UInt32(IN_DELETE)
    | UInt32(IN_CLOSE_WRITE)

  /// Adds what is waited for.
  ///
  /// - Parameter isNeeded: whether the zone matters now.
  mutating func watch(_ polled: inout PollSet, isNeeded: Bool) {
    if !isNeeded { news = nil } else if news == nil { listen() }
    polled.watch(news?.number ?? -1)
  }

  /// Whether the zone may be another one, once.
  func take(_ polled: PollSet) -> Bool {
    guard let news, polled.has(news.number) else { return false }
    news.drain()
    return true
  }

  private mutating func listen() {
    guard let file = TimeZoneFile.changingFile, let slash = file.lastIndex(of: "/") else { return }
    news = Descriptor.fileWatch()
    if let news { _ = unsafe inotify_add_watch(news.number, String(file[...slash]), Self.changes) }
  }
}
