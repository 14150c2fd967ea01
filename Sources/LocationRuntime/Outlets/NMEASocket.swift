import Glibc
import LocationCore
import LocationFormats

/// A Unix socket at which each accepted fix is told as an NMEA sentence: GeoClue hands it on to every desktop program
/// that may know the position. GeoClue connects while a program asks, and only then wants fixes.
///
/// Nothing waits for a reader: one that is slow misses fixes, and one that is gone is forgotten.
struct NMEASocket {
  private(set) var listener: UnixListener
  private var clients: [Descriptor] = []
  /// Until when nobody is accepted, because there are no descriptors.
  private var pausedUntil: EngineInstant?

  /// Readers at once: GeoClue is one.
  private static let clientLimit = 16

  /// Listens; the socket's owner and group may connect.
  ///
  /// - Throws: ``Failure`` of code 73 where it can't listen.
  init(path: String) throws(Failure) {
    listener = try UnixListener(path: path, waiting: Int32(Self.clientLimit))
  }

  /// Leaves nothing behind.
  func close() { listener.remove() }

  /// Whether somebody reads.
  var hasClients: Bool { !clients.isEmpty }

  /// Adds what is waited for.
  func watch(_ polled: inout PollSet, at now: EngineInstant) {
    let isPaused = nextDeadline(at: now) != nil
    if clients.count < Self.clientLimit, !isPaused { polled.watch(listener.descriptor.number) }
    if let changes = listener.changes { polled.watch(changes.number) }
    for client in clients { polled.watch(client.number) }
  }

  /// When readers are accepted again; nil where they are now.
  func nextDeadline(at now: EngineInstant) -> EngineInstant? { pausedUntil.flatMap { $0 > now ? $0 : nil } }

  /// Forgets those that are gone, takes those that want to read, and listens anew where the socket was removed.
  ///
  /// - Returns: why they have to wait, or what became of the socket; nil where there is nothing to tell.
  mutating func take(_ polled: PollSet, at now: EngineInstant) -> String? {
    clients.removeAll { polled.has($0.number) && !Self.isThere($0.number) }
    if let changes = listener.changes, polled.has(changes.number) { return restoreEntry() }
    guard polled.has(listener.descriptor.number) else { return nil }
    while clients.count < Self.clientLimit {
      guard let client = listener.descriptor.accept() else {
        let code = errno
        guard code != EAGAIN else { return nil }
        // The reader stays in the queue, which would wake us again at once.
        pausedUntil = now.advanced(bySeconds: DaemonLimits.pauseSeconds)
        return "readers of fixes have to wait: \(SystemReason.text(code))"
      }
      client.stopWaiting()
      clients.append(client)
    }
    return nil
  }

  private mutating func restoreEntry() -> String? {
    do throws(Failure) {
      return try listener.restoreEntry() ? "the socket \(listener.path) was removed, and is there again" : nil
    } catch {
      return "the socket for readers of fixes was removed: \(error)"
    }
  }

  /// Whether a reader is still there; what it sends is of no interest.
  private static func isThere(_ client: Int32) -> Bool {
    var piece = [UInt8](repeating: 0, count: 1_024)
    let count = unsafe piece.withUnsafeMutableBytes { unsafe SystemCall.readBytes(client, $0) }
    return count > 0 || count < 0 && (errno == EAGAIN || errno == EINTR)
  }

  /// Tells all of a fix.
  ///
  /// - Parameter altitudeMeters: as its report has it; nil where it has none.
  mutating func tell(_ fix: Fix, altitudeMeters: Double?) {
    guard !clients.isEmpty, let sentence = NMEAFix.gga(fix, altitudeMeters: altitudeMeters) else { return }
    let bytes = Array(sentence.utf8)
    clients.removeAll { client in
      let sent = unsafe bytes.withUnsafeBytes { unsafe SystemCall.sendBytes(client.number, $0) }
      // Half a sentence would spoil the next one.
      return sent < 0 ? errno != EAGAIN && errno != EINTR : sent < bytes.count
    }
  }
}
