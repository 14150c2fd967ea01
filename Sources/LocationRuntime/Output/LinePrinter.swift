import LocationCore

#if canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Numbers lines and writes them to a descriptor, in blocks.
package struct LinePrinter: ~Copyable {
  private let format: RecordFormat
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private var sequence = 0
  private static let blockBytes = 1 << 16

  /// - Throws: ``Failure`` when the header of the format can't be written.
  package init(format: RecordFormat, descriptor: Int32 = 1) throws(Failure) {
    self.format = format
    self.descriptor = descriptor
    buffer.reserveCapacity(Self.blockBytes * 2)
    switch format {
    case .csv: buffer += Array(CSVRow.header.utf8)
    case .geojson: buffer += Array(GeoJSONFeature.header.utf8)
    case .text, .ndjson: break
    }
  }

  /// Prints one line, giving it the next number.
  package mutating func print(_ line: borrowing Span<UInt8>) throws(Failure) {
    sequence += 1
    switch format {
    case .ndjson:
      append("{\"v\":1,\"seq\":")
      FixedPoint.append(sequence, to: &buffer)
    case .csv:
      FixedPoint.append(sequence, to: &buffer)
    case .geojson:
      append(sequence == 1 ? "\n" : ",\n")
      append("{\"type\":\"Feature\",\"properties\":{\"v\":1,\"seq\":")
      FixedPoint.append(sequence, to: &buffer)
    case .text: break
    }
    for index in line.indices { buffer.append(line[index]) }
    if format != .geojson { buffer.append(UInt8(ascii: "\n")) }
    if buffer.count >= Self.blockBytes { try flush() }
  }

  /// Writes what the format ends with, and everything that is still held.
  package mutating func finish() throws(Failure) {
    if format == .geojson { append("\(GeoJSONFeature.footer)") }
    try flush()
  }

  /// Writes everything that is held.
  /// - Throws: ``Failure`` when the descriptor takes no more.
  package mutating func flush() throws(Failure) {
    var start = 0
    while start < buffer.count {
      let written = unsafe buffer.withUnsafeBytes { bytes in
        unsafe write(descriptor, bytes.baseAddress?.advanced(by: start), bytes.count - start)
      }
      if written < 0 {
        if errno == EINTR { continue }
        throw Failure(
          .io, what: "can't write the output: \(unsafe String(cString: strerror(errno)))")
      }
      start += written
    }
    buffer.removeAll(keepingCapacity: true)
  }

  private mutating func append(_ text: String) { buffer.append(contentsOf: text.utf8) }
}
