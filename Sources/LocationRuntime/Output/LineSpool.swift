package import LocationFormats

/// Lines that wait to be printed.
package struct LineSpool: Sendable {
  private var bytes: [UInt8] = []
  private var ends: [Int] = []

  /// Without lines.
  package init() {}

  /// Adds a line.
  package mutating func append(_ line: [UInt8]) {
    bytes += line
    ends.append(bytes.count)
  }

  /// Hands on each line, in order.
  package func handOn(_ body: (borrowing Span<UInt8>) throws(Failure) -> Void) throws(Failure) {
    var start = 0
    for end in ends {
      try body(bytes.span.extracting(start..<end))
      start = end
    }
  }

  /// Starts over, keeping the memory.
  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }
}
