package import LocationCore

/// A file that has been opened, with its first bytes, by which it is told what it is.
package struct InputHead: ~Copyable {
  /// The file, read on from behind the first bytes.
  package var input: InputBytes
  /// Begins with the bytes that were read.
  package var piece: ScanPiece
  /// What the first bytes say that the file is.
  package let format: TrackFormat

  /// How much is read at a time, bytes: with the items that come of it, it fits in the second-level cache.
  private static let pieceBytes = 1 << 17

  /// Opens a file, or standard input for `-`.
  package init(path: String) throws(Failure) {
    var input = try InputBytes(path: path)
    var piece = ScanPiece(capacity: Self.pieceBytes)
    var format = TrackFormat.undecided
    while format == .undecided {
      let count = try input.read(into: &piece)
      let head = min(piece.count, TrackFormat.maximumBytes)
      format = TrackFormat(
        piece.bytes.span.extracting(..<head), isWhole: count == 0 || head == TrackFormat.maximumBytes)
    }
    self.input = input
    self.piece = piece
    self.format = format
  }
}
