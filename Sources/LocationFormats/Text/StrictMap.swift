/// A map whose keys are all known.
///
/// The extension requires what a key must be. If the type required it, the runtime would look up each conformance.
package struct StrictMap<Key> {
  /// Every key with its value, in the order of the file.
  package let entries: [(key: Key, value: StrictYAML)]
  /// The map itself, for errors that concern it as a whole.
  package let node: StrictYAML
}

extension StrictMap where Key: RawRepresentable & CaseIterable & Equatable, Key.RawValue == String {
  /// The value of a key, or nil where the file does not have it.
  package func optional(_ key: Key) -> StrictYAML? {
    entries.first { $0.key == key }?.value
  }

  /// The value of a key that must be there.
  package func required(_ key: Key) throws(Failure) -> StrictYAML {
    guard let value = optional(key) else { throw node.failure("`\(key.rawValue)` is missing") }
    return value
  }

  /// The one key of `keys` that the map has.
  ///
  /// - Throws: A failure when it has none or more than one of them.
  package func exactlyOne(of keys: [Key]) throws(Failure) -> (key: Key, value: StrictYAML) {
    let present = entries.filter { keys.contains($0.key) }
    guard let first = present.first else {
      throw node.failure("one of \(keys.map(\.rawValue).joined(separator: ", ")) is missing")
    }
    guard present.count == 1 else {
      throw present[1].value.failure("can't stand beside `\(first.key.rawValue)`")
    }
    return first
  }

  /// Refuses every key but `keys`, saying beside what the others have no meaning.
  package func only(_ keys: [Key], beside reason: Key) throws(Failure) {
    for entry in entries where entry.key != reason && !keys.contains(entry.key) {
      throw entry.value.failure("has no meaning beside `\(reason.rawValue)`")
    }
  }
}
