import LocationCore
import LocationFormats
import LocationLab
import LocationRuntime

/// What is answered to whom. Paths name no files but two of Leaflet's.
struct ServeRoutes {
  private let request: ServeRequest
  private let access: WebAccess
  private let seat: DaemonSeat
  private let policy: String

  init(_ request: ServeRequest, _ access: WebAccess) {
    self.request = request
    self.access = access
    seat = DaemonSeat(state: request.state, answerSeconds: ServeLoop.Limits.daemonSeconds)
    policy = Self.policy(tiles: request.tiles)
  }

  /// What the page may load: its own, and the map's tiles.
  private static func policy(tiles: String?) -> String {
    var images = "'self' data:"
    if let tiles, let mark = tiles.firstRange(of: "://")?.upperBound {
      // Some servers have {s} as the first part of their name.
      let host = tiles[mark...].prefix { $0 != "/" }
      images += " \(tiles[..<mark])\(String(host).replacing("{s}", with: "*"))"
    }
    return "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src \(images); "
      + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
  }

  /// The answer to a request.
  func answer(_ http: HTTPRequest) -> HTTPResponse {
    guard http.method == "HEAD" else { return fullAnswer(http) }
    var response = fullAnswer(http)
    response.isHead = true
    return response
  }

  private func fullAnswer(_ http: HTTPRequest) -> HTTPResponse {
    let isPublic = !http.path.hasPrefix("/api/")
    let methods = Self.methods(of: http.path)
    if let refusal = access.refusal(of: http, isPublic: isPublic, methods: methods) { return refusal }
    do throws(Failure) {
      return isPublic ? try page(http.path) : try api(http)
    } catch {
      return .failure(error, Self.status(of: error))
    }
  }

  /// The methods that a path takes; none where there is nothing.
  private static func methods(of path: String) -> [String] {
    switch path {
    case "/", "/page.js", "/page.css", "/leaflet/leaflet.js", "/leaflet/leaflet.css", "/api/config",
      "/api/status", "/api/metrics", "/api/events", "/api/track", "/api/power", "/api/explain":
      ["GET", "HEAD"]
    case "/api/regions": ["GET", "HEAD", "POST"]
    case "/api/stream": ["GET"]
    case _: path.hasPrefix(regionPath) ? ["PUT", "DELETE"] : []
    }
  }

  private static func status(of failure: Failure) -> HTTPStatus {
    switch failure.code {
    case .usage, .data: .badRequest
    case .cantCreate: .conflict
    case .conditionFails: .notFound
    case .noPermission: .forbidden
    case .unavailable, .tryAgain: .unavailable
    case .noInput, .software, .io, .config: .failed
    }
  }

  // MARK: - The page

  private func page(_ path: String) throws(Failure) -> HTTPResponse {
    switch path {
    case "/": file("text/html; charset=utf-8", Self.index)
    case "/page.js": file("text/javascript; charset=utf-8", PageTemplate.script(for: .server))
    case "/page.css": file("text/css; charset=utf-8", PageTemplate.style)
    case "/leaflet/leaflet.js":
      file("text/javascript; charset=utf-8", try Leaflet.file(.script, in: request.leaflet))
    case "/leaflet/leaflet.css":
      file("text/css; charset=utf-8", try Leaflet.file(.style, in: request.leaflet))
    case _: .refusal(.notFound, "there is nothing at that path")
    }
  }

  private static let index = PageTemplate.page(
    for: .server, ["feed": "server", "title": "locwatch", "clock": "Time"].mapValues { Array($0.utf8) })

  private func file(_ type: String, _ bytes: [UInt8]) -> HTTPResponse {
    var response = HTTPResponse(type: type, body: bytes)
    response.headers = [("Content-Security-Policy", policy)]
    return response
  }

  // MARK: - Data

