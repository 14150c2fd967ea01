import LocationCore

/// Gathers the regions of one file, whatever its format, and what is wrong with it.
struct RegionCollector {
  /// What was read so far.
  private(set) var file: RegionFile
  /// The feature, waypoint or placemark being read, from 1; 0 before the first.
  var number = 0
  /// What is wrong, in the order of the file; at most ``keptProblems``.
  private(set) var problems: [Failure] = []

  let options: RegionFile.Options
  /// What the file's own people call one of them.
  private let noun: String
  private var problemCount = 0
  /// Which of them has an id.
  private var numbers: [String: Int32] = [:]
  /// How far those of a name, and without an id, were counted.
  private var namesakes: [String: Int] = [:]
  private var unnamed = Some()
  /// Those of them that have no name either.
  private var nameless = Some()
  /// Those of them whose name an earlier one has.
  private var namesakeNumbers = Some()

  /// Numbers of features: the first ten, and how many there are.
  private struct Some {
    var first: [Int] = []
    var count = 0

    mutating func add(_ number: Int) {
      count += 1
      if count <= 10 { first.append(number) }
    }
  }

  /// Problems kept for a report; the others are counted.
  static let keptProblems = 100

  /// - Parameters:
  ///   - file: as the user named it.
  ///   - source: the text that pieces refer to; empty where features are added with text of their own.
  init(file: String, source: [UInt8] = [], noun: String, options: RegionFile.Options) {
    self.file = RegionFile(name: file)
    self.file.source = source
    self.noun = noun
    self.options = options
  }

  /// Adds a region that stands in the source.
  mutating func add(_ draft: RegionDraft, _ piece: RegionFile.Piece) throws(RegionProblem) {
    let draft = assuming(draft)
    guard let region = try region(of: draft, id: try id(of: draft)) else { return }
    var piece = piece
    if !draft.hasOwnID { piece.lacks.insert(.id) }
    if draft.isRadiusAssumed { piece.lacks.insert(.radius) }
    keep(region, piece, tags: draft.tags)
  }

  /// Adds a region from a file that is not GeoJSON: what its GeoJSON says, so that it is the same once it is stored.
  ///
  /// - Parameter properties: what else the file says of it, each with its JSON text.
  mutating func add(_ draft: RegionDraft, properties: [(key: String, json: String)]) throws(RegionProblem) {
    let draft = assuming(draft, properties)
    let id = try id(of: draft)
    let text = FeatureText.make(id: id, draft, properties)
    var stored = try GeoJSONReader.draft(of: text)
    (stored.id, stored.order) = (draft.id, draft.order)
    guard let region = try region(of: stored, id: id) else { return }
    let piece = RegionFile.Piece(start: file.source.count, length: UInt32(clamping: text.count), lacks: [])
    file.source += text
    keep(region, piece, tags: stored.tags)
  }

  /// As ``add(_:properties:)``, but what lacks a radius is left out rather than refused: a file of places is
  /// not wrong for holding no regions.
  mutating func addPlace(_ draft: RegionDraft, properties: [(key: String, json: String)])
    throws(RegionProblem)
  {
    let draft = assuming(draft, properties)
    if let missing = draft.missing {
      leaveOut(missing + remedy(draft), id: draft.name)
    } else {
      try add(draft, properties: properties)
    }
  }

  private func remedy(_ draft: RegionDraft) -> String {
    if case .point = draft.geometry { return "; --radius METRES gives it one" }
    return ""
  }

  /// Names what no region was made of, all at once.
  mutating func leaveOutAll(_ why: String) { file.leftOut.append("\(file.name): \(why)") }

  /// Refuses a file that says something, and nothing that a region can be made of.
  mutating func refuseIfUseless() {
    guard file.regions.isEmpty, problems.isEmpty, let first = file.leftOut.first else { return }
    number = 0
    let why = first.dropFirst(file.name.count + 2)
    note(
      "no region can be made of it",
      "\(why)" + (file.leftOut.count > 1 ? " (and \(file.leftOut.count - 1) more)" : ""), line: nil)
  }

  /// Says that there are no regions in a good file.
  mutating func warnIfEmpty() {
    guard file.regions.isEmpty, problems.isEmpty else { return }
    number = 0
    warn("no regions in it")
  }

  /// Names what no region was made of.
  mutating func leaveOut(_ why: String, id: String?) {
    file.leftOut.append("\(file.name): \(place(id: id)): \(why)")
  }

  /// Names what is probably not meant.
  mutating func warn(_ text: String, line: Int? = nil) {
    let at = line.map { ":\($0)" } ?? ""
    file.warnings.append("\(file.name)\(at): \(number == 0 ? "" : place(id: nil) + ": ")\(text)")
  }

