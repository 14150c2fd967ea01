// Runs a track through the engine in this process, without threads or output, among the 1,000 circles of
// fixtures.py: for counting instructions, where a program with threads of its own can't be followed.
import LocationCore
import LocationFormats

var engine = Engine()
var effects: [Effect] = []
for index in 0..<1000 {
  guard
    let center = Coordinate(
      latitude: 48 + Double(index / 40 - 12) * 0.004, longitude: 11 + Double(index % 40 - 20) * 0.005)
  else { continue }
  let region = Region(id: "r\(index)", shape: .circle(center: center, radiusMeters: 100))
  engine.handle(Stamped(at: EngineInstant(microseconds: 0), .addRegion(region)), into: &effects)
}
var records = 0
for path in CommandLine.arguments.dropFirst() {
  var reader = try TrackReader(path: path)
  var batch: [TrackItem] = []
  while try reader.read(into: &batch) {
    for case .fix(let report) in batch {
      engine.handle(report, at: engine.instant(ofReplayed: report), into: &effects)
      records += effects.count
      effects.removeAll(keepingCapacity: true)
    }
  }
}
print("\(engine.tally.fixes) fixes, \(records) effects")
