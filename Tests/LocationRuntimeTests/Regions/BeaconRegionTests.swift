import Testing

@testable import LocationCore
@testable import LocationFormats

/// Rule B11: regions of beacons in files and on the command line.
@Suite struct BeaconRegionTests {
  private static let uuid = "2f234454-cf6d-4a0f-adf2-f4911ba9ffa6"

  private static func read(_ beacon: String) throws(Failure) -> RegionFile {
    let text =
      #"{"type":"Feature","id":"desk","properties":{"beacon":\#(beacon)},"geometry":null}"#
    return try RegionFile.read(bytes: Array(text.utf8), name: "test.geojson")
  }

  @Test(
    arguments: [
      (#""\#(uuid):1:7""#, uuid + ":1:7"), (#"{"uuid":"\#(uuid)","major":1,"minor":7}"#, uuid + ":1:7"),
      (#"{"uuid":"\#(uuid)"}"#, uuid),
      (
        #"{"namespace":"00112233445566778899","instance":"aabbccddeeff"}"#,
        "00112233445566778899:aabbccddeeff"
      ),
    ])
  func `B11 a feature names its beacon`(json: String, text: String) throws {
    let file = try Self.read(json)
    #expect(file.regions.map(\.id) == ["desk"])
    #expect(file.regions.first?.shape == .beacon(try #require(Beacon(text))))
  }

  @Test(arguments: [#""desk""#, #"{"major":1}"#, #"{"uuid":"\#(uuid)","minor":7}"#])
  func `B11 what is no beacon is an error`(json: String) {
    #expect(throws: Failure.self) { try Self.read(json) }
  }

  @Test func `B11 a region of a beacon is added from the command line`() throws {
    let file = try RegionEdit(id: "desk").apply(toBeacon: Self.uuid + ":1:7")
    #expect(file.regions.first?.shape == .beacon(try #require(Beacon(Self.uuid + ":1:7"))))
    #expect(throws: Failure.self) { try RegionEdit(id: "desk").apply(toBeacon: "desk") }
  }
}
