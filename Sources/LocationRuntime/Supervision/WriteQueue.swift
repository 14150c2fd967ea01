import Glibc

/// What waits to be read by a program: whole lines, in order, up to ``SupervisorLimits/queueBytes``.
///
/// A line for which there is no room closes the queue: none after it is taken either, so that nothing is read out of
/// order. What was not read is handed over again when the program is next started.
struct WriteQueue {
  private var bytes: [UInt8] = []
  private var sent = 0
  /// Whether a line was turned away.
  private(set) var isClosed = false
  /// Whether the program no longer reads.
  private(set) var isBroken = false

  var isEmpty: Bool { sent == bytes.count }

  /// Adds a line with its end; false where it is turned away.
  mutating func append(_ line: [UInt8]) -> Bool {
    guard !isClosed, !isBroken else { return false }
    if bytes.count - sent + line.count > SupervisorLimits.queueBytes {
      isClosed = true
      return false
    }
    bytes += line
    return true
  }

  /// Takes out what was not written, and is as new.
  mutating func takeAll() -> [UInt8] {
    defer { self = WriteQueue() }
    return Array(bytes[sent...])
  }

  /// Writes what goes without waiting.
  mutating func send(to descriptor: Descriptor) {
    while !isEmpty {
      let count = unsafe bytes.withUnsafeBytes { bytes in
        unsafe write(descriptor.number, bytes.baseAddress.map { unsafe $0 + sent }, bytes.count - sent)
      }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { break }
      guard count >= 0 else {
        isBroken = true
        bytes = []
        sent = 0
        return
      }
      sent += count
    }
    if isEmpty {
      bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptBytes)
      sent = 0
    } else if sent >= Self.keptBytes {
      bytes.removeSubrange(..<sent)
      sent = 0
    }
  }

  /// A pipe's worth of memory is kept for the next lines.
  private static let keptBytes = SupervisorLimits.pieceBytes
}
