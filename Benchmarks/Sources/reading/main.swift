// Reads tracks and adds up every field, as limits/gpx_scan.c does, so that the two can be told to have decoded
// the same.
import LocationCore
import LocationFormats

struct Sums {
  var points = 0
  var latitude = 0.0
  var longitude = 0.0
  var seconds = 0
  var accuracy = 0.0
  var speed = 0.0
  var course = 0.0
  var elevation = 0.0

  mutating func add(_ fix: FixReport) {
    points += 1
    latitude += fix.latitude
    longitude += fix.longitude
    seconds += Int((fix.time?.microseconds ?? 0) / 1_000_000 % 86_400)
    accuracy += fix.accuracy.radiusMeters
    speed += fix.speedMetersPerSecond ?? 0
    course += fix.courseDegrees ?? 0
    elevation += fix.altitudeMeters ?? 0
  }
}

var sums = Sums()
for path in CommandLine.arguments.dropFirst() {
  var reader = try TrackReader(path: path)
  var batch: [TrackItem] = []
  while try reader.read(into: &batch) {
    for case .fix(let fix) in batch { sums.add(fix) }
  }
}
print(
  "\(sums.points) points, sums: \(sums.latitude) \(sums.longitude) \(sums.seconds) \(sums.accuracy) "
    + "\(sums.speed) \(sums.course) \(sums.elevation)")
