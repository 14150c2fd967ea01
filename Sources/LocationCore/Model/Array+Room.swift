extension Array {
  /// Makes room for one more element, and for a quarter of those there are. By itself an array doubles its memory:
  /// thousands of devices have several each, most with a few elements.
  @inline(__always)
  mutating func makeRoomForOne() {
    if count == capacity { reserveCapacity(count + count / 4 + 1) }
  }
}