  private func api(_ http: HTTPRequest) throws(Failure) -> HTTPResponse {
    let region =
      http.path.hasPrefix(Self.regionPath) ? String(http.path.dropFirst(Self.regionPath.count)) : nil
    switch (http.method == "HEAD" ? "GET" : http.method, http.path) {
    case ("GET", "/api/config"): return .json(config)
    case ("GET", "/api/status"): return .json(try seat.pricedStatus().text)
    case ("GET", "/api/metrics"): return try metrics(http)
    case ("GET", "/api/regions"): return .json(try regions())
    case ("POST", "/api/regions"): return try add(http)
    case ("PUT", _) where region != nil: return try move(try id(region), http)
    case ("DELETE", _) where region != nil: return try remove(try id(region))
    case ("GET", "/api/events"): return .json(try events(http))
    case ("GET", "/api/track"): return .json(try track(http))
    case ("GET", "/api/power"): return .json(try power())
    case ("GET", "/api/explain"): return .json(try explain(http))
    case ("GET", "/api/stream"): return try stream(http)
    case _: return .refusal(.notFound, "there is nothing at that path")
    }
  }

  private static let regionPath = "/api/regions/"

  private func id(_ text: String?) throws(Failure) -> String {
    guard let id = text.flatMap({ HTTPRequest.decoded($0.replacing("+", with: "%2B")) }), !id.isEmpty else {
      throw Failure(.usage, what: "that is no id of a region")
    }
    return id
  }

  private var config: String {
    JSONTree.object([
      "read_only": .boolean(access.isReadOnly), "tiles": request.tiles.map { .string($0) },
      "attribution": request.attribution.map { .string($0) },
    ]).text
  }

  private func database() throws(Failure) -> StateDatabase {
    guard let database = try StateDatabase.openToRead(path: request.state) else {
      throw DaemonSeat.noState(request.state)
    }
    return database
  }

  private func regions() throws(Failure) -> String {
    let all = try database().regions(.all).regions
    let list = JSONTree.array(all.prefix(Self.regionLimit).map { RegionOutline.tree(of: $0) })
    return JSONTree.object(["regions": list, "all": .integer(all.count)]).text
  }

  /// Regions that a page draws at most.
  private static let regionLimit = 2_000

  private func number(_ http: HTTPRequest, _ key: String) throws(Failure) -> Int? {
    guard let text = http.query[key] else { return nil }
    guard let number = Int(text), number >= 0 else { throw Failure(.usage, what: "\(key) is no number") }
    return number
  }

  private func time(_ http: HTTPRequest, _ key: String) throws(Failure) -> UTCTime? {
    guard let text = http.query[key] else { return nil }
    guard let time = UTCTime(rfc3339: text) else { throw Failure(.usage, what: "\(key) is no time") }
    return time
  }

  private func events(_ http: HTTPRequest) throws(Failure) -> String {
    let database = try self.database()
    // Ids grow faster than events: decisions and reports have some too.
    let newest = try database.lastEventID()
    let since = try number(http, "since") ?? max(0, newest - Self.eventIDs)
    let page = try database.events(after: since, limit: Self.eventRows)
    let lines = page.bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    return "{\"newest\":\(page.lastID ?? newest),\"events\":[\(lines.joined(separator: ","))]}"
  }

  private static let eventIDs = 3_000
  private static let eventRows = 3_000

  private func track(_ http: HTTPRequest) throws(Failure) -> String {
    guard let from = try time(http, "from"), let to = try time(http, "to") else {
      throw Failure(.usage, what: "say from when to when")
    }
    return try DayTrack(try database(), from: from, to: to).json
  }

  private func metrics(_ http: HTTPRequest) throws(Failure) -> HTTPResponse {
    let isOpen = http.headers["accept"]?.contains("application/openmetrics-text") ?? false
    let format: MetricsFormat = isOpen ? .openmetrics : .prometheus
    let text = MetricsText.describe(try seat.status(), as: format)
    return HTTPResponse(type: format.contentType, body: Array(text.utf8))
  }

  private func power() throws(Failure) -> String {
    let spent = try seat.energy()
    let account = EnergyAccount(spent.rows, spent.books, byDay: true)
    let lines = account.rowLines(at: SystemClock().read().utc).map { $0.dropLast() }
    return "{\"rows\":[\(lines.joined(separator: ","))]}"
  }

