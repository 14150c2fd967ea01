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

  /// Opens a file, or standard input for `-`. What gpsbabel converts is converted.
  ///
  /// - Parameter gpsbabel: the format of the file as gpsbabel calls it; nil for one that is told by its content.
  package init(path: String, gpsbabel: String? = nil) throws(Failure) {
    if let gpsbabel {
      let format = Gpsbabel.Format(name: gpsbabel, title: "a file of format \(gpsbabel)")
      self = try Self.convert(path, from: format)
      return
    }
    let head = try Self.look(InputBytes(path: path))
    if case .foreign(let foreign) = head.format {
      self = try Self.convert(path, from: foreign)
    } else {
      self = head
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
    return InputHead(input: input, piece: piece, format: format)
  }
}
