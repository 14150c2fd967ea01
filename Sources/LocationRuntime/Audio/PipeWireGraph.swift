import LocationCore
import LocationFormats

/// The streams of PipeWire's graph, as `pw-dump --monitor` tells them: bytes in, streams out.
///
/// What it writes are lists, one for each change, of objects that are new or have changed. One that is gone has no
/// `info`. Only streams of sound and the clients they belong to are kept.
package struct PipeWireGraph: Sendable {
  /// A stream that plays or records now.
  package struct Stream: Hashable, Sendable {
    /// By which other programs name it: `object.serial`.
    package var serial: Int
    /// The process it belongs to.
    package var pid: Int32
  }

  private struct Node: Hashable {
    var serial: Int
    var client: Int?
    var claimedPID: Int32?
    var isRunning: Bool
  }

  private struct Client: Hashable {
    var pid: Int32?
    var claimedPID: Int32?
    /// Whether it is a client of PulseAudio's protocol: of those the kernel knows only the server that speaks for them.
    var isSpokenFor: Bool
  }

  private var nodes: [Int: Node] = [:]
  private var clients: [Int: Client] = [:]
  private var text: [UInt8] = []
  /// Where in ``text`` the next byte is looked at, how many brackets are open there, and whether it is in a string.
  private var place = 0
  private var depth = 0
  private var isInString = false
  private var isEscaped = false
  /// Whether a list has come.
  package private(set) var isKnown = false

  package init() {}

  /// Streams that play or record, by their serial number.
  package var streams: [Stream] {
    nodes.values.filter(\.isRunning).compactMap { node in
      let client = node.client.flatMap { clients[$0] }
      let told = node.claimedPID ?? client?.claimedPID
      // What the kernel says of a client can't be forged; of one that is spoken for it says nothing.
      let pid = client?.isSpokenFor == false ? client?.pid ?? told : told
      return pid.map { Stream(serial: node.serial, pid: $0) }
    }
    .sorted { $0.serial < $1.serial }
  }

  /// Takes the next bytes; false where they are too many to be a list.
  package mutating func take(_ bytes: some Sequence<UInt8>) -> Bool {
    text += bytes
    var begin = 0
    while place < text.count {
      let byte = text[place]
      place += 1
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        if depth == 0 { begin = place - 1 }
        depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        depth -= 1
        guard depth <= 0 else { break }
        depth = 0
        take(list: Array(text[begin..<place]))
        begin = place
      case _: break
      }
    }
    // What is not whole yet begins the next piece.
    if depth == 0 { begin = place }
    text.removeFirst(begin)
    place -= begin
    return text.count <= Self.longestList
  }

  /// A desktop's graph takes 100 KB.
  private static let longestList = 4_000_000

  private mutating func take(list bytes: [UInt8]) {
    guard case .array(let objects)? = try? JSONTree(bytes) else { return }
    isKnown = true
    for object in objects {
      guard let id = object["id"]?.integer else { continue }
      guard let info = object["info"], info != .null else {
        nodes[id] = nil
        clients[id] = nil
        continue
      }
      switch object["type"]?.string {
      case "PipeWire:Interface:Node": nodes[id] = Self.node(info)
      case "PipeWire:Interface:Client": clients[id] = Self.client(info)
      case _: break
      }
    }
  }

  /// Nil where it is no stream of sound.
  private static func node(_ info: JSONTree) -> Node? {
    guard let properties = info["props"], let kind = properties["media.class"]?.string,
      kind == "Stream/Output/Audio" || kind == "Stream/Input/Audio",
      let serial = properties["object.serial"]?.integer
    else { return nil }
    return Node(
      serial: serial, client: properties["client.id"]?.integer,
      claimedPID: Self.pid(properties["application.process.id"]),
      isRunning: info["state"]?.string == "running")
  }

  private static func client(_ info: JSONTree) -> Client {
    let properties = info["props"]
    return Client(
      pid: pid(properties?["pipewire.sec.pid"]), claimedPID: pid(properties?["application.process.id"]),
      isSpokenFor: properties?["client.api"]?.string == "pipewire-pulse")
  }

  /// A number, or a text of one.
  private static func pid(_ value: JSONTree?) -> Int32? {
    value?.integer.flatMap { Int32(exactly: $0) } ?? value?.string.flatMap { Int32($0) }
  }
}
