import LocationCore

extension Double {
  /// A number as people and programs write it: a decimal, or with an exponent, such as `-5.1e-05`.
  ///
  /// White space around it is allowed. Nil where it is no number; infinite beyond the range.
  init?(numberText text: Span<UInt8>) {
    guard
      let number = Double(xsdDecimal: text)
        ?? Double(jsonNumber: text.extracting(text.rangeWithinXMLSpace))
    else { return nil }
    self = number
  }
}
