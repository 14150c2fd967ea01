import LocationCore
import LocationFormats
import LocationRuntime

/// The page with its style, scripts and data in one file that asks the network for nothing.
struct ReportPage {
  /// UTF-8.
  let bytes: [UInt8]

  /// What is missing of the page; nil where it is complete.
  let lack: Failure?

  /// - Parameter title: the track's name.
  /// - Parameter comparison: the same track under other policies, where that could be run.
  /// - Parameter leaflet: the folder of Leaflet; where it is not there, the page has no map, and says so.
  init(
    _ report: TrackReport, title: String, isAdaptive: Bool, comparison: Comparison?, map: BaseMap? = nil,
    leaflet: String = Leaflet.usualFolder, in units: MeasureUnits = .metric
  ) throws(Failure) {
    let library: (script: [UInt8], style: [UInt8])?
    do throws(Failure) {
      library = try Leaflet.embedded(from: leaflet)
      lack = nil
    } catch {
      library = nil
      lack = error
    }
    let named = try map?.content(for: report)
    let map = library == nil ? nil : named
    let tables = ReportTables(report, comparison, in: units)
    let verdict = comparison.flatMap { PolicyVerdict($0) }?.text
    var scripts: [UInt8] = []
    if let map {
      let json = ByteText.replacing("<", with: "\\u003c", in: Array(map.json.utf8))
      scripts += Self.element("script type=\"application/json\" id=\"tiles\"", json)
    }
    let data = ReportData(report, title: title, isAdaptive: isAdaptive, in: units)
    scripts += Self.element("script type=\"application/json\" id=\"data\"", data.bytes)
    if let library { scripts += Self.element("script", library.script) }
    scripts += Self.element("script", PageTemplate.script(for: .report))
    let title = Markup.escaped(title)
    bytes = PageTemplate.page(
      for: .report,
      [
        "feed": Array("report".utf8), "policy": Array(Self.policy(images: map?.imageSource).utf8),
        "title": Array("\(title) - locwatch".utf8), "style": (library?.style ?? []) + PageTemplate.style,
        "heading": Array(Self.heading(title, isAdaptive: isAdaptive, verdict, hasMap: library != nil).utf8),
        "tables": Array(tables.html.utf8), "clock": Array("Time (UTC)".utf8),
        "more": Array(tables.eventNote.utf8), "events": Array(tables.eventRows.utf8),
        "foot": Array(
          "Energy is modelled. \(Markup.escaped(map?.note ?? "The page is whole: it fetches nothing."))".utf8),
        "scripts": scripts,
      ])
  }

  /// The page of a track that was replayed, with the same track under other policies where it can be read again.
  ///
  /// - Throws: ``Failure`` where there is to be a map and its file can't be used.
  init(_ report: TrackReport, of track: String, _ request: ReplayRequest) throws(Failure) {
    var comparison: Comparison?
    if track != "-" {
      var alone = request
      alone.scenario = nil
      alone.reportPath = nil
      var compared = Comparison(profile: request.configuration.profile)
      // A recording is no track: it is shown without the other policies.
      do throws(Failure) {
        try compared.add(track, alone)
        comparison = compared
      } catch {
        comparison = nil
      }
    }
    try self.init(
      report, title: track == "-" ? "standard input" : String(track.split(separator: "/").last ?? ""),
      // A recording has its own sampling.
      isAdaptive: request.configuration.sampling.isDutyCycled || !report.orders.isEmpty,
      comparison: comparison, map: request.baseMap, leaflet: request.leaflet, in: request.style.units)
  }

  /// Writes the page.
  ///
  /// - Throws: `.cantCreate`, `.io`.
  func write(to path: String) throws(Failure) { try OutputFile(path: path, isPrivate: true).write(bytes) }

  private static func element(_ tag: String, _ content: [UInt8]) -> [UInt8] {
    Array("<\(tag)>".utf8) + content + Array("</script>\n".utf8)
  }

  /// What the page may load: nothing but itself, and the map's pictures.
  private static func policy(images: String?) -> String {
    """
    <meta http-equiv="Content-Security-Policy" \
    content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\
    \(images.map { "; img-src \($0)" } ?? "")">
    """
  }

  private static func heading(_ title: String, isAdaptive: Bool, _ verdict: String?, hasMap: Bool) -> String {
    """
    <h1>\(title)</h1>
    \(verdict.map { "<p class=\"verdict\">\($0).</p>" } ?? "")
    <p class="quiet">Replayed by locwatch, receiver \(isAdaptive ? "switched by the engine" : "always on"). \
    Times are UTC.</p>
    \(hasMap ? "" : noMap)
    """
  }

  private static let noMap = """
    <p class="problem">There is no map: the machine that wrote this page had no Leaflet (apt-get install libjs-leaflet).</p>
    """
}
