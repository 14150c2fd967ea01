import LocationCore

/// The policies of a comparison side by side: a picture of what each costs and misses, and the numbers.
enum ReportPicture {
  /// Width, height and margins of the picture, in its own units.
  private static let width = 640.0
  private static let height = 300.0
  private static let left = 56.0
  private static let right = 28.0
  private static let top = 30.0
  private static let bottom = 44.0
  /// The picture begins at this share of the time: what is less is as good as off.
  private static let leastShare = 0.001

  /// A section with picture and table.
  static func html(of comparison: Comparison, in units: MeasureUnits) -> String {
    """
    <section aria-labelledby="h-policies"><h2 id="h-policies">Other policies on this track</h2>
    <p>Each dot is a policy; its number is that of its row. Left is cheap, low is good.</p>
    \(svg(of: comparison))\
    \(table(of: comparison, units))</section>

    """
  }

  private static func svg(of comparison: Comparison) -> String {
    var svg = """
      <svg class="picture" viewBox="0 0 \(Int(width)) \(Int(height))" role="img" \
      aria-label="Receiver time against missed events for each policy; the table below has the numbers">

      """
    for share in [0.001, 0.01, 0.1, 1] {
      let x = number(horizontal(share))
      svg +=
        "<line class=\"grid\" x1=\"\(x)\" x2=\"\(x)\" y1=\"\(number(top))\" y2=\"\(number(height - bottom))\"/>"
      svg += text(
        horizontal(share), height - bottom + 16, "middle",
        "\(Wording.number(100 * share, share < 0.01 ? 1 : 0)) %")
    }
    for share in [0, 0.25, 0.5, 0.75, 1] {
      let y = number(vertical(share))
      svg +=
        "<line class=\"grid\" x1=\"\(number(left))\" x2=\"\(number(width - right))\" y1=\"\(y)\" y2=\"\(y)\"/>"
      svg += text(left - 6, vertical(share) + 4, "end", "\(Int(100 * share)) %")
    }
    svg += text((left + width - right) / 2, height - 8, "middle", "receiver on, share of the time")
    svg += text(left, top - 12, "start", "missed events, of those that it is for")
    var marks: [PictureMarks.Mark] = []
    for (index, result) in comparison.results.enumerated() {
      guard let missed = missedShare(result) else { continue }
      let share = horizontal(result.receiverShare ?? 0)
      marks.append(PictureMarks.Mark(name: "\(index + 1)", x: share, y: vertical(missed)))
    }
    for placed in PictureMarks.place(marks, within: (left, top, width - 6, height - bottom)) {
      let mark = placed.mark
      svg +=
        "<line class=\"lead\" x1=\"\(number(mark.x))\" y1=\"\(number(mark.y))\" x2=\"\(number(placed.x))\" y2=\"\(number(placed.y))\"/>"
      svg += "<circle class=\"mark\" cx=\"\(number(mark.x))\" cy=\"\(number(mark.y))\" r=\"4\"/>"
      svg += "<circle class=\"halo\" cx=\"\(number(placed.x))\" cy=\"\(number(placed.y))\" r=\"8\"/>"
      svg += text(placed.x, placed.y + 4.5, "middle", mark.name, style: "markname")
    }
    return svg + "</svg>\n"
  }

  /// Of what the policy is for and continuous told; nil where that is nothing.
  private static func missedShare(_ result: PolicyResult) -> Double? {
    var missed = 0
    var found = 0
    for (service, itsFound, itsMissed) in [
      (Subscriber.Services.regions, result.found, result.missed),
      (.significantChange, result.movesFound, result.movesMissed),
      (.visits, result.visitsFound, result.visitsMissed),
    ] where result.policy.asks(for: service) {
      found += itsFound
      missed += itsMissed
    }
    return missed + found > 0 ? Double(missed) / Double(missed + found) : nil
  }

  private static func horizontal(_ share: Double) -> Double {
    let decades = Trig.log(max(share, leastShare) / leastShare) / Trig.log(1 / leastShare)
    return left + min(decades, 1) * (width - left - right)
  }

  private static func vertical(_ share: Double) -> Double {
    height - bottom - share * (height - top - bottom)
  }

  private static func text(
    _ x: Double, _ y: Double, _ anchor: String, _ text: String, style: String = "label"
  ) -> String {
    "<text class=\"\(style)\" x=\"\(number(x))\" y=\"\(number(y))\" text-anchor=\"\(anchor)\">\(text)</text>\n"
  }

  private static func number(_ value: Double) -> String { Wording.number(value, 1) }

  private static func table(of comparison: Comparison, _ units: MeasureUnits) -> String {
    let largest = comparison.results.map { $0.use.band(under: comparison.profile).high }.max() ?? 0
    let rows = comparison.results.enumerated().map { index, result in
      let band = result.use.band(under: comparison.profile)
      let left = comparison.comparison(of: result)
      func found(_ found: Int, _ missed: Int, _ service: Subscriber.Services) -> String {
        Comparison.share(found, missed, isAsked: result.policy.asks(for: service))
      }
      return [
        "\(index + 1) \(result.policy.title)", found(result.found, result.missed, .regions),
        found(result.movesFound, result.movesMissed, .significantChange),
        found(result.visitsFound, result.visitsMissed, .visits),
        PolicyResult.quantile(0.95, result.delays).map { Wording.duration(max(0, $0)) } ?? "",
        PolicyResult.quantile(0.95, result.errors.map(Double.init)).map { Wording.distance($0, in: units) }
          ?? "",
        Wording.count(result.wakes), Wording.duration(result.receiverOnSeconds),
        ReportTables.energy(band.value, band.low, band.high), ReportTables.bar(band, of: largest),
        left.map { Wording.percent($0.services.value) } ?? "",
        left.map { Wording.percent($0.device.value) } ?? "",
      ]
    }
    return ReportTables.table(
      "What each policy finds and costs, against continuous; in brackets what it does not ask for",
      [
        "Policy", "#Region events", "#Moves", "#Visits", "#95 % later by at most", "#95 % of errors within",
        "#Wakes", "#Receiver on", "#Energy", "", "#Of continuous", "#Of the device",
      ], rows, isWide: true)
  }
}
