import LocationFormats

/// A bar on standard error for input that takes a while.
package struct Progress {
  private let name: String
  private let total: Int
  private let start = ContinuousClock.now
  private var shown = -1

  /// Nil where the length of the input is not known.
  package init?(name: String, total: Int?) {
    guard let total, total > 0 else { return nil }
    self.name = name
    self.total = total
  }

  /// Draws the bar anew when it has grown, and not before half a second has passed.
  package mutating func show(_ done: Int) {
    let percent = min(100, done * 100 / total)
    guard percent > shown, ContinuousClock.now - start > .milliseconds(500) else { return }
    shown = percent
    let filled = percent * 30 / 100
    let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: 30 - filled)
    write("\r\(name) [\(bar)] \(percent) %")
  }

  /// Takes the bar away.
  package mutating func clear() {
    if shown >= 0 { write("\r\u{1B}[K") }
  }

  private func write(_ text: String) {
    do throws(Failure) {
      try OutputFile.standardError.write(Array(text.utf8))
    } catch {
      // A bar nobody can see is no loss.
    }
  }
}
