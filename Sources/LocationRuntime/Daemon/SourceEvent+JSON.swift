import LocationCore
import LocationFormats

extension SourceEvent {
  /// As the database keeps it; nil where that is of another version.
  init?(json: String) {
    do {
      var reader = JSONReader(Array(json.utf8))
      self = try ExactDecoder.value(SourceEvent.self, of: try JSONTree(&reader))
    } catch {
      return nil
    }
  }
}
