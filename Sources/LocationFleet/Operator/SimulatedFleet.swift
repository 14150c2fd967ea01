import Glibc
import LocationCore
package import LocationFormats

/// Devices that do not exist: rest, walk, or drive with stops, around one city. The same seed gives the same fixes.
package struct SimulatedFleet {
  private struct Device {
    var random: SplitMix64
    var latitude: Double
    var longitude: Double
    var home: (latitude: Double, longitude: Double)
    var heading: Double
    /// Metres a second while it moves.
    var speed: Double
    /// The standard deviation of its receiver along one axis, metres.
    var sigma: Double
    /// Steps for which it still stands.
    var rest = 0
  }

  private var devices: [Device] = []
  private let start: Int
  private let interval: Int

  /// The middle of the city, degrees.
  private static let center = (latitude: 48.137, longitude: 11.575)
  private static let metersPerLatitude = 111_200.0
  private static let metersPerLongitude = 74_300.0

  /// - Parameters:
  ///   - start: the time of the first fixes, seconds since 1970.
  ///   - intervalSeconds: from one fix of a device to the next.
  ///   - areaMeters: homes lie within a square of such sides.
  package init(devices count: Int, seed: UInt64, start: Int, intervalSeconds: Int, areaMeters: Double) {
    self.start = start
    interval = intervalSeconds
    devices.reserveCapacity(count)
    for index in 0..<count {
      var random = SplitMix64(seed: seed &* 1_000_003 &+ UInt64(index))
      let (latitude, longitude) = Self.place(&random, areaMeters)
      let heading = random.unit() * 2 * .pi
      let sigma = 3 + random.unit() * 7
      devices.append(
        Device(
          random: random, latitude: latitude, longitude: longitude, home: (latitude, longitude),
          heading: heading, speed: [0, 1.4, 14][index % 3], sigma: sigma))
    }
  }

  private static func place(
    _ random: inout SplitMix64, _ areaMeters: Double
  ) -> (latitude: Double, longitude: Double) {
    let latitude = center.latitude + (random.unit() - 0.5) * areaMeters / metersPerLatitude
    return (latitude, center.longitude + (random.unit() - 0.5) * areaMeters / metersPerLongitude)
  }

  /// The name of a device, as in its topic.
  private static func name(_ index: Int) -> (user: String, device: String) { ("u\(index / 10)", "d\(index)") }

  /// Moves a device on by a step, and writes what it publishes.
  private mutating func step(_ index: Int, time: Int, into bytes: inout [UInt8]) {
    let seconds = Double(interval)
    var device = devices[index]
    var isMoving = device.speed > 0
    if device.rest > 0 {
      device.rest -= 1
      isMoving = false
    } else if isMoving, device.random.unit() < seconds / 900 {
      // A stop of 3 to 12 minutes, once in a quarter of an hour.
      device.rest = Int((180 + device.random.unit() * 540) / seconds)
    }
    if isMoving {
      device.heading += (device.random.unit() - 0.5) * 0.6
      let north = (device.home.latitude - device.latitude) * Self.metersPerLatitude
      let east = (device.home.longitude - device.longitude) * Self.metersPerLongitude
      // From 4 km on it turns back.
      if north * north + east * east > 16e6 { device.heading = atan2(east, north) }
      device.latitude += cos(device.heading) * device.speed * seconds / Self.metersPerLatitude
      device.longitude += sin(device.heading) * device.speed * seconds / Self.metersPerLongitude
    }
    let latitude = device.latitude + device.sigma * device.random.normal() / Self.metersPerLatitude
    let longitude = device.longitude + device.sigma * device.random.normal() / Self.metersPerLongitude
    devices[index] = device
    // 1.515: the radius that holds 68 % of a normal distribution in the plane, in standard deviations.
    bytes += Array(
      """
      "_type":"location","tid":"\(index % 100)","lat":\(JSONTree.fixed(latitude, 7).text),\
      "lon":\(JSONTree.fixed(longitude, 7).text),"acc":\(Int((device.sigma * 1.515).rounded())),\
      "vel":\(isMoving ? Int(device.speed * 3.6) : 0),"tst":\(time)}
      """.utf8)
  }

  /// Writes all fixes, those of one device after those of another, a line each with its `track`.
  package mutating func write(steps: Int, to file: borrowing OutputFile) throws(Failure) {
    var bytes: [UInt8] = []
    for index in devices.indices {
      let name = Self.name(index)
      for step in 0..<steps {
        bytes += Array("{\"track\":\"\(name.user)/\(name.device)\",".utf8)
        self.step(index, time: start + step * interval, into: &bytes)
        bytes.append(UInt8(ascii: "\n"))
      }
      if bytes.count > 1 << 20 {
        try file.write(bytes)
        bytes.removeAll(keepingCapacity: true)
      }
    }
    try file.write(bytes)
  }

  /// Publishes all fixes in the order of time, and waits until the cluster has them, for however long it does not answer;
  /// how many.
  ///
  /// - Parameters:
  ///   - rate: in a second; 0 for as many as the cluster takes.
  package mutating func publish(
    steps: Int, rate: Double, to layout: FleetLayout
  ) throws(Failure) -> Int {
    let publisher = try EventPublisher(layout.stream.connection)
    // No other run has it: the stream drops a fix for one of the same id.
    let run = try layout.stream.connection.inbox()
    let began = FleetClock.seconds
    var count = 0
    var bytes: [UInt8] = []
    for step in 0..<steps {
      let time = start + step * interval
      for index in devices.indices {
        bytes.removeAll(keepingCapacity: true)
        bytes.append(UInt8(ascii: "{"))
        self.step(index, time: time, into: &bytes)
        let name = Self.name(index)
        try publisher.publish(
          "owntracks.\(name.user).\(name.device)", bytes, id: "\(run)-\(name.device)-\(time)", of: nil,
          fixTime: FleetClock.wall)
        try publisher.makeRoom()
        count += 1
        if count % 64 == 0 { try publisher.collect(milliseconds: 0) }
        guard rate > 0 else { continue }
        let due = began + Double(count) / rate
        let ahead = due - FleetClock.seconds
        if ahead > 0.002 { FleetClock.pause(milliseconds: UInt32(min(ahead * 1_000, 1e9))) }
      }
      // One that has to be sent again must not come after the next of its device.
      try publisher.settle()
    }
    return count
  }

  /// Circles in the city, as GeoJSON. They tell only of what a device is in at first: all the others would be an event
  /// of each device too.
  ///
  /// - Parameter areaMeters: that of the homes; the circles lie within a square of 1.3 times the sides.
  package static func regions(count: Int, seed: UInt64, areaMeters: Double) -> String {
    var random = SplitMix64(seed: seed)
    let features = (0..<count).map { index in
      let (latitude, longitude) = place(&random, areaMeters * 1.3)
      let radius = Int(60 + 240 * random.unit())
      let position = "\(JSONTree.fixed(longitude, 6).text),\(JSONTree.fixed(latitude, 6).text)"
      return
        "{\"type\":\"Feature\",\"id\":\"place-\(index)\",\"properties\":{\"radius_m\":\(radius),"
        + "\"dwell_s\":120,\"initial\":\"event\"},\"geometry\":{\"type\":\"Point\",\"coordinates\":[\(position)]}}"
    }
    return "{\"type\":\"FeatureCollection\",\"features\":[\n\(features.joined(separator: ",\n"))\n]}\n"
  }
}
