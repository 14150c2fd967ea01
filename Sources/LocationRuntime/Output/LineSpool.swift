/// Lines that wait to be printed.
struct LineSpool: Sendable {
  private var bytes: [UInt8] = []
  private var ends: [Int] = []

  mutating func append(_ line: [UInt8]) {
    bytes += line
    ends.append(bytes.count)
  }

  /// Hands on each line, in order.
  func handOn(_ body: (borrowing Span<UInt8>) throws(Failure) -> Void) throws(Failure) {
    var start = 0
    for end in ends {
      try body(bytes.span.extracting(start..<end))
      start = end
    }
  }

  /// Starts over, keeping the memory.
  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }
}
