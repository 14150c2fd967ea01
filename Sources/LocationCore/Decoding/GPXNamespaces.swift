/// The XML namespaces in scope, as far as a reader of GPX needs them.
///
/// Real exporters leave out declarations, so a prefix may be unbound; that is not an error here. What counts
/// as GPX is decided once, by the root.
struct GPXNamespaces {
  /// What an element's namespace means to a reader of GPX.
  enum Meaning: Hashable {
    /// GPX 1.0, GPX 1.1, or whatever the root has.
    case gpx
    /// No namespace at all; taken as GPX.
    case none
    /// Declared, and another one.
    case foreign
    /// The prefix is not declared.
    case unbound

    /// Whether an element with it can be part of a track.
    var isGPX: Bool {
      switch self {
      case .gpx, .none: true
      case .foreign, .unbound: false
      }
    }
  }

  private struct Binding {
    var prefix: [UInt8]
    var meaning: Meaning
    var depth: Int
  }

  private var bindings: [Binding] = []
  /// The meaning of no prefix, kept at hand because nearly every element has none.
  private var meaningOfDefault = Meaning.none
  private var unboundRootPrefix: [UInt8]?

  /// More declarations in scope than this are refused; real files have about a dozen.
  static let maximumDeclarations = 256

  /// Whether elements without a prefix are GPX's.
  var defaultIsGPX: Bool { meaningOfDefault.isGPX }

  /// Takes a declaration on the element that opens at `depth`; false where there are too many.
  ///
  /// - Parameter name: `xmlns` or `xmlns:PREFIX`.
  mutating func declare(_ name: Span<UInt8>, uri: Span<UInt8>, depth: Int) -> Bool {
    guard bindings.count < Self.maximumDeclarations else { return false }
    let prefix = name.count > 6 ? name.extracting(6...).array : []
    let meaning: Meaning
    if uri.equals("http://www.topografix.com/GPX/1/1") || uri.equals("http://www.topografix.com/GPX/1/0") {
      meaning = .gpx
    } else if uri.isEmpty {
      meaning = prefix.isEmpty ? .none : .unbound
    } else {
      meaning = .foreign
    }
    bindings.append(Binding(prefix: prefix, meaning: meaning, depth: depth))
    if prefix.isEmpty { meaningOfDefault = meaning }
    return true
  }

  /// Forgets what was declared on the element that closes at `depth`.
  @inline(__always)
  mutating func close(depth: Int) {
    while bindings.count > 0, bindings[bindings.count - 1].depth >= depth {
      bindings.removeLast()
      meaningOfDefault = bindings.last { $0.prefix.isEmpty }?.meaning ?? .none
    }
  }

  /// Makes the root's namespace, whatever it is, mean GPX.
  mutating func adoptRoot(prefix: Span<UInt8>) {
    for index in bindings.indices where prefix.equals(bindings[index].prefix) {
      bindings[index].meaning = .gpx
    }
    if prefix.isEmpty {
      meaningOfDefault = .gpx
      return
    }
    if meaning(of: prefix) == .unbound { unboundRootPrefix = prefix.array }
  }

  /// What a prefix stands for where the parser is now; empty for the default namespace.
  func meaning(of prefix: Span<UInt8>) -> Meaning {
    if prefix.isEmpty { return meaningOfDefault }
    for index in bindings.indices.reversed() where prefix.equals(bindings[index].prefix) {
      return bindings[index].meaning
    }
    if prefix.equals("xml") { return .foreign }
    if let unboundRootPrefix, prefix.equals(unboundRootPrefix) { return .gpx }
    return .unbound
  }
}
