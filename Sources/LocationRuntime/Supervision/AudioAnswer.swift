import LocationCore
import LocationFormats

/// The audio session that a program opens (rule F1).
enum AudioAnswer {
  /// Reads the object; nil where it is none: `kind` must be in it, and no other key than `mixes` beside it.
  static func read(from reader: inout JSONReader) throws(JSONError) -> AudioEvent? {
    let tree = try JSONTree(&reader)
    guard tree.hasOnly(["kind", "mixes"]),
      let kind = tree["kind"]?.string.flatMap({ AudioKind(rawValue: $0) })
    else { return nil }
    guard let mixes = tree["mixes"] else { return .begin(kind, mixes: false) }
    guard case .boolean(let mixes) = mixes else { return nil }
    return .begin(kind, mixes: mixes)
  }
}
