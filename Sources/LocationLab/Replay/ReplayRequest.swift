public import LocationCore
public import LocationFormats
public import LocationRuntime

/// What a replay is to do, settled before the first track is opened.
public struct ReplayRequest: Sendable {
  /// The numbers the engine decides by.
  public var configuration = EngineConfiguration.standard
  /// The regions to watch.
  public var regions: [Region] = []
  /// What many tracks share, in place of engines that each read ``configuration`` and ``regions``.
  var shared: Shared?
  /// The programs that want to know.
  public var subscribers: [Subscriber] = []
  /// Whether a recording is replayed with its own configuration, rather than with this one.
  public var keepsRecordedConfiguration = false
  /// Whether the profile stands in for the recorded one.
  public var hasOwnProfile = false
  /// Who decides when the receiver is on, where that is other than in a recording's configuration.
  public var sampling: SamplingConfiguration.Mode?
  /// Whether ``subscribers`` only stand in for those that nobody named; a recording has its own.
  public var hasDefaultSubscribers = false
  /// What else happens.
  public var scenario: Scenario?
  /// How records are printed.
  public var format = RecordFormat.text
  /// How texts are written.
  package var style = TextStyle()
  /// How tracks are read.
  public var track = TrackOptions()
  /// Whether the user wants no programs.
  package var omitsPrograms = false
  /// Whether each segment of a track is replayed alone.
  public var eachSegment = false
  /// Only fixes from this time on.
  public var from: UTCTime?
  /// Only fixes up to this time.
  public var to: UTCTime?
  /// How many seconds of the track pass in one second; nil for as fast as it goes.
  public var speed: Double?
  /// Tracks replayed side by side, each on one thread; nil for one at a time, which is unpacked on a thread of its own.
  public var jobs: Int?
  /// Where a page with the track, its events and its energy is written; of one track only.
  public var reportPath: String?
  /// Whether that page tells what notifications say, which is for the user alone.
  public var tellsNotifications = false
  /// The folder of Leaflet, which draws the map of the page.
  package var leaflet = Leaflet.usualFolder
  /// The map under the track of the page; nil for none.
  package var baseMap: BaseMap?
  /// Whether a progress bar is drawn on standard error.
  public var showsProgress = false

  public init() {}

  /// Whether the only program is one that nobody named and nothing happens to: each event leads to the same.
  package var assumesProgram: Bool { hasDefaultSubscribers && scenario == nil }

  /// What a replay of a recording says of options that have no effect on it; none where all have.
  var notesOnRecording: [String] {
    let options = [
      ("--interval", track.intervalSeconds != nil), ("--assume-accuracy", track.assumeAccuracyMeters != nil),
      ("--each-segment", eachSegment), ("--no-programs", omitsPrograms),
    ]
    return options.filter(\.1).map { "a recording is replayed as it was: \($0.0) has no effect" }
  }

  /// What many tracks share.
  struct Shared: Sendable {
    var settings: EngineSettings
    /// Without those of beacons, which no track has.
    var catalog: RegionCatalog
    var draws: PowerDrawTable
  }

  /// Has tracks share settings and regions, which takes far less than to make them for each.
  ///
  /// - Throws: ``Failure`` of code 65 where the regions can't be used.
  mutating func share() throws(Failure) {
    do {
      shared = Shared(
        settings: EngineSettings(configuration),
        catalog: try RegionCatalog(regions.filter { !$0.isOfBeacons }),
        draws: PowerDrawTable(configuration.profile))
    } catch {
      throw Failure(.data, what: "the regions can't be used: \(error)")
    }
  }

  /// Whether tracks may share settings and regions: no program, scenario or report is told that each engine gets them.
  var isShareable: Bool { subscribers.isEmpty && scenario == nil && reportPath == nil }
}
