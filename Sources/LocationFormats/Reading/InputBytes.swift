import LocationCore

/// The bytes of a track: a file or standard input, unpacked where they are gzip, or KML in a KMZ archive.
package struct InputBytes: ~Copyable {
  private var file: InputFile
  private let gunzip: Gunzip?
  /// Read from the file, not yet handed out: all of it at first, packed bytes later.
  private var pending: [UInt8]
  private var pendingRange: Range<Int>
  private var isAtEnd: Bool

  /// How many packed bytes are read at a time.
  static let pieceBytes = 1 << 16
  /// The same of a small file.
  private static let leastBytes = 1 << 10

  /// Opens the file and looks at its first bytes, waiting for two of them where it is a pipe.
  init(path: String) throws(Failure) {
    try self.init(InputFile(path: path))
  }

  /// Looks at the first bytes of a file.
  init(_ file: consuming InputFile) throws(Failure) {
    var file = file
    let size = min(Self.pieceBytes, max(Self.leastBytes, file.byteCount ?? .max))
    var pending = [UInt8](repeating: 0, count: size)
    var filled = 0
    var isAtEnd = false
    while filled < 2, !isAtEnd {
      let count = try file.read(into: &pending, from: filled)
      filled += count
      isAtEnd = count == 0
    }
    if pending.starts(with: ZipArchive.signature) {
      while filled <= ZipArchive.maximumBytes, !isAtEnd {
        if filled == pending.count { pending.append(contentsOf: repeatElement(0, count: pending.count)) }
        let count = try file.read(into: &pending, from: filled)
        filled += count
        isAtEnd = count == 0
      }
      do throws(ZipArchive.Trouble) {
        if let document = try ZipArchive.document(of: Array(pending[..<filled])) {
          pending = document
          filled = document.count
        }
      } catch {
        throw Self.failure(error, file: file.name)
      }
    }
    if filled >= 2, (pending[0], pending[1]) == Gunzip.magic {
      do throws(Gunzip.Trouble) { gunzip = try Gunzip() } catch { throw Self.failure(error, file: file.name) }
    } else {
      gunzip = nil
    }
    self.file = file
    self.pending = pending
    self.isAtEnd = isAtEnd
    pendingRange = 0..<filled
  }

  var name: String { file.name }
  var byteCount: Int? { file.byteCount }
  var bytesRead: Int { file.bytesRead }
  /// Whether the file is packed.
  package var isGzip: Bool { gunzip != nil }
  var hasTrailingGarbage: Bool { gunzip?.hasTrailingGarbage ?? false }

  /// The next bytes behind the text of a piece; 0 at the end, or where it is full.
  mutating func read(into piece: inout ScanPiece) throws(Failure) -> Int {
    try piece.fill { bytes, range throws(Failure) in
      range.isEmpty ? 0 : try read(into: &bytes, from: range.lowerBound, to: range.upperBound)
    }
  }

  /// The next bytes into `buffer` from `offset` to `end`, at most as many as fit; 0 at the end.
  mutating func read(
    into buffer: inout [UInt8], from offset: Int = 0, to end: Int? = nil
  ) throws(Failure) -> Int {
    let end = end ?? buffer.count
    guard let gunzip else {
      guard !pendingRange.isEmpty else { return try file.read(into: &buffer, from: offset, to: end) }
      let count = min(pendingRange.count, end - offset)
      let first = pendingRange.lowerBound
      buffer.replaceSubrange(offset..<offset + count, with: pending[first..<first + count])
      pendingRange = pendingRange.lowerBound + count..<pendingRange.upperBound
      return count
    }
    while true {
      if pendingRange.isEmpty, !isAtEnd {
        let count = try file.read(into: &pending)
        isAtEnd = count == 0
        pendingRange = 0..<count
      }
      do throws(Gunzip.Trouble) {
        if pendingRange.isEmpty {
          try gunzip.finish()
          return 0
        }
        let step = try gunzip.step(
          pending.span.extracting(pendingRange), into: &buffer, from: offset, to: end)
        pendingRange = pendingRange.lowerBound + step.consumed..<pendingRange.upperBound
        if step.produced > 0 { return step.produced }
      } catch {
        throw Self.failure(error, file: name)
      }
    }
  }

  private static func failure(_ trouble: ZipArchive.Trouble, file: String) -> Failure {
    switch trouble {
    case .cutOff:
      Failure(.data, file: file, what: "a ZIP archive that is cut off", remedy: "get the whole file")
    case .packed:
      Failure(
        .data, file: file, what: "a ZIP archive whose KML is damaged, too large or not packed by deflate",
        remedy: "unpack it, and name the KML file")
    }
  }

  private static func failure(_ trouble: Gunzip.Trouble, file: String) -> Failure {
    switch trouble {
    case .corrupt:
      Failure(
        .data, file: file, what: "the gzip data is corrupt", remedy: "get the file anew")
    case .endsEarly:
      Failure(
        .data, file: file, what: "the gzip data ends early", remedy: "get the whole file")
    case .noMemory:
      Failure(.tryAgain, file: file, what: "no memory to unpack gzip", remedy: Failure.memoryRemedy)
    }
  }
}
