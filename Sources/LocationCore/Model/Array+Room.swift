extension Array {
  /// Makes room for one more element, and for a quarter of those there are. By itself an array doubles its memory:
  /// thousands of devices have several each, most with a few elements.
  @inline(__always)
  mutating func makeRoomForOne() {
    if count == capacity { reserveCapacity(count + count / 4 + 1) }
  }

  /// Gives the room back, where it is for two elements or more, or for one where there is none.
  @inline(__always)
  mutating func freeRoom() {
    guard capacity > (isEmpty ? 0 : count + 1) else { return }
    var tight: [Element] = []
    tight.reserveCapacity(count)
    tight.append(contentsOf: self)
    self = tight
  }
}
