import Testing

@testable import LocationFleet

struct JetStreamTests {
  @Test(arguments: [
    (500, 10_052, "duplicates window can not be larger then max age", true),
    (500, 10_074, "replicas > 1 not supported in non-clustered mode", true),
    (503, 10_008, "JetStream system temporarily unavailable", false),
    (500, 10_009, "JetStream not leader", false), (503, 10_023, "insufficient resources", false),
  ])
  func `a refusal that does not pass is told from one that may`(
    code: Int, errorCode: Int, description: String, isPermanent: Bool
  ) {
    let refusal = JetStream.Refusal(code: code, errorCode: errorCode, description: description)
    #expect(refusal.isPermanent == isPermanent)
  }
}