  private func explain(_ http: HTTPRequest) throws(Failure) -> String {
    let question = Question(
      at: try time(http, "at"), event: try number(http, "event"), region: http.query["region"],
      subscriber: http.query["subscriber"])
    guard question.at == nil || question.event == nil else {
      throw Failure(.usage, what: "at and event exclude each other", remedy: "give one of them")
    }
    let explanation = try Explanation(question, state: request.state)
    let text = explanation.text(in: try TimeZoneFile.machine())
    return JSONTree.object(["text": .string(text), "explanation": explanation.tree]).text
  }

  private func stream(_ http: HTTPRequest) throws(Failure) -> HTTPResponse {
    var response = HTTPResponse(type: "text/event-stream", body: [])
    response.lastID = try number(http, "since")
    response.isStream = true
    return response
  }

  // MARK: - Changes

  /// The circle of a request, which may have further keys.
  private func circle(
    _ http: HTTPRequest, others: [String] = []
  ) throws(Failure) -> (tree: JSONTree, circle: PlaceText.Circle) {
    var reader = JSONReader(http.body)
    guard let tree = try? JSONTree(&reader), reader.isAtEnd() else {
      throw Failure(.data, what: "the body is no JSON")
    }
    let keys = others + ["lat", "lon", "radius_m"]
    if case .object(let members) = tree, let other = members.first(where: { !keys.contains($0.key) }) {
      throw Failure(
        .data, what: "\"\(other.key)\" is no key here", remedy: "the keys are \(keys.joined(separator: ", "))"
      )
    }
    guard let latitude = tree["lat"]?.double, let longitude = tree["lon"]?.double,
      let radius = tree["radius_m"]?.double
    else { throw Failure(.data, what: "a circle has lat, lon and radius_m, which are numbers") }
    guard (-90...90).contains(latitude) else {
      throw Failure(.data, what: "lat is \(tree["lat"]?.text ?? ""), and a latitude is from -90 to 90")
    }
    guard (-180...180).contains(longitude) else {
      throw Failure(.data, what: "lon is \(tree["lon"]?.text ?? ""), and a longitude is from -180 to 180")
    }
    let center = Coordinate(uncheckedLatitude: latitude, longitude: longitude)
    return (tree, PlaceText.Circle(center: center, radiusMeters: radius))
  }

  private func add(_ http: HTTPRequest) throws(Failure) -> HTTPResponse {
    let (tree, circle) = try circle(http, others: ["id", "name"])
    guard let id = tree["id"]?.string else { throw Failure(.data, what: "a region has an id") }
    var edit = RegionEdit(id: id)
    if let name = tree["name"] {
      guard let text = name.string else { throw Failure(.data, what: "name is \(name.text), and not a text") }
      edit.name = text
    }
    do throws(Failure) {
      return try store(try edit.apply(to: circle), id, changing: false)
    } catch  where error.code == .cantCreate {
      throw Failure(
        .cantCreate, what: error.what, remedy: "PUT \(Self.regionPath)ID moves it, DELETE removes it")
    }
  }

  private func move(_ id: String, _ http: HTTPRequest) throws(Failure) -> HTTPResponse {
    let (_, circle) = try circle(http)
    let file = try database().regions(.ids([id]))
    guard let region = file.regions.first else { throw Failure.unknownRegion(id) }
    guard case .circle = region.shape else {
      throw Failure(
        .data, what: "\(id) is no circle",
        remedy: "locwatch regions edit \(CommandText.word(id)) changes its outline")
    }
    return try store(try file.feature(at: 0).moved(to: circle), id, changing: true)
  }

  private func store(_ file: RegionFile, _ id: String, changing: Bool) throws(Failure) -> HTTPResponse {
    _ = try StateDatabase.open(path: request.state).put([file], changing: changing)
    try seat.note([.regions([id])])
    return .json(file.regions.first.map { RegionOutline.tree(of: $0).text } ?? "{}")
  }

  private func remove(_ id: String) throws(Failure) -> HTTPResponse {
    let count = try StateDatabase.open(path: request.state).remove(.ids([id]))
    guard count > 0 else { throw Failure.unknownRegion(id) }
    try seat.note([.regions([id])])
    return .json("{}")
  }
}
