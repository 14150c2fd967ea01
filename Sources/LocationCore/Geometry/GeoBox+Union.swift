extension GeoBox {
  /// The smallest box that holds some others, going east from the first.
  init(holding boxes: ArraySlice<GeoBox>) {
    guard var whole = boxes.first else {
      self.init(south: 0, north: 0, west: 0, width: 0)
      return
    }
    for box in boxes.dropFirst() { whole.extend(to: box) }
    self = whole
  }

  /// Widens the box, the shorter way round, until it holds another.
  mutating func extend(to box: GeoBox) {
    south = Swift.min(south, box.south)
    north = Swift.max(north, box.north)
    var ahead = (box.west - west).truncatingRemainder(dividingBy: 360)
    if ahead < 0 { ahead += 360 }
    let eastward = Swift.max(width, ahead + box.width)
    let westward = Swift.max(width + 360 - ahead, box.width)
    if Swift.min(eastward, westward) >= 360 {
      west = -180
      width = 360
    } else if eastward <= westward {
      width = eastward
    } else {
      west = box.west
      width = westward
    }
  }
}
