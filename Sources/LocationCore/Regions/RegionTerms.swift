/// What a region's owner asked for, apart from its shape: what each look may need of a ``Region``.
///
/// What each event needs comes last, see ``RegionEntry``.
struct RegionTerms: Sendable {
  var maxLatencySeconds: Double?
  var dwellSeconds: Double
  var exitDelaySeconds: Double
  var notify: Region.Notify
  var initial: Region.Initial
  var id: String

  init(_ region: Region) {
    id = region.id
    notify = region.notify
    initial = region.initial
    dwellSeconds = region.dwellSeconds
    exitDelaySeconds = region.exitDelaySeconds
    maxLatencySeconds = region.maxLatencySeconds
  }
}
