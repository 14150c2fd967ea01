/// Words that nobody can guess.
package enum RandomToken {
  /// So many times 64 bits from the system's generator (getrandom(2)), as 16 hexadecimal digits each.
  package static func hex(words: Int = 2) -> String {
    (0..<words).map { _ in
      let digits = String(UInt64.random(in: .min ... .max), radix: 16)
      return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }.joined()
  }
}
