package import LocationCore
package import LocationFormats
import LocationRuntime

/// What was known at a moment, what was decided by it, and what would have had to differ.
package struct Explanation: Sendable {
  /// One region at that moment.
  struct Place: Sendable {
    /// Its id.
    var region: String
    /// Where the position was held to be.
    var state: RegionState
    /// Whether it is where a beacon is seen, of which no fix says anything.
    var isOfBeacons = false
    /// What the last fix said of it; nil where there was none since the region was added or moved.
    var verdict: RegionVerdict?
    /// What its state would take to change.
    var needs: [RegionNeed]
    /// What it told last, as far as was looked back.
    var last: JSONTree?
    /// What it told next; nil where that is not known yet, or not kept.
    var next: JSONTree?
  }

  /// One subscriber at that moment.
  struct Listener: Sendable {
    /// As it stood.
    var view: SubscriberView
    /// What was decided of it last, as far as was looked back.
    var last: JSONTree?
    /// What would have been decided had something happened then; of an event that did happen, why it was not told.
    var outcomes: [Outcome]

    /// Replaces the outcomes by the reason why the subscriber was not offered an event; by none where it was.
    mutating func tellOfSilence(at event: JSONTree, in region: String?) {
      outcomes = []
      guard let kind = event["type"]?.string.flatMap({ EventKind(type: $0) }),
        let service = SubscriberManifest.Service.allCases.first(where: { $0.services == kind.service }),
        let silence = view.subscriber.silence(of: service, among: [kind], region: region)
      else { return }
      outcomes = [Outcome(service: service, region: region, silence: silence)]
    }
  }

  /// What would have been decided of a subscriber, had something happened.
  struct Outcome: Sendable {
    /// Why nothing would have been decided. The raw values are stable: they stand in docs.
    enum Silence: String, CaseIterable {
      /// It does not ask for that service.
      case noService = "no_service"
      /// It asks for other regions.
      case otherRegions = "other_regions"
      /// It asks for other events than there may be.
      case otherEvents = "other_events"
    }

    /// What would have happened, as a manifest has it.
    var service: SubscriberManifest.Service
    /// The region in which it would have; nil where it is about none in particular.
    var region: String?
    /// What would have been decided; nil where nothing would.
    var decision: Decision?
    /// Why nothing would have been decided; nil where something would.
    var silence: Silence?
  }

  /// The moment.
  var time: UTCTime
  /// When the last thing that is known happened, where that is before the moment.
  var knownUntil: UTCTime?
  /// Whether no more is known than the record itself and what was decided about it.
  var isCut = false
  /// Whether it tells what a notification says, which is for the user alone.
  package var tellsNotifications = false
  /// The record that was asked about.
  var event: JSONTree?
  /// The decisions about it, in order.
  var decisions: [JSONTree] = []
  /// The last report, believed or not; nil where none is known.
  var report: Record?
  /// The last fix that was believed; nil where there was none yet.
  var fix: Fix?
  /// By how much its error is taken to differ from what is claimed; nil where none is known.
  var error: ErrorEstimate?
  /// What is believed.
  var gate = FixGate.Configuration()
  /// What the receiver was told since.
  var receiver: JSONTree?
  /// What became of the source since.
  var source: JSONTree?
  /// How far the position was from a significant change (rule B1); nil where that was not asked about.
  var move: SignificantChange.Standing?
  /// How far it was from a visit (rule B5); nil where that was not asked about.
  var stay: VisitMonitor.Standing?
  /// The regions for which the last fix was weighed, or the one that was asked about.
  var places: [Place] = []
  /// How many more there were, for which it was not: it could change nothing there.
  var unweighedRegions = 0
  /// The subscribers, or the one that was asked about.
  var listeners: [Listener] = []
}

extension Explanation {
  /// What an inquiry has found.
  ///
  /// - Throws: ``Failure`` of code 1 where the region or the subscriber was not there then.
  init(_ question: Question, _ inquiry: borrowing Inquiry) throws(Failure) {
    try self.init(question, inquiry.engine, inquiry.seen, isReached: inquiry.isReached)
  }

  /// What an engine knows that has come to the moment, or to the end of what is known.
  init(
    _ question: Question, _ engine: borrowing Engine, _ seen: Inquiry.Seen, isReached: Bool
  ) throws(Failure) {
    // Before the first fix an engine may know no UTC: the last report has one.
    var known = engine.time
    if engine.tally.last == nil, let report = seen.report { known = max(known, report.time) }
    let asked = question.event == nil ? question.at : nil
    time = asked ?? known
    if let asked, !isReached, known < asked { knownUntil = known }
    gate = engine.configuration.gate
    report = seen.report
    fix = engine.tally.last
    error = fix == nil ? nil : engine.errorEstimate
    event = seen.subject.map { JSONTree($0) }
    decisions = seen.consequences.map { JSONTree($0) }
    receiver = seen.receiver.map { JSONTree($0) }
    source = seen.source.map { JSONTree($0) }
    let region = try Self.region(question, engine, seen)
    places = Self.places(region, engine, seen)
    if region == nil, question.event == nil, fix != nil {
      unweighedRegions = engine.regionCount - places.count
    }
    if region == nil {
      move = engine.moveStanding(at: engine.instant(at: time))
      stay = engine.visitStanding
    }
    // One that was removed since, and `shared`, is none of those there are.
    let subject = seen.subject?.subscriber.flatMap { name in
      engine.subscribers.contains { $0.subscriber.name == name } ? name : nil
    }
    let subscriber = question.subscriber ?? subject
    listeners = try Self.listeners(named: subscriber, of: event == nil ? region : nil, engine, seen)
    if let event { for index in listeners.indices { listeners[index].tellOfSilence(at: event, in: region) } }
  }

