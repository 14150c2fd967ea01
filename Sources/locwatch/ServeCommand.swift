import ArgumentParser
import LocationFormats
import LocationLab
import LocationRuntime
import LocationWeb

/// `locwatch serve`: the page.
struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serve a web page: a live map with regions, track, events and why.",
    discussion: """
        locwatch serve                          # prints the address to open
        locwatch serve --listen 127.0.0.1:9000 --token ~/.config/locwatch/web.token
        locwatch serve --listen unix:/run/locwatch/web.sock --host maps.example.net
        locwatch serve --tiles 'https://tile.example.net/{z}/{x}/{y}.png' \\
          --attribution '(c) OpenStreetMap contributors'

      The page shows what the state file has, and follows the daemon if one runs.
      Whoever has the token may see where the device is and change regions. The
      server has no TLS; Docs/Serve.md shows it behind a proxy that has. The map
      needs Debian's libjs-leaflet.
      """)

  @Option(
    help: ArgumentHelp(
      "Where to listen: HOST:PORT, a port of this machine, or unix:PATH.",
      valueName: "address"))
  var listen: String = "127.0.0.1:\(ServeAddress.usualPort)"

  @Option(
    help: ArgumentHelp(
      "A file with the token, for its owner alone; made if there is none (default: a new token at each start, printed).",
      valueName: "file"), completion: .file())
  var token: String?

  @Option(
    name: [.customLong("host")],
    help: ArgumentHelp("A name under which browsers ask, as of a proxy; repeatable.", valueName: "name"))
  var hosts: [String] = []

  @Option(
    help: ArgumentHelp("Map tiles, with {z}, {x} and {y} (default: a plain background).", valueName: "url"))
  var tiles: String?

  @Option(help: ArgumentHelp("Whose tiles they are, shown on the map.", valueName: "text"))
  var attribution: String?

  @Option(help: ArgumentHelp("The folder of Leaflet.", valueName: "folder"), completion: .directory)
  var leaflet: String = Leaflet.usualFolder

  @Flag(help: "Regions can't be changed.")
  var readOnly = false

  @Flag(help: "Permit other machines without TLS: positions and token travel in the clear.")
  var allowPlain = false

  @OptionGroup var state: StateOptions

  func validate() throws {
    if hosts.contains("") { throw ValidationError("--host names no host") }
    if attribution != nil, tiles == nil { throw ValidationError("--attribution needs --tiles") }
    if let tiles {
      let isComplete = ["{z}", "{x}", "{y}"].allSatisfy { tiles.contains($0) }
      guard isComplete, tiles.hasPrefix("https://") || tiles.hasPrefix("http://"),
        tiles.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ";") })
      else {
        throw ValidationError("--tiles needs an address such as https://tile.example.net/{z}/{x}/{y}.png")
      }
    }
  }

  func run() throws {
    try Terminal.reporting { () throws(Failure) in
      var request = ServeRequest(state: try StatePath.resolve(option: state.state))
      request.address = try ServeAddress(listen)
      request.token = token
      request.hosts = hosts
      request.tiles = tiles
      request.attribution = attribution
      request.leaflet = leaflet
      request.isReadOnly = readOnly
      request.allowsPlain = allowPlain
      try state.noteIfMissing()
      do throws(Failure) {
        _ = try Leaflet.file(.script, in: leaflet)
      } catch {
        Terminal.warn(["the page has no map: \(error)"])
      }
      try Serve.run(request) { (place) throws(Failure) in
        try Terminal.print("locwatch: serving at \(place)\n")
      }
    }
  }
}
