/// The known word that a mistyped one most likely meant.
package enum NearestWord {
  /// The nearest of `words`, the earlier of equals; nil where none is near.
  ///
  /// Near means: at most a third of the longer word changed (and at least two letters allowed), or one is
  /// the other without its unit, so that `speed` finds `speed_mps`.
  package static func to(_ text: String, among words: [String]) -> String? {
    var best: (word: String, distance: Int)?
    for word in words {
      let distance = isStem(text, of: word) || isStem(word, of: text) ? 0 : editDistance(text, word)
      let allowed = max(2, max(text.utf8.count, word.utf8.count) / 3)
      guard distance <= allowed, distance < min(text.utf8.count, word.utf8.count) else { continue }
      if distance < best?.distance ?? Int.max { best = (word, distance) }
    }
    return best?.word
  }

  /// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
  ///
  /// - Complexity: O(n·m) in the UTF-8 lengths, of which only the first 64 bytes count.
  package static func editDistance(_ a: String, _ b: String) -> Int {
    let a = Array(a.utf8.prefix(64))
    let b = Array(b.utf8.prefix(64))
    var beforeLast = [Int](repeating: 0, count: b.count + 1)
    var last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      row.reserveCapacity(b.count + 1)
      for j in b.indices {
        let same = a[i] == b[j]
        var cost = min(last[j] + (same ? 0 : 1), last[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, beforeLast[j - 1] + 1) }
        row.append(cost)
      }
      beforeLast = last
      last = row
    }
    return last[b.count]
  }

  private static func isStem(_ stem: String, of word: String) -> Bool {
    !stem.isEmpty && word.utf8.starts(with: stem.utf8)
      && word.utf8.dropFirst(stem.utf8.count).first == UInt8(ascii: "_")
  }
}
