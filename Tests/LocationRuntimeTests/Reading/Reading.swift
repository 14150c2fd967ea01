import Foundation
import LocationCore
import LocationRuntime
import Testing

#if canImport(Glibc)
  import Glibc
#endif

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

/// The test corpus, where it is installed.
enum Corpus {
  static let folder: String? = {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let candidates: [String?] = [
      ProcessInfo.processInfo.environment["LOCWATCH_CORPUS"],
      root.deletingLastPathComponent().appendingPathComponent("shared/corpus").path,
    ]
    return candidates.compactMap { $0 }.first { FileManager.default.fileExists(atPath: $0) }
  }()

  /// The rows of a table, without its header; empty where the corpus is not installed.
  static func rows(_ path: String) -> [[String]] {
    guard let folder, let text = try? String(contentsOfFile: folder + "/" + path, encoding: .utf8) else {
      return []
    }
    var rows: [[String]] = []
    var row: [String] = []
    var field = ""
    var isQuoted = false
    for character in text {
      switch character {
      case "\"": isQuoted.toggle()
      case "," where !isQuoted:
        row.append(field)
        field = ""
      case "\n" where !isQuoted, "\r\n" where !isQuoted:
        rows.append(row + [field])
        row = []
        field = ""
      default: field.append(character)
      }
    }
    return Array(rows.dropFirst())
  }
}
