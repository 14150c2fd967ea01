import FoundationEssentials
import TestSupport

@testable import LocationRuntime

/// A table of the corpus that is packed with gzip.
enum GzipTable {
  /// The fields of every line but the first; empty where the corpus is absent.
  static func rows(_ relative: String) throws -> [[Substring]] {
    guard let path = Corpus.path(relative) else { return [] }
    let text = String(decoding: try unpacked(FileBytes.read(path: path)), as: UTF8.self)
    return text.split(separator: "\n").dropFirst().map {
      $0.split(separator: ",", omittingEmptySubsequences: false)
    }
  }

  private static func unpacked(_ packed: [UInt8]) throws -> [UInt8] {
    let gunzip = try Gunzip()
    var unpacked: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 20)
    var place = 0
    while place < packed.count {
      let step = try gunzip.step(
        packed.span.extracting(place..<packed.count), into: &piece, from: 0, to: piece.count)
      place += step.consumed
      unpacked += piece[..<step.produced]
    }
    return unpacked
  }
}
