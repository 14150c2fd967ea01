import Glibc
import LocationCore

/// The pages of the program and its libraries that nobody has written.
///
/// The daemon starts once and runs for months. The code that reads arguments, settings and the schema is not needed
/// again, but the kernel counts its pages as resident until others want the memory. So they are given back: at the
/// start, after a command, and while the daemon is awake anyway, ever more seldom up to once a minute. What is needed
/// again comes from the page cache.
struct CodePages {
  private let mappings: [Range<UInt>]
  private var last: EngineInstant?
  private var waitSeconds = Self.leastWaitSeconds

  private static let leastWaitSeconds = 1.0
  /// Once a minute the faults cost nothing.
  private static let longestWaitSeconds = 60.0

  init() {
    ProgramConstants.protect()
    mappings = Self.unwritten(in: KernelFile.read("/proc/self/smaps") ?? "")
  }

  /// Gives all of them back, if that is due.
  ///
  /// - Parameter isSeldom: whether code was used that is seldom used, as for a command.
  mutating func giveBack(at instant: EngineInstant, isSeldom: Bool = false) {
    if let last, last.seconds(to: instant) < (isSeldom ? Self.leastWaitSeconds : waitSeconds) { return }
    if last != nil, !isSeldom { waitSeconds = min(2 * waitSeconds, Self.longestWaitSeconds) }
    last = instant
    for mapping in mappings {
      guard let start = unsafe UnsafeMutableRawPointer(bitPattern: mapping.lowerBound) else { continue }
      _ = unsafe madvise(start, mapping.count, MADV_DONTNEED)
    }
  }

  /// The mappings of files that can't be written and have no page of their own: what the linker has written and then
  /// protected would be lost.
  ///
  /// - Parameter text: `/proc/PID/smaps`, proc(5).
  static func unwritten(in text: String) -> [Range<UInt>] {
    var found: [Range<UInt>] = []
    var current: Range<UInt>?
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
      let words = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
      if words.count == 6, let range = addresses(words[0]) {
        let isOfFile = words[5].drop { $0 == UInt8(ascii: " ") }.first == UInt8(ascii: "/")
        let isPrivate = words[1].last == UInt8(ascii: "p")
        current = isOfFile && isPrivate && !words[1].contains(UInt8(ascii: "w")) ? range : nil
      } else if let range = current, words.count == 3, words[0].elementsEqual("Anonymous:".utf8) {
        if words[1].elementsEqual("0".utf8) { found.append(range) }
        current = nil
      }
    }
    return found
  }

  /// `7f00-7f80`; nil where it is none.
  private static func addresses(_ text: Substring.UTF8View.SubSequence) -> Range<UInt>? {
    let ends = text.split(separator: UInt8(ascii: "-")).map { UInt(Substring($0), radix: 16) }
    guard ends.count == 2, let first = ends[0], let end = ends[1], first < end else { return nil }
    return first..<end
  }
}
