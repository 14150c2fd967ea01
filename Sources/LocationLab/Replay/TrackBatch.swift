import LocationCore
import LocationFormats

/// What was read of a track in one go.
struct TrackBatch: Sendable {
  /// What a reader found; empty where the track is a recording.
  var items: [TrackItem] = []
  /// The events of a recording.
  var events: [Stamped] = []
  /// What stopped the reading after these; nil where nothing did.
  var failure: Failure?
  /// How much of the file has been read by now.
  var bytesRead = 0
  /// Whether there is no more.
  var isLast = false
  /// Said of the whole track; with the last batch only.
  var notes: [String] = []

  /// Steps that it has.
  var count: Int { max(items.count, events.count) }
}
