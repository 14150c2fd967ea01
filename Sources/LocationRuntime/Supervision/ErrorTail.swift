import Glibc
import LocationFormats

/// What a program writes to its standard error: handed on to ours, with the last line kept.
///
/// It never waits. Where nobody reads our standard error, what does not fit is lost to it; the last line is kept all
/// the same.
struct ErrorTail {
  private var begun: [UInt8] = []
  private var last: [UInt8] = []

  /// The longest line that is kept, bytes; the rest of a longer one is cut off.
  static let lineBytes = 240

  /// The last line that is not blank; nil where there was none.
  var lastLine: String? {
    let line = Self.isBlank(begun) ? last : begun
    guard !Self.isBlank(line) else { return nil }
    let text = String(decoding: line, as: UTF8.self)
    // One line for people, whatever it holds.
    return String(
      String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
  }

  /// Takes a piece.
  mutating func append(_ piece: ArraySlice<UInt8>) {
    ErrorStream.offer(piece)
    let parts = piece.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      if index > 0 {
        if !Self.isBlank(begun) { last = begun }
        begun.removeAll(keepingCapacity: true)
      }
      begun += part.prefix(max(0, Self.lineBytes - begun.count))
    }
  }

  private static func isBlank(_ line: [UInt8]) -> Bool {
    line.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "\r") }
  }
}

/// A program's standard error: read up to its share of each second, and handed on. Used by the supervisor's thread alone.
final class ErrorPipe {
  /// Nil once it has ended.
  private var pipe: Descriptor?
  private var tail = ErrorTail()
  private var share = SecondShare(mostBytes: SupervisorLimits.errorBytesPerSecond)

  /// - Parameter pipe: its end for reading, without waiting; nil where there is none.
  init(_ pipe: Descriptor?) { self.pipe = pipe }

  /// The last line that is not blank; nil where there was none.
  var lastLine: String? { tail.lastLine }

  /// What to read, where it may be read now: it has not written more than its share of this second.
  func readable(at now: Int64) -> Descriptor? { share.nextReading(at: now) == nil ? pipe : nil }

  /// When it may be read again; nil where that is now, or never.
  func nextReading(at now: Int64) -> Int64? { pipe == nil ? nil : share.nextReading(at: now) }

  /// Reads one piece and hands it on; false where nothing is left to read for now.
  func hear(at now: Int64, by buffer: inout [UInt8]) -> Bool {
    guard let pipe else { return false }
    let count = unsafe buffer.withUnsafeMutableBytes { unsafe SystemCall.readBytes(pipe.number, $0) }
    if count < 0, errno == EINTR { return true }
    if count < 0, errno == EAGAIN { return false }
    guard count > 0 else {
      self.pipe = nil
      return false
    }
    share.note(count, at: now)
    tail.append(buffer[..<count])
    return true
  }

  /// Reads what a program has left that has ended, as far as it counts.
  func hearLast(at now: Int64, by buffer: inout [UInt8]) {
    var heardBytes = 0
    while heardBytes < SupervisorLimits.lastBytes, hear(at: now, by: &buffer) { heardBytes += buffer.count }
  }
}

/// What may be read of something in one second; times are milliseconds of ``MonotonicTime``. Pure.
struct SecondShare {
  let mostBytes: Int
  private var bytes = 0
  private var secondEnds: Int64 = 0

  init(mostBytes: Int) { self.mostBytes = mostBytes }

  /// So many bytes were read.
  mutating func note(_ count: Int, at now: Int64) {
    if now >= secondEnds {
      secondEnds = now + 1_000
      bytes = 0
    }
    bytes += count
  }

  /// When it may be read again; nil where that is now.
  func nextReading(at now: Int64) -> Int64? { now < secondEnds && bytes >= mostBytes ? secondEnds : nil }
}
