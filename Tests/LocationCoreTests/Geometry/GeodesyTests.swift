import LocationCore
import Testing

@Suite struct GeodesyTests {
  @Test func flindersPeakToBuninyong() throws {
    let a = try #require(Coordinate(latitude: -37.95103341666667, longitude: 144.42486788888888))
    let b = try #require(Coordinate(latitude: -37.65282113888889, longitude: 143.92649552777777))
    #expect(abs(Geodesy.distanceMeters(a, b) - 54972.271) < 1e-3)
  }
}
