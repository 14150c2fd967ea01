import Testing

@testable import LocationFleet

struct FixMessageTests {
  @Test(
    arguments: [
      ("{\"catalog\":1}", 1), ("{\"catalog\":1000000000}", 1_000_000_000), ("{\"catalog\":0}", nil),
      ("{\"catalog\":-1}", nil), ("{\"catalog\":1000000001}", nil),
      ("{\"catalog\":9223372036854775807}", nil), ("{\"catalog\":99999999999999999999}", nil),
      ("{\"catalog\":\"1\"}", nil), ("{}", nil), ("", nil),
    ] as [(String, Int?)])
  func `a version of the regions has a number that can be`(message: String, version: Int?) {
    #expect(FixMessage.announced(Array(message.utf8)) == version)
  }

  @Test(
    arguments: [
      ("fix.0.alice.phone", nil), ("fix.0.alice.a*b", nil), ("fix.0.alice.nl\nx", "alice.nl_x"),
      ("fix.0.alice.t\tx", "alice.t_x"), ("fix.0.alice.c\r\nx y", "alice.c__x_y"), ("fix.0.\n", "_"),
      ("fix.0.\u{300}alice.\u{300}\n", "\u{300}alice.\u{300}_"),
      ("fix.\n", "_"),
    ] as [(String, String?)])
  func `a name that no consumer can deliver is cleaned for the dead letters`(subject: String, name: String?) {
    #expect(FixMessage.cleanedName(ofUndeliverable: subject) == name)
  }
}
