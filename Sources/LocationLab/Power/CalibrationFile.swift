package import LocationCore
package import LocationFormats
import LocationRuntime

/// What a device did while a meter watched: the blocks of a calibration.
///
/// ```yaml
/// name: my-pi                     # of the profile that comes out
/// about: Raspberry Pi 4 B no. 3 with a SAM-M8Q
/// like: rpi4-ublox-m8             # the profile to begin with: a name or a file
/// device: Raspberry Pi 4 B no. 3
/// meter: INA226 in the 5 V line
/// shunt_uohm: 100000              # what the INA2xx's shunt really has, where the driver believes otherwise
/// blocks:                         # times as the log has them
///   - {from_s: 1000, to_s: 1600}                                     # nothing but the base
///   - {from_s: 1600, to_s: 2200, states: [tracking]}                 # all the while
///   - {from_s: 2200, to_s: 2800, seconds: {searching: 45, run: 12}, counts: {wifi_scans: 30}}
/// ```
package struct CalibrationFile {
  /// A stretch of time in which it is known what the device did.
  package struct Block: Sendable {
    /// From 1, as the messages name it.
    package var line: Int
    /// When it begins, seconds as the log has them.
    package var from: Double
    /// When it ends, likewise.
    package var to: Double
    /// What was used beyond the base.
    package var use: PowerUse
  }

  /// The name of the profile that comes out.
  package let name: String
  /// What that describes.
  package let about: String
  /// The profile to begin with.
  package let before: PowerProfile
  /// In the order of the file.
  package let blocks: [Block]
  /// What the INA2xx's shunt really has, microohms; nil where the driver knows.
  package let shuntMicroohms: Double?
  private let device: String
  private let meter: String
  private let date: String?
  private let kernel: String?
  private let serial: String?
  private let temperatureCelsius: Double?
  private let batteryHealth: Double?

  /// Reads the file of that path.
  ///
  /// - Parameter profile: the profile to begin with, in place of the file's.
  package init(path: String, like profile: PowerProfile? = nil) throws(Failure) {
    try self.init(StrictYAML(path: path, code: .config), like: profile)
  }

  /// Decodes the root of the file.
  package init(_ yaml: StrictYAML, like profile: PowerProfile? = nil) throws(Failure) {
    let map = try yaml.map(Key.self)
    name = try map.required(.name).string()
    about = try map.required(.about).string()
    let like = try map.required(.like).string()
    before = if let profile { profile } else { try PowerProfileFile.find(like) }
    device = try map.required(.device).string()
    meter = try map.required(.meter).string()
    date = try map.optional(.date)?.string()
    kernel = try map.optional(.kernel)?.string()
    serial = try map.optional(.serial)?.string()
    temperatureCelsius = try map.optional(.temperature)?.double(in: -90...150)
    batteryHealth = try map.optional(.health)?.double(in: 0.01...1.5)
    shuntMicroohms = try map.optional(.shunt)?.double(in: 1...1e9)
    let nodes = try map.required(.blocks).list()
    var blocks: [Block] = []
    for node in nodes { blocks.append(try Block(node)) }
    try Self.refuseOverlaps(blocks, nodes)
    self.blocks = blocks
  }

  /// A moment in two blocks would count its energy twice, and what each of them says would be wrong.
  private static func refuseOverlaps(_ blocks: [Block], _ nodes: [StrictYAML]) throws(Failure) {
    func range(_ block: Block) -> String {
      [block.from, block.to].map { Wording.number($0, $0 == $0.rounded() ? 0 : 3) }
        .joined(separator: " to ") + " s"
    }
    let order = blocks.indices.sorted { (blocks[$0].from, $0) < (blocks[$1].from, $1) }
    for (earlier, later) in zip(order, order.dropFirst()) where blocks[later].from < blocks[earlier].to {
      let (named, other) = (nodes[max(earlier, later)], blocks[min(earlier, later)])
      throw named.failure(
        "\(range(blocks[max(earlier, later)])) overlaps the block on line \(other.line), \(range(other))",
        remedy: "let each block end before the next begins")
    }
  }

  private enum Key: String, CaseIterable {
    case name, about, like, device, meter, date, kernel, serial
    case temperature = "temperature_c"
    case health = "battery_health"
    case shunt = "shunt_uohm"
    case blocks
  }

  /// What the fit says of itself in the profile.
  package func note(_ calibration: PowerCalibration, log: String) -> PowerCalibrationNote {
    PowerCalibrationNote(
      device: device, meter: meter, date: date, kernel: kernel, serial: serial,
      temperatureCelsius: temperatureCelsius, batteryHealth: batteryHealth, log: log,
      windows: calibration.windows.count, conditionNumber: min(calibration.conditionNumber, 1e18),
      residualSpread: calibration.residualSpread)
  }
}

