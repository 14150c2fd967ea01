/// What a region's owner asked for, apart from its shape: what each look may need of a ``Region``.
struct RegionTerms: Sendable {
  var id: String
  var notify: Region.Notify
  var initial: Region.Initial
  var dwellSeconds: Double
  var exitDelaySeconds: Double
  var maxLatencySeconds: Double?

  init(_ region: Region) {
    id = region.id
    notify = region.notify
    initial = region.initial
    dwellSeconds = region.dwellSeconds
    exitDelaySeconds = region.exitDelaySeconds
    maxLatencySeconds = region.maxLatencySeconds
  }
}
