package import LocationCore

/// A track of a format that no scanner is made for: sentences, tables, KML.
package protocol FurtherTrack {
  /// Reads what of the next piece is whole; an empty piece ends the track.
  ///
  /// - Parameter batch: gets the finished items, also those before trouble.
  mutating func read(_ piece: borrowing ScanPiece, into batch: inout [TrackItem]) throws(Failure)
  /// The line that has been reached, from 1.
  var line: Int { get }
  /// The line of the first position; nil before it.
  var firstPointLine: Int? { get }
  /// Generous readings.
  var notes: [String] { get }
}
