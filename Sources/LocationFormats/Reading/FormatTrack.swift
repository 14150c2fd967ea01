package import LocationCore

/// A track of one format.
package protocol FormatTrack {
  /// Reads what of the next piece is whole; an empty piece ends the track.
  ///
  /// - Parameter batch: gets the finished items, also those before trouble.
  /// - Throws: `.data` where the file is not what it seemed.
  mutating func read(_ piece: borrowing ScanPiece, into batch: inout [TrackItem]) throws(Failure)
  /// The line that has been reached, from 1.
  var line: Int { get }
  /// The line of the first position; nil before it.
  var firstPointLine: Int? { get }
  /// Generous readings.
  var notes: [String] { get }
  /// Whether one file may have several tracks or segments, in any order.
  var hasParts: Bool { get }
  /// What is said of a track without any position.
  var emptiness: String { get }
  /// What is wrong where the times should stand, for a track of which no point has one; nil where there is nothing.
  var timeTrouble: Failure? { get }
  /// Finishes what is whole where the file can't be read on.
  mutating func flush(into batch: inout [TrackItem])
}

extension FormatTrack {
  /// Most formats are one log.
  package var hasParts: Bool { false }
  package var emptiness: String { "no position in it" }
  /// Most formats have one way to write a time.
  package var timeTrouble: Failure? { nil }
  /// Finishes nothing: most tracks hold nothing back.
  package mutating func flush(into batch: inout [TrackItem]) {}
}
