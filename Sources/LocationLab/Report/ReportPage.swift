import LocationCore
import LocationFormats
import LocationRuntime

/// One self-contained page: markup, style, script and data in one file that asks the network for nothing.
struct ReportPage {
  /// UTF-8.
  let bytes: [UInt8]

  /// - Parameter title: the track's name.
  /// - Parameter comparison: the same track under other policies, where that could be run.
  init(
    _ report: TrackReport, title: String, isAdaptive: Bool, comparison: Comparison?, map: BaseMap? = nil,
    in units: MeasureUnits = .metric
  ) throws(Failure) {
    let map = try map?.content(for: report)
    let data = ReportData(report, title: title, isAdaptive: isAdaptive, in: units)
    let tables = ReportTables(report, comparison, in: units)
    let verdict = comparison.flatMap { PolicyVerdict($0) }?.text
    var bytes = Array(
      Self.head(
        Markup.escaped(title), isAdaptive: isAdaptive, verdict: verdict, imageSource: map?.imageSource
      ).utf8)
    bytes += tables.html.utf8
    bytes += Self.foot(map?.note ?? "The page is whole: it fetches nothing.").utf8
    if let map {
      bytes += "<script type=\"application/json\" id=\"tiles\">".utf8
      bytes +=
        map.json.split(separator: "<", omittingEmptySubsequences: false).joined(separator: "\\u003c").utf8
      bytes += "</script>\n".utf8
    }
    bytes += "<script type=\"application/json\" id=\"data\">".utf8
    bytes += data.bytes
    bytes += "</script>\n<script>\n\(ReportScript.text)</script>\n</body></html>\n".utf8
    self.bytes = bytes
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
      comparison: comparison, map: request.baseMap, in: request.style.units)
  }

  /// Writes the page.
  ///
  /// - Throws: `.cantCreate`, `.io`.
  func write(to path: String) throws(Failure) { try OutputFile(path: path, isPrivate: true).write(bytes) }

  /// Everything from the first line to the tables.
  private static func head(
    _ title: String, isAdaptive: Bool, verdict: String?, imageSource: String?
  ) -> String {
    let fixes =
      isAdaptive
      ? "<li><i class=\"key line faint\"></i>track</li><li><i class=\"key dot\"></i>fix asked for</li>"
      : "<li><i class=\"key line\"></i>track, every fix taken</li>"
    return """
      <!doctype html>
      <html lang="en"><head><meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" \
      content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\
      \(imageSource.map { "; img-src \($0)" } ?? "")">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>\(title) - locwatch</title>
      <style>
      \(ReportStyle.text)</style></head><body>
      <header><h1>\(title)</h1>
      \(verdict.map { "<p class=\"verdict\">\($0).</p>" } ?? "")
      <p class="about">Replayed by locwatch, receiver \(isAdaptive ? "switched by the engine" : "always on"). \
      Times are UTC.</p>
      </header>
      <main>
      <section class="views" aria-label="Map and timeline">
      <div class="view"><canvas id="map" tabindex="0" role="application" aria-describedby="keys" \
      aria-label="Map of the track, its regions and events"></canvas>
      <div class="buttons"><button type="button" data-do="map +" aria-label="Zoom the map in">+</button>\
      <button type="button" data-do="map -" aria-label="Zoom the map out">&minus;</button>\
      <button type="button" data-do="map 0">Whole track</button></div></div>
      <ul class="legend">\(fixes)\(legend)</ul>
      <div class="view"><canvas id="timeline" tabindex="0" role="application" aria-describedby="keys" \
      aria-label="Timeline of receiver, subscribers and events"></canvas></div>
      <div class="buttons"><button type="button" data-do="time p">Event before</button>\
      <button type="button" data-do="time n">Next event</button>\
      <button type="button" data-do="time +" aria-label="Zoom the timeline in">+</button>\
      <button type="button" data-do="time -" aria-label="Zoom the timeline out">&minus;</button>\
      <button type="button" data-do="time 0">Whole time</button></div>
      <p id="said" role="status" aria-live="polite"></p>
      <p id="keys">Keys on map and timeline: <kbd>+</kbd> <kbd>-</kbd> zoom, <kbd>0</kbd> shows all, <kbd>n</kbd> \
      <kbd>p</kbd> next event and the one before, <kbd>Enter</kbd> centres the map on it, <kbd>Esc</kbd> selects \
      nothing. On the map arrows pan. On the timeline <kbd>&larr;</kbd> <kbd>&rarr;</kbd> go from event to event (with \
      <kbd>Shift</kbd> they pan), <kbd>&uarr;</kbd> <kbd>&darr;</kbd> from fix to fix, <kbd>Home</kbd> <kbd>End</kbd> \
      to the first and last event.</p>
      <noscript><p>Map and timeline need a script; the tables below do not.</p></noscript>
      </section>

      """
  }

  private static let legend = """
    <li><i class="key region"></i>region</li><li><b class="enter">&#9654;</b>entered</li>\
    <li><b class="exit">&#9664;</b>left</li><li><b class="inregion">&#9679;</b>dwelled, or first state</li>\
    <li><b class="move">&#9632;</b>moved</li><li><b class="visit">&#11039;</b>visit begins, ends</li>\
    <li><b class="wake">&#9670;</b>program woken, on the map a ring</li>\
    <li><b class="gap">&#10005;</b>no fixes, refused</li>\
    <li><i class="key on"></i>receiver on, share of the time</li><li><i class="key background"></i>in the background</li>\
    <li><i class="key active"></i>in the foreground</li><li><i class="key suspended"></i>suspended</li>
    """

  private static func foot(_ note: String) -> String {
    """
    </main>
    <footer><p>Energy is modelled. \(Markup.escaped(note))</p></footer>

    """
  }
}
