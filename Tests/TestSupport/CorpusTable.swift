import Foundation

/// Tables of the corpus.
package enum CorpusTable {
  /// The rows of a CSV file (RFC 4180) of the corpus, without its header; empty where the corpus is absent.
  package static func rows(_ relativePath: String) -> [[String]] {
    guard let corpus = Corpus.folder,
      let text = try? String(contentsOfFile: corpus + "/" + relativePath, encoding: .utf8)
    else { return [] }
    var rows: [[String]] = []
    var row: [String] = []
    var field = ""
    var isQuoted = false
    // Scalars, not characters: a combining mark after a comma must not swallow it.
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": isQuoted.toggle()
      case "," where !isQuoted:
        row.append(field)
        field = ""
      case "\r" where !isQuoted: break
      case "\n" where !isQuoted:
        rows.append(row + [field])
        row = []
        field = ""
      default: field.unicodeScalars.append(scalar)
      }
    }
    return Array(rows.dropFirst())
  }
}
