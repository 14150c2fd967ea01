import Testing

@testable import LocationCore
@testable import LocationFormats
@testable import LocationLab

/// Records that were kept as lines read as those that have just happened.
@Suite struct RecordTextTests {
  @Test(arguments: WireSample.bodies.indices)
  func `a record and its line have the same words`(index: Int) {
    let record = Record(
      id: 7, time: UTCTime(microseconds: 1_777_615_200_000_000), body: WireSample.bodies[index])
    let fresh = TextRecord(record)
    let kept = TextRecord(LocationFormats.JSONTree(record))
    #expect(fresh?.what == kept?.what)
    #expect(fresh?.detail == kept?.detail)
    #expect(fresh?.isConsequence == kept?.isConsequence)
  }
}
