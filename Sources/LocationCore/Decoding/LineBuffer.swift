/// Turns bytes that arrive in pieces of any size into lines.
///
/// A line ends with a line feed, before which a carriage return is left out. The text of a line stays in
/// place; only what is left of an unfinished line is moved, once for each piece.
package struct LineBuffer {
  /// What ``next()`` found.
  package enum Line {
    /// Where in ``bytes`` the line stands, without its end.
    case line(Range<Int>)
    /// The line is longer than the limit, whether its end has come or not. Reading can't go on.
    case tooLong
    /// No whole line is left.
    case none
  }

  /// The bytes that ranges refer to.
  package private(set) var bytes: [UInt8] = []
  /// The number of the line last found, from 1; 0 before the first.
  package private(set) var number = 0
  private let limit: Int
  private var start = 0
  private var searched = 0
  /// Whether the end of a line that is too long has not come yet.
  private var isEndMissing = false
  private var isSkipping = false

  /// - Parameter limit: the longest line that is accepted, in bytes.
  package init(limit: Int) { self.limit = limit }

  /// Adds a piece. Ranges found before are no longer good.
  package mutating func append(_ piece: Span<UInt8>) {
    if start > 0 {
      bytes.removeSubrange(0..<start)
      searched -= start
      start = 0
    }
    unsafe piece.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
  }

  /// The next whole line. Where there is none, ranges found before are no longer good.
  package mutating func next() -> Line {
    guard let end = lineFeed() else {
      searched = bytes.count
      if isSkipping { start = bytes.count }
      if start == bytes.count { release() }
      guard bytes.count - start > limit else { return .none }
      number += 1
      isEndMissing = true
      return .tooLong
    }
    let first = start
    start = end + 1
    searched = start
    if isSkipping {
      isSkipping = false
      return next()
    }
    number += 1
    guard end - first <= limit else { return .tooLong }
    let last = end > first && bytes[end - 1] == UInt8(ascii: "\r") ? end - 1 : end
    return .line(first..<last)
  }

  /// Lets go of the memory: there may be thousands of buffers that wait for their next line.
  private mutating func release() {
    bytes = []
    start = 0
    searched = 0
  }

  /// Goes on behind a line that was too long, whose end may be long in coming.
  package mutating func skipTooLong() {
    guard isEndMissing else { return }
    isEndMissing = false
    start = bytes.count
    searched = start
    isSkipping = true
  }

  /// Hands on each whole line that is left, without those that are too long.
  package mutating func each<Problem>(
    _ body: (ArraySlice<UInt8>) throws(Problem) -> Void
  ) throws(Problem) {
    while true {
      switch next() {
      case .line(let range): try body(bytes[range])
      case .tooLong: skipTooLong()
      case .none: return
      }
    }
  }

  /// What stands after the last line feed when no more pieces come; nil where nothing does.
  package mutating func last() -> Range<Int>? {
    guard start < bytes.count else { return nil }
    let first = start
    start = bytes.count
    searched = start
    number += 1
    return first..<start
  }

  /// Looks eight bytes at a time: a byte is zero in `word ^ pattern` where it is a line feed (Hacker's
  /// Delight, section 6-1, "find leftmost 0-byte").
  private func lineFeed() -> Int? {
    let pattern: UInt64 = 0x0A0A_0A0A_0A0A_0A0A
    let lows: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    let raw = unsafe bytes.span.bytes
    var index = searched
    while index + 8 <= raw.byteCount {
      let stored = unsafe raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
      let word = UInt64(littleEndian: stored)
      let difference = word ^ pattern
      let zeros = (difference &- lows) & ~difference & highs
      if zeros != 0 { return index + zeros.trailingZeroBitCount / 8 }
      index += 8
    }
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "\n") { return index }
      index += 1
    }
    return nil
  }
}
