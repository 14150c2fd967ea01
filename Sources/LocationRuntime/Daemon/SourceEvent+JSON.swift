import LocationCore
import LocationFormats

extension SourceEvent {
  /// As the database keeps it; nil where that is of another version.
  init?(json: String) {
    do {
      self = try ExactDecoder.value(SourceEvent.self, of: try JSONTree(Array(json.utf8)))
    } catch {
      return nil
    }
  }
}
