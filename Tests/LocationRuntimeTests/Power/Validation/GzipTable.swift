import FoundationEssentials
import TestSupport

@testable import LocationFormats

/// A table of the corpus that is packed with gzip.
enum GzipTable {
  /// The fields of every line but the first; empty where the corpus is absent.
  static func rows(_ relative: String) throws -> [[Substring]] {
    guard let path = Corpus.path(relative) else { return [] }
    var file = try InputBytes(path: path)
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = try file.read(into: &piece)
      if count == 0 { break }
      bytes += piece[..<count]
    }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").dropFirst()
      .map { $0.split(separator: ",", omittingEmptySubsequences: false) }
  }
}
