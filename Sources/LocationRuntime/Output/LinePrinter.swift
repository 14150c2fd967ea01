import LocationCore
package import LocationFormats

/// Numbers lines and writes them to a file, in blocks.
package struct LinePrinter: ~Copyable {
  private let format: RecordFormat
  private let file: OutputFile
  private var buffer: [UInt8] = []
  private var sequence = 0
  private static let blockBytes = 1 << 16

  /// A printer that has printed nothing but what the format begins with.
  package init(format: RecordFormat, to file: consuming OutputFile) {
    self.format = format
    self.file = file
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
    unsafe line.withUnsafeBufferPointer { unsafe buffer.append(contentsOf: $0) }
    if format != .geojson { buffer.append(UInt8(ascii: "\n")) }
    if buffer.count >= Self.blockBytes { try flush() }
  }

  /// Writes what the format ends with, and everything that is still held.
  package mutating func finish() throws(Failure) {
    if format == .geojson { append("\(GeoJSONFeature.footer)") }
    try flush()
  }

  /// Writes everything that is held.
  /// - Throws: ``Failure`` when the file takes no more.
  package mutating func flush() throws(Failure) {
    try file.write(buffer)
    buffer.removeAll(keepingCapacity: true)
  }

  private mutating func append(_ text: String) { buffer.append(contentsOf: text.utf8) }
}