  /// The region that is asked about, itself or by its event.
  private static func region(
    _ question: Question, _ engine: borrowing Engine, _ seen: Inquiry.Seen
  ) throws(Failure) -> String? {
    guard let region = question.region else {
      guard case .region(let event) = seen.subject?.body else { return nil }
      return event.region
    }
    guard engine.regionState(region) == nil else { return region }
    throw Failure(
      .conditionFails, what: "no region was called \"\(region)\" then",
      remedy: remedy(for: region, among: engine.regionIDs))
  }

  /// What to ask for instead of a name that nothing had: the most similar name, or the first few.
  private static func remedy(for name: String, among names: [String]) -> String {
    if let near = NearestWord.to(name, among: names) { return "did you mean \(near)?" }
    guard !names.isEmpty else { return "there was none" }
    let first = names.prefix(5).joined(separator: ", ")
    return "there were \(first)" + (names.count > 5 ? " and \(Wording.count(names.count - 5)) more" : "")
  }

  private static func places(_ asked: String?, _ engine: borrowing Engine, _ seen: Inquiry.Seen) -> [Place] {
    let verdicts = seen.fix?.verdicts ?? engine.regionVerdicts(with: asked)
    var ids = verdicts.map(\.region)
    if let asked { ids = [asked] }
    return ids.map { id in
      Place(
        region: id, state: engine.regionState(id) ?? .unknown,
        isOfBeacons: engine.region(id)?.isOfBeacons == true,
        verdict: verdicts.first { $0.region == id }, needs: engine.regionNeeds(id),
        last: seen.regions[id].map { JSONTree($0) })
    }
  }

  private static func listeners(
    named name: String?, of region: String?, _ engine: borrowing Engine, _ seen: Inquiry.Seen
  ) throws(Failure) -> [Listener] {
    let all = engine.subscribers
    let wanted = name.map { name in all.filter { $0.subscriber.name == name } } ?? all
    if let name, wanted.isEmpty {
      throw Failure(
        .conditionFails, what: "no subscriber was called \"\(name)\" then",
        remedy: remedy(for: name, among: all.map(\.subscriber.name)))
    }
    let services: [SubscriberManifest.Service] =
      region == nil ? [.significantChange, .regions, .visits] : [.regions]
    let reported = region.flatMap { engine.region($0)?.notify }
    let offers = services.map { service in
      let kinds = service.kinds.filter { reported?.isSuperset(of: $0.notify) ?? true }
      let decisions = engine.decisions(on: service.trigger, among: kinds, region: region)
      return (service: service, kinds: kinds, decisions: decisions)
    }
    return wanted.map { view in
      let outcomes = offers.map { offer in
        var outcome = Outcome(
          service: offer.service, region: region,
          decision: offer.decisions.first { $0.subscriber == view.subscriber.name })
        if outcome.decision == nil {
          outcome.silence = view.subscriber.silence(of: offer.service, among: offer.kinds, region: region)
        }
        return outcome
      }
      return Listener(
        view: view, last: seen.decisions[view.subscriber.name].map { JSONTree($0) }, outcomes: outcomes)
    }
  }
}

extension SubscriberManifest.Service {
  /// What happens in this service, as it wakes and starts programs.
  fileprivate var trigger: Trigger {
    switch self {
    case .significantChange: .significantChange
    case .regions: .region
    case .visits: .visit
    case .standard: .standard
    }
  }

  /// The kinds of its events.
  fileprivate var kinds: [EventKind] { EventKind.allCases.filter { services.contains($0.service) } }
}

extension Subscriber {
  /// Why it is not offered an event of a service that is of one of these kinds; nil where it is.
  fileprivate func silence(
    of service: SubscriberManifest.Service, among kinds: [EventKind], region: String?
  ) -> Explanation.Outcome.Silence? {
    guard services.contains(service.services) else { return .noService }
    if let region, let regions, !regions.contains(region) { return .otherRegions }
    return kinds.contains { filter?.has($0) ?? true } ? nil : .otherEvents
  }
}

extension JSONTree {
  /// A record, as it is printed but for its place in the output.
  package init(_ record: Record) {
    self = (try? JSONTree(JSONLine.line { $0.write(record, track: nil) })) ?? .object([])
  }
}
