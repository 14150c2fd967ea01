import LocationCore
import LocationFormats
import LocationRuntime

/// The data of a page as one JSON object that its script reads.
///
/// Times are milliseconds after `t0`, places ten-millionths of a degree; both are differences to the value before
/// where they are many. Its keys: `t`, `lat`, `lon`, `use` (run lengths: use, count, use, count, …) and `breaks` of
/// the points; `receiver`, `subscribers` (times and states), `regions` as a server has them, `events`.
struct ReportData {
  private(set) var bytes: [UInt8] = []
  private let origin: Int64
  private let units: MeasureUnits
  private let tellsNotifications: Bool

  init(_ report: TrackReport, title: String, isAdaptive: Bool, in units: MeasureUnits) {
    self.units = units
    tellsNotifications = report.tellsNotifications
    origin =
      report.points.milliseconds.first ?? report.events.first?.time.milliseconds ?? 0
    bytes.reserveCapacity(16 * report.points.count + 256 * report.events.count + 4096)
    append("{\"v\":1,\"title\":")
    JSONString.append(title, to: &bytes)
    append(
      ",\"units\":\"\(units.rawValue)\",\"adaptive\":\(isAdaptive),\"t0\":\(origin),\"n\":\(report.points.count)"
    )
    append(report.points)
    append(report.orders)
    append(report.lives)
    list("regions", report.regions) { $0.append(RegionOutline.tree(of: $1).text) }
    list("events", report.events) { $0.append($1) }
    append("}")
    // Nothing in the data can end the element it stands in: `<` occurs in strings only.
    bytes = ByteText.replacing("<", with: "\\u003c", in: bytes)
  }
}

// MARK: - Numbers

extension ReportData {
  private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  /// Appends a member that is a list.
  private mutating func list<Element>(
    _ key: String, _ elements: [Element], _ body: (inout Self, Element) -> Void
  ) {
    append(",\"\(key)\":[")
    for (index, element) in elements.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      body(&self, element)
    }
    append("]")
  }

  /// Appends a member that is a list of differences; the first is to `start`.
  private mutating func differences<Number: BinaryInteger>(
    _ key: String, _ values: [Number], from start: Number = 0
  ) {
    append(",\"\(key)\":")
    differences(values, from: start)
  }

  private mutating func differences<Number: BinaryInteger>(_ values: [Number], from start: Number = 0) {
    var last = Int(start)
    bytes.append(UInt8(ascii: "["))
    for (index, value) in values.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      FixedPoint.append(Int(value) - last, to: &bytes)
      last = Int(value)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  private func offset(_ time: UTCTime) -> Int { Int(time.milliseconds.saturatingSubtract(origin)) }
}

// MARK: - Parts

extension ReportData {
  private mutating func append(_ points: TrackReport.Points) {
    differences("t", points.milliseconds, from: origin)
    differences("lat", points.latitudes)
    differences("lon", points.longitudes)
    var runs: [Int] = []
    for use in points.uses {
      if runs.isEmpty || runs[runs.count - 2] != use.rawValue {
        runs += [use.rawValue, 1]
      } else {
        runs[runs.count - 1] += 1
      }
    }
    list("use", runs) { FixedPoint.append($1, to: &$0.bytes) }
    list("breaks", points.breaks) { FixedPoint.append($1, to: &$0.bytes) }
  }

  private mutating func append(_ orders: [TrackReport.Move<ReceiverOrder>]) {
    list("receiver", orders) { data, move in
      data.append("[\(data.offset(move.at)),\(move.state.isOn ? 1 : 0),\"\(move.state.reason.rawValue)\"]")
    }
  }

  private mutating func append(_ lives: [TrackReport.Life]) {
    list("subscribers", lives) { data, life in
      data.append("{\"name\":")
      JSONString.append(life.name, to: &data.bytes)
      data.list("moves", life.moves) { data, move in
        data.append("[\(data.offset(move.at)),\"\(move.state.rawValue)\"]")
      }
      data.append("}")
    }
  }

  private mutating func append(_ event: Record) {
    append("{\"id\":\(event.id),\"t\":\(offset(event.time)),\"type\":")
    JSONString.append(event.type, to: &bytes)
    let text = TextRecord(event, in: units, tellsNotifications: tellsNotifications)
    append(",\"what\":")
    JSONString.append(text?.what ?? event.type, to: &bytes)
    append(",\"detail\":")
    JSONString.append(text?.detail ?? "", to: &bytes)
    if case .significant(let change) = event.body {
      append(place: change.fix.coordinate)
    } else if case .region(let region) = event.body {
      append(",\"region\":")
      JSONString.append(region.region, to: &bytes)
      append(place: region.coordinate)
    } else if case .visit(let visit) = event.body {
      append(place: visit.coordinate)
    } else if case .location(let update) = event.body {
      append(place: update.coordinate)
    } else if case .decision(let decision) = event.body {
      append(",\"subscriber\":")
      JSONString.append(decision.subscriber, to: &bytes)
      append(",\"action\":\"\(decision.action.rawValue)\"")
    } else if case .subscriberState(let move) = event.body {
      append(",\"subscriber\":")
      JSONString.append(move.subscriber, to: &bytes)
    }
    append("}")
  }

  private mutating func append(place: Coordinate) {
    append(
      ",\"lat\":\(TrackReport.Points.scaled(place.latitude)),\"lon\":\(TrackReport.Points.scaled(place.longitude))"
    )
  }
}
