/// Packages apart, such as Fuzz/, whose sources are the root's through links.
extension Tidy {
  /// A package apart says the same as the root's manifest of each target of the root that it builds again: what it needs
  /// and which resources it embeds. It takes the same versions of other packages.
  ///
  /// Only the Swift settings may differ. Targets outside Sources/ are its own business.
  static func sharedTargets(in manifest: String, of path: String, root: String) -> [Violation] {
    let own = calls(in: root)
    var violations: [Violation] = []
    for call in calls(in: manifest) where call.isShared {
      guard let other = own.first(where: { $0.name == call.name }), other.isShared else { continue }
      if call.text != other.text {
        violations.append(
          Violation(
            path, call.line, "\(call.name) is not as in Package.swift: \(call.text), not \(other.text)"))
      }
    }
    return violations
  }

  /// What a manifest says of a target or of another package.
  private struct ManifestCall {
    /// The target's name, or the other package's address.
    var name: String
    var line: Int
    /// Without white space, comments and Swift settings.
    var text: String
    /// Whether it is a package, or a target in the folder where SwiftPM looks for it.
    var isShared: Bool { !text.contains(",path:") }
  }

  private static func calls(in manifest: String) -> [ManifestCall] {
    let beginnings = [".target(name:", ".systemLibrary(name:", ".package(url:"]
    var calls: [ManifestCall] = []
    var line = 0
    var open: (line: Int, text: String)?
    for source in manifest.split(separator: "\n", omittingEmptySubsequences: false) {
      line += 1
      let words = source.filter { !$0.isWhitespace }
      guard !words.hasPrefix("//") else { continue }
      // A call begins its line; the name may stand on the next one.
      if open == nil, [".target(", ".systemLibrary(", ".package("].contains(where: words.hasPrefix) {
        open = (line, "")
      }
      guard let begun = open else { continue }
      let text = begun.text + words
      open = (begun.line, text)
      let depth = text.reduce(0) { $0 + ($1 == "(" ? 1 : $1 == ")" ? -1 : 0) }
      guard depth == 0 else { continue }
      open = nil
      guard let beginning = beginnings.first(where: text.hasPrefix) else { continue }
      let name = text.dropFirst(beginning.count + 1).prefix { $0 != "\"" }
      calls.append(ManifestCall(name: String(name), line: begun.line, text: withoutSettings(text)))
    }
    return calls
  }

  private static func withoutSettings(_ text: String) -> String {
    let trimmed = text.hasSuffix(",") ? text.dropLast() : text[...]
    guard let settings = trimmed.firstRange(of: ",swiftSettings:") else { return String(trimmed) }
    let name = trimmed[settings.upperBound...].prefix { $0.isLetter }
    return String(trimmed[..<settings.lowerBound] + trimmed[name.endIndex...])
  }
}
