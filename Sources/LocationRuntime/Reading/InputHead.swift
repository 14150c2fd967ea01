import LocationCore

/// A file that has been opened, with its first bytes, by which it is told what it is.
struct InputHead: ~Copyable {
  var input: InputBytes
  /// Begins with the bytes that were read.
  var piece: [UInt8]
  /// How many were.
  var filled: Int
  let format: TrackFormat

  /// Opens a file, or standard input for `-`.
  init(path: String) throws(Failure) {
    var input = try InputBytes(path: path)
    var piece = [UInt8](repeating: 0, count: TrackFormat.maximumBytes)
    var format = TrackFormat.undecided
    var filled = 0
    while format == .undecided {
      let count = try input.read(into: &piece, from: filled)
      filled += count
      format = TrackFormat(piece.span.extracting(..<filled), isWhole: count == 0 || filled == piece.count)
    }
    self.input = input
    self.piece = piece
    self.filled = filled
    self.format = format
  }
}
