/// A piece of an XML document, in the order of the document.
package enum XMLEvent: Sendable {
  /// Names are without their prefix.
  case start(name: String, attributes: [Attribute], line: Int)
  /// UTF-8; a text may come in several pieces, cut anywhere but within a character.
  case text([UInt8])
  case end(name: String)

  /// An attribute; both parts are decoded.
  package struct Attribute: Sendable {
    var name: String
    var value: String
  }
}
