import LocationCore
package import LocationFormats

/// Numbers lines and writes them to a file, in blocks.
package struct LinePrinter: ~Copyable {
  private let format: RecordFormat
  private let file: OutputFile
  private var buffer: [UInt8] = []
  private var sequence = 0
  private var arrow = ArrowStream()
  private var row: [UInt8] = []
  private static let blockBytes = 1 << 16

  /// A printer that has printed nothing but what the format begins with.
  package init(format: RecordFormat, to file: consuming OutputFile) {
    self.format = format
    self.file = file
    buffer.reserveCapacity(Self.blockBytes * 2)
    switch format {
    case .csv: buffer += Array(CSVRow.header.utf8)
    case .geojson: buffer += Array(GeoJSONFeature.header.utf8)
    case .arrow: buffer += ArrowStream.header
    case .text, .ndjson: break
    }
  }

  /// Prints one line, giving it the next number.
  package mutating func print(_ line: borrowing Span<UInt8>) throws(Failure) {
    sequence += 1
    switch format {
    case .arrow: return try appendRow(line)
    case .ndjson: Self.append(start: sequence, to: &buffer)
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

  /// What a line of NDJSON begins with.
  private static func append(start sequence: Int, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: "{\"v\":1,\"seq\":".utf8)
    FixedPoint.append(sequence, to: &bytes)
  }

  private mutating func appendRow(_ line: borrowing Span<UInt8>) throws(Failure) {
    row.removeAll(keepingCapacity: true)
    Self.append(start: sequence, to: &row)
    unsafe line.withUnsafeBufferPointer { unsafe row.append(contentsOf: $0) }
    arrow.append(row)
    if arrow.isFull { try flush() }
  }

  /// Writes what the format ends with, and everything that is still held.
  package mutating func finish() throws(Failure) {
    if format == .geojson { append("\(GeoJSONFeature.footer)") }
    if format == .arrow { buffer += arrow.takeBatch() + ArrowStream.footer }
    try flush()
  }

  /// Writes everything that is held.
  ///
  /// - Parameter cutsBatch: whether rows of an Arrow stream make a batch that has not its usual size yet.
  /// - Throws: ``Failure`` when the file takes no more.
  package mutating func flush(cutsBatch: Bool = true) throws(Failure) {
    if format == .arrow, cutsBatch || arrow.isFull { buffer += arrow.takeBatch() }
    try file.write(buffer)
    buffer.removeAll(keepingCapacity: true)
  }

  private mutating func append(_ text: String) { buffer.append(contentsOf: text.utf8) }
}