extension CalibrationFile.Block {
  private enum Key: String, CaseIterable {
    case from = "from_s"
    case to = "to_s"
    case states, seconds, counts
  }

  /// A state the device can be in for a time.
  private enum State: String, CaseIterable {
    case searching, tracking
    case trackingWeak = "tracking_weak"
    case trackingStrong = "tracking_strong"
    case powerSaving = "power_saving"
    case backup
    case networkLocation = "network_location"
    case motion, awake
    case radioConnected = "radio_connected"
    /// Core seconds, not seconds.
    case run

    var term: PowerTerm {
      switch self {
      case .searching: .acquiringCold
      case .tracking: .trackingUnknown
      case .trackingWeak: .trackingWeak
      case .trackingStrong: .trackingStrong
      case .powerSaving: .powerSaving
      case .backup: .backup
      case .networkLocation: .networkLocation
      case .motion: .motion
      case .awake: .awake
      case .radioConnected: .radioTail
      case .run: .run
      }
    }
  }

  /// A thing the device can do a number of times.
  private enum Count: String, CaseIterable {
    case wakes, relaunches
    case wifiScans = "wifi_scans"
    case cellReads = "cell_reads"
    case radioPromotions = "radio_promotions"
    case kilobytes

    var term: PowerTerm {
      switch self {
      case .wakes: .wake
      case .relaunches: .relaunch
      case .wifiScans: .wifiScan
      case .cellReads: .cellRead
      case .radioPromotions: .radioPromotion
      case .kilobytes: .radioKilobytes
      }
    }
  }

  /// More busy cores than any device has.
  private static let mostCores = 256.0

  fileprivate init(_ node: StrictYAML) throws(Failure) {
    let map = try node.map(Key.self)
    let from = try map.required(.from).double(in: 0...1e12)
    let toNode = try map.required(.to)
    let to = try toNode.double(in: 0...1e12)
    guard to > from else { throw toNode.failure("is not after from_s") }
    var use = PowerUse()
    if let states = map.optional(.states) {
      for item in try states.list() {
        let state = try item.word(State.self)
        guard state != .run else {
          throw item.failure(
            "is not a state for the whole block", remedy: "write seconds: {run: CORE SECONDS}")
        }
        use[state.term] = to - from
      }
    }
    if let seconds = map.optional(.seconds) {
      for (state, value) in try seconds.map(State.self).entries {
        use[state.term] = try value.double(in: 0...(to - from) * (state == .run ? Self.mostCores : 1))
      }
    }
    if let counts = map.optional(.counts) {
      for (count, value) in try counts.map(Count.self).entries {
        use[count.term] = try value.double(in: 0...1e9)
      }
    }
    self.init(line: node.line, from: from, to: to, use: use)
  }
}

extension CalibrationFile {
  /// The windows that the log covers, and what is to be said of the others.
  package func windows(in stream: MeterStream) -> (windows: [PowerCalibration.Window], notes: [String]) {
    var windows: [PowerCalibration.Window] = []
    var notes: [String] = []
    for block in blocks {
      let joules = stream.joules(from: block.from, to: block.to)
      if let joules, joules <= 0 {
        notes.append("the block on line \(block.line) is left out: the meter shows no energy in it")
        continue
      }
      guard let joules else {
        let range = Wording.number(block.from, 0) + " to " + Wording.number(block.to, 0)
        notes.append(
          "the block on line \(block.line) (\(range) s) is left out: without a break the log covers only \(stream.ranges(near: block.from, to: block.to))"
        )
        continue
      }
      if stream.stepJoules > Self.coarse * joules {
        let percent = Int(min(100 * stream.stepJoules / joules, 1e9).rounded())
        notes.append(
          "the block on line \(block.line) is short for this meter: one step of it is \(percent) %")
      }
      windows.append(
        PowerCalibration.Window(
          use: block.use, seconds: block.to - block.from, joules: joules, stepJoules: stream.stepJoules))
    }
    return (windows, notes)
  }

  /// A step of the meter above this share of a block is worth a word.
  private static let coarse = 0.1
}