  /// Names what makes the file unusable.
  mutating func note(_ what: String, _ remedy: String?, id: String? = nil, line: Int?) {
    problemCount += 1
    guard problems.count < Self.keptProblems else { return }
    let text = number == 0 ? what : "\(place(id: id)): \(what)"
    problems.append(Failure(.data, file: file.name, line: line, what: text, remedy: remedy))
  }

  /// The first problem, and how many there are; nil where all is well.
  var failure: Failure? {
    guard var first = problems.first else { return nil }
    if problemCount > 1 {
      let more = problemCount == 2 ? "1 more problem" : "\(problemCount - 1) more problems"
      first.remedy = [first.remedy, "(and \(more))"].compactMap { $0 }.joined(separator: " ")
    }
    return first
  }

  /// Says at the end which ids were made up, in a format that has ids.
  mutating func warnOfMissingIDs() {
    guard unnamed.count > 0 else { return }
    (nameless, namesakeNumbers) = (Some(), Some())
    file.warnings.append(
      "\(file.name): \(text(of: unnamed)) without an id: called by its \"name\","
        + " or region- and its number; with an \"id\" it keeps its name when the file changes")
  }

  /// The same in a format that has names alone.
  mutating func warnOfMissingNames() {
    if nameless.count > 0 {
      file.warnings.append(
        "\(file.name): \(text(of: nameless)) without a name: called region- and its number;"
          + " with a name it keeps that when the file changes")
    }
    if namesakeNumbers.count > 0 {
      file.warnings.append(
        "\(file.name): \(text(of: namesakeNumbers)) with the name of an earlier one: called that and -2, -3 ...;"
          + " with a name of its own it keeps that when the file changes")
    }
  }

  /// `waypoints 2, 5`
  private func text(of some: Some) -> String {
    "\(noun)\(some.count == 1 ? "" : "s") " + some.first.map { "\($0)" }.joined(separator: ", ")
      + (some.count > some.first.count ? ", ..." : "")
  }

  // MARK: -

  /// The draft with a radius that its properties have under another name, or else the one that was asked for.
  private func assuming(
    _ draft: RegionDraft, _ properties: [(key: String, json: String)] = []
  ) -> RegionDraft {
    var draft = draft
    if !properties.isEmpty, draft.radiusMeters == nil, draft.foreignRadius == nil,
      let stored = try? GeoJSONReader.draft(of: FeatureText.make(id: "id", draft, properties))
    {
      (draft.radiusMeters, draft.foreignRadius) = (stored.radiusMeters, stored.foreignRadius)
    }
    if let radius = options.defaultRadiusMeters { draft.assume(radiusMeters: radius) }
    return draft
  }

  private mutating func id(of draft: RegionDraft) throws(RegionProblem) -> String {
    try RegionDraft.checkedID(draft.id ?? nameAsID(draft))
  }

  private mutating func region(of draft: RegionDraft, id: String) throws(RegionProblem) -> Region? {
    if draft.isSavedPlace, draft.geometry == .point(RegionDraft.Position(longitude: 0, latitude: 0)) {
      leaveOut("a saved place without a position", id: draft.name)
      return nil
    }
    let isUnnamed = draft.id == nil
    guard let region = try draft.region(id: id) else {
      leaveOut(draft.geometry.whyLeftOut, id: isUnnamed ? nil : id)
      return nil
    }
    if let first = numbers.updateValue(Int32(clamping: number), forKey: id) {
      throw RegionProblem(what: "the id of \(noun) \(first) again", remedy: "ids are unique")
    }
    if isUnnamed, !draft.isNumbered {
      unnamed.add(number)
      let name = draft.name.flatMap(RegionDraft.id(fromName:))
      if name == nil { nameless.add(number) } else if name != id { namesakeNumbers.add(number) }
    }
    return region
  }

  private mutating func keep(_ region: Region, _ piece: RegionFile.Piece, tags: [String]?) {
    if let tags, !tags.isEmpty { file.tags[file.regions.count] = tags }
    file.regions.append(region)
    file.pieces.append(piece)
  }

  /// The name where it is free, then name-2, name-3 ...; `region-` and the number where there is none.
  private mutating func nameAsID(_ draft: RegionDraft) -> String {
    guard let name = draft.name.flatMap(RegionDraft.id(fromName:)) else { return "region-\(number)" }
    var candidate = name
    // Counting goes on where it stopped, or many of one name would take forever.
    var count = namesakes[name, default: 1]
    while numbers[candidate] != nil {
      count += 1
      candidate = "\(name)-\(count)"
    }
    namesakes[name] = count
    return candidate
  }

  /// `feature 3 ("home")`.
  private func place(id: String?) -> String { "\(noun) \(number)" + (id.map { " (\"\($0)\")" } ?? "") }
}
