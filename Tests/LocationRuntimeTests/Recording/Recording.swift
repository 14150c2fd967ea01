import Glibc
import LocationCore

@testable import LocationFormats

/// A recording as it was read.
struct Recording {
  var configuration: EngineConfiguration
  var events: [Stamped] = []
  var notes: [String] = []

  init(path: String) throws {
    var reader = try JournalReader(InputHead(path: path))
    configuration = reader.configuration
    var batch: [Stamped] = []
    while try reader.read(into: &batch) { events += batch }
    notes = reader.notes
  }
}

/// Who may do what with a file.
func permissions(of path: String) -> mode_t {
  var status = stat()
  _ = unsafe stat(path, &status)
  return status.st_mode & 0o777
}
