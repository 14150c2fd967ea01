/// A new order of a list, which it brings about in place: a copy of a million regions would not fit beside them.
struct Permutation {
  /// For each place, the old place of what comes there; each old place once.
  private let order: [Int32]

  init(_ order: [Int32]) { self.order = order }

  /// Puts a list of as many elements in the order.
  ///
  /// Elements are moved along each cycle, never copied, so no reference is counted.
  func apply<Element>(to list: inout [Element]) {
    precondition(list.count == order.count, "an order has as many places as its list")
    var isPlaced = [Bool](repeating: false, count: order.count)
    unsafe list.withUnsafeMutableBufferPointer { elements in
      for start in order.indices where !isPlaced[start] {
        var place = start
        isPlaced[start] = true
        while Int(order[place]) != start {
          let old = Int(order[place])
          unsafe elements.swapAt(place, old)
          isPlaced[old] = true
          place = old
        }
      }
    }
  }
}
