import LocationCore
import Testing

@Suite struct DistanceFilterTests {
  @Test func theFirstPassesAndThenEveryStepOfTheThreshold() throws {
    var filter = DistanceFilter(thresholdMeters: 100)
    var passed: [Int] = []
    for index in 0..<50 {
      let place = try #require(Coordinate(latitude: 0, longitude: Double(index) * 0.0003))
      if filter.passes(place) { passed.append(index) }
    }
    // 0.0003 degrees of longitude on the equator are 33.396 m: the third step is 100.19 m.
    #expect(passed == Array(stride(from: 0, to: 50, by: 3)))
  }
}
