import LocationCore

/// The audio session that a program opens (rule F1).
enum AudioAnswer {
  /// Reads the object; nil where it is none: `kind` must be in it.
  static func read(from reader: inout JSONReader) throws(JSONError) -> AudioEvent? {
    var kind: AudioKind?
    var mixes = false
    try reader.openObject()
    while let key = try reader.nextKey() {
      switch reader.decoded(key) {
      case "kind": kind = AudioKind(rawValue: try reader.string())
      case "mixes": mixes = try reader.boolean()
      case _: try reader.skip()
      }
    }
    return kind.map { .begin($0, mixes: mixes) }
  }
}
