import Glibc
package import LocationCore

/// A file that has been opened, with its first bytes, by which it is told what it is.
package struct InputHead: ~Copyable {
  /// The file, read on from behind the first bytes.
  package var input: InputBytes
  /// Begins with the bytes that were read.
  package var piece: ScanPiece
  /// What the first bytes say that the file is.
  let format: TrackFormat

  /// Whether it is a recording rather than a track.
  package var isRecording: Bool { format == .recording }

  /// How much is read at a time, bytes: with the items that come of it, it fits in the second-level cache.
  static let pieceBytes = 1 << 17

  /// Opens a file, or standard input for `-`. What gpsbabel converts is converted, packed or from a pipe too.
  ///
  /// - Parameter gpsbabel: the format of the file as gpsbabel calls it; nil for one that is told by its content.
  package init(path: String, gpsbabel: String? = nil) throws(Failure) {
    let file = try InputFile(path: path)
    if let gpsbabel {
      let format = Gpsbabel.Format(name: gpsbabel, title: "a file of format \(gpsbabel)")
      guard file.byteCount == nil else {
        self = try Self.convert(path, from: format)
        return
      }
      self = try Self.convert(
        InputHead(input: InputBytes(file), piece: ScanPiece(capacity: Self.pieceBytes), format: .undecided),
        from: format)
      return
    }
    let head = try Self.look(InputBytes(file))
    guard case .foreign(let foreign) = head.format else {
      self = head
      return
    }
    if head.input.isGzip || head.input.byteCount == nil {
      self = try Self.convert(head, from: foreign)
    } else {
      self = try Self.convert(path, from: foreign)
    }
  }

  private init(input: consuming InputBytes, piece: consuming ScanPiece, format: TrackFormat) {
    self.input = input
    self.piece = piece
    self.format = format
  }

  private static func convert(_ path: String, from format: Gpsbabel.Format) throws(Failure) -> InputHead {
    let converted = try Gpsbabel.convert(path, from: format)
    return try look(InputBytes(InputFile(converted: converted, name: path)))
  }

  /// Converts what gpsbabel can't read itself: what is packed, and what comes through a pipe, whose first bytes have
  /// been read.
  private static func convert(
    _ head: consuming InputHead, from format: Gpsbabel.Format
  ) throws(Failure) -> InputHead {
    let name = head.input.name
    let copy = try Gpsbabel.nameless()
    defer { close(copy) }
    try write(head, to: copy)
    let converted = try Gpsbabel.convert(name, copy: copy, from: format)
    return try look(InputBytes(InputFile(converted: converted, name: name)))
  }

  /// Writes the whole file, unpacked.
  private static func write(_ head: consuming InputHead, to copy: Int32) throws(Failure) {
    var input = head.input
    var piece = head.piece
    let output = OutputFile(name: "a copy of \(input.name)", descriptor: fcntl(copy, F_DUPFD_CLOEXEC, 0))
    repeat {
      try output.write(Array(piece.bytes[..<piece.count]))
      piece.removeAll()
    } while try input.read(into: &piece) > 0
  }

  private static func look(_ input: consuming InputBytes) throws(Failure) -> InputHead {
    var input = input
    // A small file needs little memory, which takes time to clear. Unpacked it may be large.
    let size = input.isGzip ? nil : input.byteCount
    var piece = ScanPiece(capacity: max(TrackFormat.maximumBytes, min(Self.pieceBytes, size ?? .max)))
    var format = TrackFormat.undecided
    while format == .undecided {
      let count = try input.read(into: &piece)
      let head = min(piece.count, TrackFormat.maximumBytes)
      format = TrackFormat(
        piece.bytes.span.extracting(..<head), isWhole: count == 0 || head == TrackFormat.maximumBytes)
    }
    if input.isGzip, format == .other(TrackFormat.zip) { format = .other("a ZIP archive within gzip") }
    return InputHead(input: input, piece: piece, format: format)
  }
}
