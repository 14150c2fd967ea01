import ArgumentParser
import LocationCore
import LocationFormats
import LocationRuntime

/// `locwatch outlets add`.
struct OutletsAdd: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add an outlet: where to send which events, and how.",
    discussion: """
        locwatch outlets add door --webhook https://example.net/hook
        locwatch outlets add home --webhook https://example.net/hook --region home
        locwatch outlets add all --webhook https://example.net/hook --types all
        locwatch outlets add signed --webhook https://example.net/hook \\
          --secrets /etc/locwatch/signed.yaml
        locwatch outlets add phone --webhook https://ntfy.sh/my-topic --format ntfy
        locwatch outlets add gotify --webhook https://gotify.lan/message \\
          --format gotify --secrets /etc/locwatch/gotify.yaml
        locwatch outlets add broker --mqtt mqtts://broker.lan \\
          --topic owntracks/anna/phone --home-assistant

      The file of --secrets is YAML with url, secret (whsec_...), old_secret,
      bearer, user, password and what Docs/Outlets.md names, each optional. Only the
      daemon's user may be able to read it. Its values appear in no log, record or
      process list.
      """)

  @Argument(help: ArgumentHelp("The name of the outlet; unique.", valueName: "name"))
  var name: String

  @Option(help: ArgumentHelp("POST each event to this address.", valueName: "url"))
  var webhook: String?

  @Option(help: ArgumentHelp("Publish OwnTracks JSON at this broker.", valueName: "url"))
  var mqtt: String?

  @Option(
    help: ArgumentHelp(
      "The topic of locations (default: owntracks/locwatch/NAME).", valueName: "topic"))
  var topic: String?

  @Flag(help: "Announce the device and its regions to Home Assistant.")
  var homeAssistant = false

  @Flag(help: "Take OwnTracks commands from the broker: who may publish there may change regions.")
  var commands = false

  @Flag(help: "Take pushes for subscribers from the broker; each shows its subscriber's token.")
  var pushes = false

  @Option(help: ArgumentHelp("A file with what must stay secret.", valueName: "file"))
  var secrets: String?

  @Option(
    help: ArgumentHelp(
      "Types of records, separated by commas, or all (default: what happens to the position).",
      valueName: "types"))
  var types: String?

  @Option(
    name: [.customLong("region")],
    help: ArgumentHelp("Only events about this region; repeatable.", valueName: "id"))
  var regions: [String] = []

  @Flag(help: "Make positions coarse: the middle of a cell of about 5 km.")
  var reduced = false

  @Option(help: "The body: cloudevents, binary, ntfy, gotify or template.")
  var format: OutletSettings.Format?

  @Option(
    help: ArgumentHelp(
      "A JSON body with {text}, {type}, {region}, {time}, {id}, {record}.", valueName: "json"))
  var template: String?

  @Option(help: ArgumentHelp("The source attribute of CloudEvents.", valueName: "uri"))
  var source: String?

  @Flag(help: "Permit another machine without TLS: events travel in the clear.")
  var allowPlain = false

  @Option(help: ArgumentHelp("Certificate authorities to trust, PEM.", valueName: "file"))
  var authority: String?

  @Option(help: ArgumentHelp("Our certificate, PEM.", valueName: "file"))
  var certificate: String?

  @Option(help: ArgumentHelp("The key of our certificate, PEM.", valueName: "file"))
  var key: String?

  @Flag(help: "Replace an outlet with this name; it goes on where it was.")
  var replace = false

  @OptionGroup var state: StateOptions

  func validate() throws {
    let given = OutletSettings.Kind.allCases.filter { url(of: $0) != nil }
    if given.isEmpty, secrets == nil {
      throw ValidationError("give --webhook URL or --mqtt URL, or --secrets FILE with a url in it")
    }
    if given.count > 1 { throw ValidationError("--webhook and --mqtt exclude each other") }
    if kind != .mqtt, topic != nil || homeAssistant || commands || pushes {
      throw ValidationError("--topic, --home-assistant, --commands and --pushes are for --mqtt")
    }
    if kind != .webhook, format != nil || template != nil || source != nil {
      throw ValidationError("--format, --template and --source are for --webhook")
    }
    if regions.contains("") { throw ValidationError("--region names no region") }
    if [secrets, authority, certificate, key, source].contains("") {
      throw ValidationError("--secrets, --authority, --certificate, --key and --source need a value")
    }
    // The secrets may name the certificate.
    if key != nil, certificate == nil, secrets == nil { throw ValidationError("--key needs --certificate") }
    if template == nil ? format == .template : format ?? .template != .template {
      throw ValidationError("--format template and --template JSON go together")
    }
  }

  /// The address that makes it one of a kind; nil for none.
  private func url(of kind: OutletSettings.Kind) -> String? {
    switch kind {
    case .webhook: webhook
    case .mqtt: mqtt
    }
  }

  /// A webhook where the address is in the secrets.
  private var kind: OutletSettings.Kind {
    OutletSettings.Kind.allCases.first { url(of: $0) != nil } ?? .webhook
  }

  func perform() throws(Failure) {
    let database = try state.open()
    var outlet = try made(instance: try database.instance())
    let ids = try database.regionIDs()
    // As the state file has them: SQLite, which counts what waits, compares bytes.
    outlet.regions = outlet.regions?.map { name in ids.first { $0 == name } ?? name }
    let isReplaced = try database.put(outlet, replacing: replace)
    try state.seat().note([.outlets([name])])
    Terminal.note("\(isReplaced ? "replaced" : "added") \(name)")
    Terminal.warn(complaints(about: outlet, among: ids))
  }

  /// What it names that is not there, or will be refused.
  private func complaints(about outlet: OutletSettings, among ids: [String]) -> [String] {
    var lines = regions.filter { !ids.contains($0) }.map { id in
      MissingRegion.text(id, among: ids, remedy: MissingRegion.remedy(id))
    }
    if let complaint = OwnTracksOutlet.complaint(about: outlet, among: ids) { lines.append(complaint) }
    if let secrets, let complaint = OutletSecrets.complaint(about: secrets, of: outlet) {
      lines.append("\(complaint)")
    }
    return lines
      + [outlet.authority, outlet.certificate].compactMap { Self.complaint(about: $0, of: "CERTIFICATE") }
      + [outlet.key].compactMap { Self.complaint(about: $0, of: "PRIVATE KEY") }
  }

  /// Why a file is none that the daemon can read, or holds nothing of a kind as PEM (RFC 7468) names it; nil where it may
  /// be one.
  private static func complaint(about file: String?, of kind: String) -> String? {
    guard let file else { return nil }
    do throws(Failure) {
      // Of keys there are several kinds, each with a word of its own before this one.
      let isThere = try FileBytes.read(path: file).split(separator: UInt8(ascii: "\n")).contains { line in
        line.starts(with: "-----BEGIN ".utf8)
          && String(decoding: line, as: UTF8.self).contains("\(kind)-----")
      }
      return isThere ? nil : "\(file) holds no \(kind.lowercased()) in PEM"
    } catch {
      // The daemon may run as another user.
      return error.code == .noInput ? "\(error)" : nil
    }
  }

  private func made(instance: String) throws(Failure) -> OutletSettings {
    var outlet = OutletSettings(name: name, kind: kind, instance: instance)
    guard !name.isEmpty, name.utf8.count <= 100, !OwnersText.hasControlCharacter(name) else {
      throw Failure(
        .usage, what: "a name has 1 to 100 bytes and no control characters", remedy: "write another")
    }
    outlet.url = url(of: kind)
    if let url = outlet.url { try check(url) }
    switch kind {
    case .webhook:
      outlet.format = format ?? (template == nil ? .cloudevents : .template)
      if let template { try BodyTemplate(template).check() }
      outlet.template = template
    case .mqtt: try describe(&outlet)
    }
    outlet.secrets = try secrets.map { (path) throws(Failure) in try StatePath.absolute(path) }
    outlet.types = try chosenTypes()
    outlet.regions = regions.isEmpty ? nil : regions
    outlet.isReduced = reduced
    outlet.source = source
    outlet.allowsPlain = allowPlain
    outlet.authority = try authority.map { (path) throws(Failure) in try StatePath.absolute(path) }
    outlet.certificate = try certificate.map { (path) throws(Failure) in try StatePath.absolute(path) }
    outlet.key = try key.map { (path) throws(Failure) in try StatePath.absolute(path) }
    return outlet
  }

  private func check(_ url: String) throws(Failure) {
    let address = try OutletAddress(url)
    let isBroker = kind == .mqtt && address.kind == kind
    guard !isBroker || ["", "/"].contains(address.path) else {
      throw Failure(
        .usage, what: "a broker's address has no path, and this one has \"\(address.path)\"",
        remedy: "name the topic with --topic")
    }
    try address.require(kind, allowsPlain: allowPlain, code: .usage)
  }

  private func describe(_ outlet: inout OutletSettings) throws(Failure) {
    // Without one the name is its last part.
    let place = topic ?? name
    let isPlain = !place.utf8.contains { "+#".utf8.contains($0) || $0 < 0x20 }
    guard isPlain, (1...MQTTSession.mostTopicBytes).contains(place.utf8.count), !place.hasPrefix("/"),
      !place.hasSuffix("/")
    else {
      throw Failure(
        .usage, what: "\"\(place.prefix(100))\" is no topic to publish at",
        remedy: "write --topic owntracks/USER/DEVICE")
    }
    outlet.topic = topic
    outlet.announces = homeAssistant
    outlet.takesCommands = commands ? true : nil
    outlet.takesPushes = pushes ? true : nil
    outlet.created = SystemClock().read().utc.map { Int($0.microseconds / 1_000_000) }
  }

  private func chosenTypes() throws(Failure) -> [String]? {
    guard let types else { return OutletSettings.usualTypes + (homeAssistant ? ["region.state"] : []) }
    if types == "all" { return nil }
    let words = types.split(separator: ",").map(String.init)
    guard !words.isEmpty else {
      throw Failure(
        .usage, what: "--types names no type", remedy: "write types separated by commas, or all")
    }
    for word in words where !OutletSettings.allTypes.contains(word) {
      let near = NearestWord.to(word, among: OutletSettings.allTypes)
      throw Failure(
        .usage, what: "there are no records of type \"\(word)\"",
        remedy: near.map { "did you mean \($0)?" } ?? "Docs/Wire.md lists the types")
    }
    return words
  }
}

extension OutletSettings.Format: ExpressibleByArgument {}
