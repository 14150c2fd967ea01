import Foundation
import LocationCore
import TestSupport
import Testing

@testable import LocationFormats
@testable import LocationLab

/// What a schedule or a track is expected to use, held against a meter.
@Suite struct PowerForecastTests {
  private static let schedule = """
    name: my-phone
    about: a phone
    like: pinephone
    device: no. 3
    meter: a USB meter
    blocks:
      - {from_s: 0, to_s: 600}
      - {from_s: 600, to_s: 1200, states: [tracking, awake]}
      - {from_s: 5000, to_s: 6000}

    """

  @Test(arguments: [("run", PowerParameter.deliveryCore), ("searching", .timeToFixCold)])
  func `what a schedule states has no error`(state: String, modelled: PowerParameter) throws {
    let schedule = Self.schedule.replacingOccurrences(
      of: "states: [tracking, awake]", with: "seconds: {\(state): 500}")
    let file = try CalibrationFile(StrictYAML(schedule, file: "blocks.yaml", code: .config))
    let forecast = PowerForecast(file, profile: nil)
    var exact = forecast.profile
    exact[modelled].spread = 1
    #expect(exact != forecast.profile)
    let part = forecast.parts[1]
    #expect(forecast.band(of: part) == part.use.band(under: exact, deviceSeconds: part.seconds))
    #expect(forecast.band(of: part) != part.use.band(under: forecast.profile, deviceSeconds: part.seconds))
  }

  private func forecast() throws -> PowerForecast {
    PowerForecast(
      try CalibrationFile(StrictYAML(Self.schedule, file: "blocks.yaml", code: .config)), profile: nil)
  }

  /// A meter that reads so many times what the model says of the first two blocks.
  private func log(_ factor: Double) throws -> MeterStream {
    let forecast = try forecast()
    let first = factor * forecast.band(of: forecast.parts[0]).value / 3.6
    let second = factor * forecast.band(of: forecast.parts[1]).value / 3.6
    return try MeterLog.stream(
      "seconds,energy_mwh\n0,0\n600,\(first)\n1200,\(first + second)\n", file: "log.csv", kind: .usb)
  }

  @Test func `a block is priced with the whole device and its interval`() throws {
    let forecast = try forecast()
    let base = forecast.band(of: forecast.parts[0])
    let busy = forecast.band(of: forecast.parts[1])
    #expect(abs(base.value - 600e-3 * PowerProfile.pinephone[.base].value) < 1e-6)
    #expect(busy.value > base.value)
    #expect(base.low < base.value && base.value < base.high)
    #expect(forecast.text.contains("pinephone, not calibrated"))
    #expect(forecast.json.split(separator: "\n").count == 4)
  }

  @Test(arguments: [(1.0, "median error 0 %; the interval holds 2 of 2"), (20, "the interval holds 0 of 2")])
  func `a meter says how far the model is off`(factor: Double, verdict: String) throws {
    var forecast = try forecast()
    forecast.compare(with: try log(factor))
    #expect(forecast.text.contains(verdict), "\(forecast.text)")
    #expect(
      forecast.text.contains("line 9 (5000 to 6000 s): without a break the log covers only 0 to 1200 s"),
      "\(forecast.text)")
  }

  @Test func `a log that covers no block as a whole is told`() throws {
    var forecast = try forecast()
    #expect(forecast.lack == nil)
    forecast.compare(
      with: try MeterLog.stream("seconds,energy_mwh\n0,0\n10,1\n", file: "log.csv", kind: .usb))
    #expect(forecast.lack?.code == .conditionFails)
    #expect(forecast.text.contains("nothing was measured"))
    var measured = try self.forecast()
    measured.compare(with: try log(1))
    #expect(measured.lack == nil)
  }

  @Test func `a track is replayed`() throws {
    let folder = TemporaryFolder()
    let lines = (0..<600).map { second in
      let report = Drive.report(Double(second), east: Double(second) * 10)
      return
        #"{"time":"\#(report.time?.rfc3339 ?? "")","lat":\#(report.latitude),"lon":\#(report.longitude),"acc_m":5}"#
    }
    let path = folder.write("a.ndjson", lines.joined(separator: "\n") + "\n")
    var request = ReplayRequest()
    request.subscribers = [Subscriber(name: "replay")]
    let forecast = try PowerForecast(track: path, request, begins: 100)
    let part = try #require(forecast.parts.first)
    #expect(part.from == 100 && part.seconds == 599)
    #expect(part.use.receiverOnSeconds > 590)
  }
}
