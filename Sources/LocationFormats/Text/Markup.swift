/// Text in HTML and XML.
package enum Markup {
  /// Text as both allow it, also in an attribute: markup escaped, what XML 1.0 can't hold as spaces.
  package static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      case "\u{0}"..<"\u{20}", "\u{FFFE}", "\u{FFFF}": escaped += " "
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
