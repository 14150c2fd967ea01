import LocationFormats
import LocationRuntime
import Testing

/// A status in words.
@Suite struct StatusTextTests {
  @Test(arguments: [
    ("localhost:2947", "gpsd is not there"), ("tcp:127.0.0.1:1", "it is not there"),
    ("mqtt:owntracks/anna/phone", "it is not there"), ("geoclue", "it is not there"),
  ])
  func `only a gpsd is called so`(address: String, words: String) throws {
    let daemon = #"{"pid":1,"since":"2026-05-01T06:00:00.000Z","gpsd":"\#(address)"}"#
    let line = #"{"daemon":\#(daemon),"source":{"state":"lost"}}"#
    let text = StatusText.describe(try LocationFormats.JSONTree(Array(line.utf8)))
    #expect(text.contains("\(address): no fixes: \(words)\n"), "\(text)")
  }

  @Test func `a source that can't be read has the reason and the remedy`() throws {
    let daemon = #"{"pid":1,"since":"2026-05-01T06:00:00.000Z","gpsd":"localhost:2947"}"#
    let source = #"{"state":"lost","reason":"gpsd is not there: Connection refused","remedy":"start it"}"#
    let text = StatusText.describe(
      try LocationFormats.JSONTree(Array(#"{"daemon":\#(daemon),"source":\#(source)}"#.utf8)))
    #expect(text.contains(": no fixes: gpsd is not there: Connection refused; start it\n"), "\(text)")
  }
}
