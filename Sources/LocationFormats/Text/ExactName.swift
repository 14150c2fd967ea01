/// A name that is the same as another only where their bytes are, as for servers and files.
///
/// To Swift two texts are the same where Unicode says so: `ç` as one character, and as `c` with a cedilla.
package struct ExactName: Hashable {
  /// As it is written.
  package let text: String

  package init(_ text: String) { self.text = text }

  package static func == (one: ExactName, other: ExactName) -> Bool {
    one.text.utf8.elementsEqual(other.text.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
