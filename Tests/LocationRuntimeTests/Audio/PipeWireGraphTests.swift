import Testing

@testable import LocationRuntime

/// What `pw-dump --monitor` of PipeWire 0.3.65 writes, shortened to what matters, and what is made of it.
@Suite struct PipeWireGraphTests {
  private static let clients = #"""
    [
      {
        "id": 33,
        "type": "PipeWire:Interface:Client",
        "info": { "props": { "application.process.id": 700, "pipewire.sec.pid": 701, "brackets": "]}[{\"\\" } }
      },
      {
        "id": 41,
        "type": "PipeWire:Interface:Client",
        "info": { "props": { "application.process.id": "6961", "client.api": "pipewire-pulse",
          "pipewire.sec.pid": 6872 } }
      }
    ]
    """#

  private static func node(_ id: Int, client: Int, _ state: String, _ kind: String = "Stream/Output/Audio")
    -> String
  {
    #"""
    [ { "id": \#(id), "type": "PipeWire:Interface:Node", "info": { "state": "\#(state)", "props": {
      "client.id": \#(client), "media.class": "\#(kind)", "object.serial": \#(id + 100) } } } ]
    """#
  }

  @Test(arguments: [1, 7, 100_000]) func `streams that run are those of their processes`(piece: Int) {
    var graph = PipeWireGraph()
    let text = Array(
      (Self.clients + Self.node(37, client: 41, "running")
        + Self.node(38, client: 33, "running", "Stream/Input/Audio")
        + Self.node(39, client: 33, "idle") + Self.node(40, client: 33, "running", "Audio/Sink")).utf8)
    #expect(!graph.isKnown)
    var place = 0
    while place < text.count {
      let isTaken = graph.take(text[place..<min(place + piece, text.count)])
      #expect(isTaken)
      place += piece
    }
    #expect(graph.isKnown)
    // What the kernel says of a client counts; of one that PulseAudio's server speaks for, what it claims.
    #expect(
      graph.streams == [.init(serial: 137, pid: 6961), .init(serial: 138, pid: 701)])
  }

  @Test func `one that is paused or gone does not run any more`() {
    var graph = PipeWireGraph()
    _ = graph.take(Array(Self.clients.utf8))
    _ = graph.take(Array(Self.node(37, client: 41, "running").utf8))
    #expect(graph.streams.count == 1)
    _ = graph.take(Array(Self.node(37, client: 41, "idle").utf8))
    #expect(graph.streams.isEmpty)
    _ = graph.take(Array(Self.node(37, client: 41, "running").utf8))
    _ = graph.take(Array(#"[ { "id": 37, "info": null } ]"#.utf8))
    #expect(graph.streams.isEmpty)
  }

  @Test func `what is no list is passed over, and what never ends is given up`() {
    var graph = PipeWireGraph()
    let isTaken = graph.take(Array("]} nonsense {\"id\":1} [1, {\"id\":\"x\"}] [".utf8))
    #expect(isTaken)
    #expect(graph.streams.isEmpty)
    var given = true
    for _ in 0..<100 where given { given = graph.take([UInt8](repeating: UInt8(ascii: " "), count: 65_536)) }
    #expect(!given)
  }
}
