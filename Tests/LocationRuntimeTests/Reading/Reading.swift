import Foundation
import LocationCore
import LocationFormats

/// A track as it was read: every item, and the failure it ended with.
struct Reading {
  var items: [TrackItem] = []
  var failure: Failure?
  var notes: [String] = []

  var fixes: [FixReport] {
    items.compactMap { if case .fix(let report) = $0 { report } else { nil } }
  }

  init(path: String, options: TrackOptions = TrackOptions()) {
    do throws(Failure) {
      var reader = try TrackReader(path: path, options: options)
      var batch: [TrackItem] = []
      while true {
        do throws(Failure) {
          guard try reader.read(into: &batch) else { break }
          items += batch
        } catch {
          failure = error
          break
        }
      }
      notes = reader.notes
    } catch {
      failure = error
    }
  }

  init(_ bytes: [UInt8], options: TrackOptions = TrackOptions()) throws {
    let file = TemporaryFile(bytes)
    self.init(path: file.path, options: options)
  }

  init(_ text: String, options: TrackOptions = TrackOptions()) throws {
    try self.init(Array(text.utf8), options: options)
  }
}

/// A file that is gone when the value is.
final class TemporaryFile {
  let path: String

  init(_ bytes: [UInt8]) {
    path = FileManager.default.temporaryDirectory.path + "/locwatch-test-\(UUID().uuidString)"
    _ = FileManager.default.createFile(atPath: path, contents: Data(bytes))
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
