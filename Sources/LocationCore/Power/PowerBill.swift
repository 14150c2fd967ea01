/// Who used how much of what under which rule (rule L1), without prices.
struct PowerBill: Hashable, Sendable, Codable {
  /// What one payer used of one thing under one rule.
  struct Line: Hashable, Sendable, Codable {
    var term: PowerTerm
    var payer: ReceiverUser
    /// Of a second, or of a thing.
    var millionths: Int64
  }

  /// Sorted by term, subscriber and rule.
  private(set) var lines: [Line] = []

  /// Adds millionths of a second, or of a thing, that one pays for.
  mutating func add(_ millionths: Int64, _ term: PowerTerm, _ payer: ReceiverUser) {
    guard millionths > 0 else { return }
    let order = (term.rawValue, payer.subscriber, payer.rule.rawValue)
    var low = 0
    var high = lines.count
    while low < high {
      let middle = (low + high) / 2
      let line = lines[middle]
      if (line.term.rawValue, line.payer.subscriber, line.payer.rule.rawValue) < order {
        low = middle + 1
      } else {
        high = middle
      }
    }
    if low < lines.count, lines[low].term == term, lines[low].payer == payer {
      lines[low].millionths = lines[low].millionths.saturatingAdd(millionths)
    } else {
      lines.insert(Line(term: term, payer: payer, millionths: millionths), at: low)
    }
  }

  /// Adds what several pay for in equal shares; what can't be divided falls to the first. Nobody in particular is
  /// `shared`.
  mutating func add(_ millionths: Int64, _ term: PowerTerm, among payers: [ReceiverUser]) {
    guard !payers.isEmpty else {
      return add(millionths, term, ReceiverUser(subscriber: PowerLedger.shared, rule: .sharedReceiver))
    }
    let count = Int64(payers.count)
    var odd = millionths % count
    for payer in payers {
      add(millionths / count + (odd > 0 ? 1 : 0), term, payer)
      odd -= 1
    }
  }

  /// What everyone used together.
  var use: PowerUse {
    var use = PowerUse()
    for line in lines { use.add(line.millionths, line.term) }
    return use
  }
}
