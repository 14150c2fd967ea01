/// Makes a track out of the events of an XML parser: what GPX means, without how XML is read.
///
/// Feed it each start tag (its attributes first), text and end tag in order. It keeps the point under way,
/// the namespaces in scope and the finished items that nobody took yet, and nothing else: its memory does not
/// grow with the file, but for routes and waypoints, which are kept until the end to a stated limit because
/// they count only where there is no track.
///
/// It never fails on what it does not know. What it must refuse stands in ``refusal`` after the event.
package struct GPXAssembler {
  /// Why the document can't be read as a track.
  package enum Refusal: Hashable, Sendable {
    /// The root is another element; its name.
    case root(String)
    /// More namespace declarations in scope than ``GPXNamespaces/maximumDeclarations``.
    case namespaces
    /// Elements nested deeper than ``GPXAssembler/maximumDepth``.
    case depth
  }

  /// The finished items; the caller takes them away.
  package var items: [TrackItem] = []
  /// Set once, by the event that could not be taken.
  package private(set) var refusal: Refusal?
  /// Generous readings, each once, in the order in which they were met.
  package private(set) var notes: [String] = []
  /// What was met, for the message when there is no point in it.
  package private(set) var census = Census()

  /// How many of each the document has so far.
  package struct Census: Hashable, Sendable {
    /// `trk` elements.
    package var tracks = 0
    /// `rte` elements.
    package var routes = 0
    /// `trkpt` elements.
    package var trackPoints = 0
    /// `rtept` elements.
    package var routePoints = 0
    /// `wpt` elements.
    package var waypoints = 0
  }

  /// Routes and waypoints beyond this are not kept: 100,000 take about 11 MB.
  package static let maximumHeldPoints = 100_000

  /// Parsers keep each open element; GPX itself needs six levels, extensions a few more.
  package static let maximumDepth = 1000

  private enum Kind { case track, route, waypoint }
  private enum Context {
    case gpx, track, segment, route
    case point(Kind)
    case field(GPXPoint.Field)
    case extensions
  }

  let assumeAccuracyMeters: Double?
  private var contexts: [Context] = []
  private var namespaces = GPXNamespaces()
  private var depth = 0
  /// Elements opened inside one that means nothing to us.
  private var skipped = 0
  /// Elements opened inside extensions, and the one whose text is wanted.
  private var extensionDepth = 0
  private var extensionField: (field: GPXPoint.Field, depth: Int)?
  private var point = GPXPoint(latitude: .nan, longitude: .nan)
  private var latitude = Double.nan
  private var longitude = Double.nan
  private var version: [UInt8]?
  private var text: [UInt8] = []
  private var isCollecting = false
  private var isTextSpoilt = false
  private var needsBreak = false
  private var held: [Kind: [TrackItem]] = [.route: [], .waypoint: []]
  private var heldNeedsBreak = false
  private var lastUnboundPrefix: [UInt8] = []

  /// A field's text beyond this is not a value; the field stays unknown.
  private static let maximumFieldBytes = 1024

  /// - Parameter assumeAccuracyMeters: the 68 % radius of a point that does not tell its own; nil for a
  ///   typical one.
  package init(assumeAccuracyMeters: Double?) {
    self.assumeAccuracyMeters = assumeAccuracyMeters
    text.reserveCapacity(Self.maximumFieldBytes)
  }

  /// Whether the point under way is one of a track; nil outside a point.
  package var isInTrackPoint: Bool? {
    guard case .point(let kind)? = contexts.last else { return nil }
    return kind == .track
  }

  /// An attribute of the start tag that comes next.
  package mutating func attribute(_ name: Span<UInt8>, value: Span<UInt8>) {
    if name.equals("lat") {
      latitude = Double(xsdDecimal: value) ?? .nan
    } else if name.equals("lon") {
      longitude = Double(xsdDecimal: value) ?? .nan
    } else if name.starts(with: "xmlns"), name.count == 5 || name[5] == UInt8(ascii: ":") {
      if !namespaces.declare(name, uri: value, depth: depth + 1) { refusal = refusal ?? .namespaces }
    } else if depth == 0, name.equals("version") {
      version = value.array
    }
  }

  /// A start tag; its name with its prefix.
  package mutating func start(_ name: Span<UInt8>) {
    depth += 1
    if depth > Self.maximumDepth { refusal = refusal ?? .depth }
    let colon = name.firstIndex(of: UInt8(ascii: ":"))
    let local = name.extracting((colon.map { $0 + 1 } ?? 0)...)
    let prefix = name.extracting(..<(colon ?? 0))
    guard depth > 1 else {
      root(local, prefix: prefix)
      return
    }
    let isGPX = isGPX(prefix)
    if skipped > 0 {
      skipped += 1
    } else {
      child(local, isGPX: isGPX)
    }
    latitude = .nan
    longitude = .nan
  }

  /// Text between tags; it may come in any number of pieces.
  package mutating func characters(_ piece: Span<UInt8>) {
    guard isCollecting, skipped == 0, extensionField.map({ $0.depth == extensionDepth }) ?? true else {
      return
    }
    guard text.count + piece.count <= Self.maximumFieldBytes else {
      isTextSpoilt = true
      return
    }
    for index in 0..<piece.count { text.append(piece[index]) }
  }

  /// A reference that the parser does not resolve stands in the text here.
  package mutating func unresolvedReference() { isTextSpoilt = isTextSpoilt || isCollecting }

  /// An end tag.
  package mutating func end() {
    namespaces.close(depth: depth)
    depth -= 1
    if skipped > 0 {
      skipped -= 1
    } else if extensionDepth > 0 {
      endInExtensions()
    } else if let context = contexts.popLast() {
      end(context)
    }
  }

  /// The points that were kept back, as the document has no track point; routes before waypoints.
  ///
  /// - Returns: nil where there were more than ``maximumHeldPoints``.
  package mutating func takeHeldItems() -> [TrackItem]? {
    let kind: Kind = census.routePoints > 0 ? .route : .waypoint
    let count = census.routePoints > 0 ? census.routePoints : census.waypoints
    guard count <= Self.maximumHeldPoints else { return nil }
    if count > 0 {
      let noun = kind == .route ? "route point" : "waypoint"
      note("no track points; \(count) \(noun)\(count == 1 ? "" : "s") taken instead")
    }
    let items = held[kind] ?? []
    held = [:]
    return items
  }

  // MARK: - Points read elsewhere

  /// Whether a track point without a prefix that comes next may be handed to ``take(_:)`` as a whole instead.
  ///
  /// So it is directly in a segment, where the default namespace is GPX, once a first track point was taken.
  package var takesWholePoints: Bool {
    guard census.trackPoints > 0, skipped == 0, refusal == nil, case .segment? = contexts.last else {
      return false
    }
    return namespaces.defaultIsGPX
  }

  /// Takes a whole track point where ``takesWholePoints``.
  mutating func take(_ point: GPXPoint) {
    appendTrackPoint(point.finished(assumeAccuracyMeters: assumeAccuracyMeters))
  }

  // MARK: - Start

  private mutating func root(_ local: Span<UInt8>, prefix: Span<UInt8>) {
    guard local.equals("gpx") else {
      refusal = refusal ?? .root(local.text())
      return
    }
    switch namespaces.meaning(of: prefix) {
    case .gpx: break
    case .none: note("no namespace")
    case .foreign: note("unknown namespace (taken as GPX)")
    case .unbound: note("unbound prefix \(prefix.text()) (taken as GPX)")
    }
    if !prefix.isEmpty { note("prefixed root \(prefix.text()):gpx") }
    if let version, !version.span.equals("1.1"), !version.span.equals("1.0") {
      note("version \"\(version.span.text(limit: 10))\" (read as GPX 1.1)")
    } else if version == nil {
      note("no version (read as GPX 1.1)")
    }
    namespaces.adoptRoot(prefix: prefix)
    contexts.append(.gpx)
  }

  /// Whether elements of a prefix are GPX's here; a prefix without a declaration is noted.
  mutating func isGPX(_ prefix: Span<UInt8>) -> Bool {
    let meaning = namespaces.meaning(of: prefix)
    if meaning == .unbound, !prefix.equals(lastUnboundPrefix) {
      lastUnboundPrefix = prefix.array
      note("unbound prefix \(prefix.text()) (taken as an extension)")
    }
    return meaning.isGPX
  }

  private mutating func child(_ name: Span<UInt8>, isGPX: Bool) {
    switch contexts.last {
    case .gpx: startInGPX(name, isGPX: isGPX)
    case .track: startInTrack(name, isGPX: isGPX)
    case .segment: startInSegment(name, isGPX: isGPX)
    case .route:
      if isGPX, name.equals("rtept") { startPoint(.route) } else { skipped = 1 }
    case .point: startInPoint(name, isGPX: isGPX)
    case .extensions: startInExtensions(name)
    case .field, nil: skipped = 1
    }
  }

  private mutating func startInGPX(_ name: Span<UInt8>, isGPX: Bool) {
    if isGPX, name.equals("trk") {
      census.tracks += 1
      startPart(.track)
    } else if isGPX, name.equals("rte") {
      census.routes += 1
      heldNeedsBreak = true
      contexts.append(.route)
    } else if isGPX, name.equals("wpt") {
      startPoint(.waypoint)
    } else if isGPX, name.equals("trkpt") {
      note("track points outside a segment")
      startPoint(.track)
    } else if isGPX, name.equals("trkseg") {
      note("segments outside a track")
      startPart(.segment)
    } else {
      skipped = 1
    }
  }

  private mutating func startInTrack(_ name: Span<UInt8>, isGPX: Bool) {
    if isGPX, name.equals("trkseg") {
      startPart(.segment)
    } else if isGPX, name.equals("trkpt") {
      note("track points outside a segment")
      startPoint(.track)
    } else {
      skipped = 1
    }
  }

  private mutating func startInSegment(_ name: Span<UInt8>, isGPX: Bool) {
    if isGPX, name.equals("trkpt") { startPoint(.track) } else { skipped = 1 }
  }

  private mutating func startPart(_ context: Context) {
    needsBreak = true
    contexts.append(context)
  }

  private mutating func startPoint(_ kind: Kind) {
    point = GPXPoint(latitude: latitude, longitude: longitude)
    contexts.append(.point(kind))
  }

  private mutating func startInPoint(_ name: Span<UInt8>, isGPX: Bool) {
    if isGPX, name.equals("extensions") {
      contexts.append(.extensions)
    } else if !isGPX {
      // GPX 1.0 has foreign elements directly in the point.
      if let field = GPXPoint.fieldOfExtension(named: name) {
        contexts.append(.field(field))
        collect()
      } else {
        contexts.append(.extensions)
      }
    } else if let field = GPXPoint.field(named: name) {
      contexts.append(.field(field))
      collect()
    } else {
      skipped = 1
    }
  }

  private mutating func startInExtensions(_ name: Span<UInt8>) {
    extensionDepth += 1
    guard extensionField == nil, let field = GPXPoint.fieldOfExtension(named: name) else { return }
    extensionField = (field, extensionDepth)
    collect()
  }

  private mutating func collect() {
    isCollecting = true
    isTextSpoilt = false
    text.removeAll(keepingCapacity: true)
  }

  // MARK: - End

  private mutating func endInExtensions() {
    if let wanted = extensionField, wanted.depth == extensionDepth {
      finish(wanted.field)
      extensionField = nil
    }
    extensionDepth -= 1
  }

  private mutating func end(_ context: Context) {
    switch context {
    case .field(let field): finish(field)
    case .point(let kind): finishPoint(kind)
    case .track, .segment: needsBreak = true
    case .gpx, .route, .extensions: break
    }
  }

  private mutating func finish(_ field: GPXPoint.Field) {
    isCollecting = false
    guard !isTextSpoilt else { return }
    let bytes = text
    point.set(field, to: bytes.span)
  }

  private mutating func finishPoint(_ kind: Kind) {
    let report = point.finished(assumeAccuracyMeters: assumeAccuracyMeters)
    switch kind {
    case .track: appendTrackPoint(report)
    case .route:
      census.routePoints += 1
      hold(report, kind, count: census.routePoints)
    case .waypoint:
      census.waypoints += 1
      hold(report, kind, count: census.waypoints)
    }
  }

  private mutating func appendTrackPoint(_ report: FixReport) {
    if needsBreak, census.trackPoints > 0 { items.append(.segmentBreak) }
    needsBreak = false
    if census.trackPoints == 0 { held = [:] }
    census.trackPoints += 1
    items.append(.fix(report))
  }

  private mutating func hold(_ report: FixReport, _ kind: Kind, count: Int) {
    guard census.trackPoints == 0 else { return }
    if count > Self.maximumHeldPoints {
      held[kind] = []
      return
    }
    if kind == .route {
      if heldNeedsBreak, count > 1 { held[kind]?.append(.segmentBreak) }
      heldNeedsBreak = false
    }
    held[kind]?.append(.fix(report))
  }

  // MARK: - Notes

  /// Further ones are left out: a hostile file may have as many prefixes as it likes.
  private static let maximumNotes = 16

  /// Adds a generous reading, once.
  package mutating func note(_ text: String) {
    if notes.count < Self.maximumNotes, !notes.contains(text) { notes.append(text) }
  }
}
