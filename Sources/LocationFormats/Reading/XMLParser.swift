import CExpat
import Glibc
package import LocationCore

/// Reads XML with expat, a piece at a time: GPX as items, anything else as events. The only file that imports expat.
///
/// Nothing is fetched, no entity is expanded, and memory does not grow with the file. It is a class because
/// it owns a parser that must be freed once, and because it is kept in an optional.
@safe package final class XMLParser {
  /// What one tag, comment or the like may take, bytes. expat keeps such a token whole in memory.
  ///
  /// A token is refused once three times as much is waiting for its end, because expat from 2.6 looks at an
  /// unfinished token again only when twice as much has come.
  static let maximumTokenBytes = 1 << 20

  /// What expat may allocate, bytes: several times what any real file needs, and little enough that a
  /// hostile one can't fill the memory with names, attributes or open tags.
  static let memoryBudgetBytes = 24 << 20

  /// What expat's callbacks write to; its address stays the same.
  private let state: UnsafeMutablePointer<State>
  private let budget: UnsafeMutablePointer<locwatch_xml_budget>
  private var bytesFed = 0
  private var passed = Passed()

  /// A parser of GPX, for ``takeItems(into:)``.
  ///
  /// - Parameter assumeAccuracyMeters: see ``TrackOptions``.
  package init(gpx file: String, assumeAccuracyMeters: Double?) throws(Failure) {
    unsafe budget = .allocate(capacity: 1)
    unsafe budget.initialize(
      to: locwatch_xml_budget(used: 0, limit: Self.memoryBudgetBytes, is_exceeded: 0))
    guard let parser = unsafe locwatch_xml_parser_create(budget) else {
      unsafe budget.deallocate()
      throw Failure(.tryAgain, file: file, what: "no memory for the XML parser", remedy: Failure.memoryRemedy)
    }
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(
      to: State(
        parser: parser, file: file, assembler: GPXAssembler(assumeAccuracyMeters: assumeAccuracyMeters)))
    unsafe XML_SetUserData(parser, state)
    unsafe XML_SetElementHandler(parser, startElement, endElement)
    unsafe XML_SetCharacterDataHandler(parser, characterData)
    unsafe XML_SetCdataSectionHandler(parser, startCDATA, endCDATA)
    unsafe XML_SetEntityDeclHandler(parser, entityDeclaration)
    unsafe XML_SetSkippedEntityHandler(parser, skippedEntity)
    unsafe XML_SetStartDoctypeDeclHandler(parser, startDoctype)
    unsafe XML_SetUnknownEncodingHandler(parser, unknownEncoding, nil)
    unsafe XML_SetParamEntityParsing(parser, XML_PARAM_ENTITY_PARSING_NEVER)
  }

  /// A parser of any XML, for ``takeEvents()``.
  package convenience init(eventsOf file: String) throws(Failure) {
    try self.init(gpx: file, assumeAccuracyMeters: nil)
    unsafe state.pointee.takesEvents = true
    // Letters matter where names are read, so an encoding that expat does not know is an error.
    unsafe XML_SetUnknownEncodingHandler(state.pointee.parser, nil, nil)
  }

  deinit {
    unsafe XML_ParserFree(state.pointee.parser)
    unsafe state.deinitialize(count: 1)
    unsafe state.deallocate()
    unsafe budget.deallocate()
  }

  /// The line that the parser has reached, from 1.
  package var line: Int { parsedLine + passed.lines }

  /// Parses a piece; an empty one with `isFinal` ends the document.
  ///
  /// What was whole before trouble is there to be taken.
  package func parse(_ piece: Span<UInt8>, isFinal: Bool) throws(Failure) {
    bytesFed += piece.count
    let parser = unsafe state.pointee.parser
    let status = unsafe piece.withUnsafeBufferPointer { bytes in
      unsafe bytes.withMemoryRebound(to: CChar.self) { chars in
        unsafe locwatch_xml_parse(
          parser, budget, chars.baseAddress, Int32(chars.count), isFinal ? 1 : 0)
      }
    }
    guard status == XML_STATUS_OK else { throw unsafe state.pointee.refusal ?? notWellFormed() }
    let reached = unsafe Int(XML_GetCurrentByteIndex(parser))
    if !isFinal, reached >= 0, bytesFed - reached > 3 * Self.maximumTokenBytes {
      throw unsafe Failure(
        .data, file: state.pointee.file, line: line,
        what: "a tag, attribute or comment is longer than \(Self.maximumTokenBytes >> 20) MiB",
        remedy: "no recorder writes such a file")
    }
  }

  /// What has come since the last call.
  package func takeEvents() -> [XMLEvent] {
    var events: [XMLEvent] = []
    unsafe swap(&events, &state.pointee.events)
    return events
  }

  private static let malformedRemedy = "mend the line, or write the file anew with the program that made it"

  private func notWellFormed() -> Failure {
    let parser = unsafe state.pointee.parser
    var failure = unsafe Failure(.data, file: state.pointee.file, line: line, what: "")
    let code = unsafe XML_GetErrorCode(parser)
    switch code {
    case XML_ERROR_NO_MEMORY where unsafe budget.pointee.is_exceeded != 0:
      failure.what = "takes more than \(Self.memoryBudgetBytes >> 20) MiB to parse"
      failure.remedy = "no recorder writes such a file"
    case XML_ERROR_NO_MEMORY:
      failure.code = .tryAgain
      failure.what = "no memory for the XML parser"
    case XML_ERROR_UNKNOWN_ENCODING:
      failure.what = "the encoding that the XML declaration names is not known"
      failure.remedy = "convert the file to UTF-8"
    case XML_ERROR_INVALID_TOKEN:
      failure.what = "not well-formed XML at column \(column): invalid token"
      failure.remedy = Self.malformedRemedy
    case XML_ERROR_NO_ELEMENTS, XML_ERROR_UNCLOSED_TOKEN, XML_ERROR_PARTIAL_CHAR,
      XML_ERROR_UNCLOSED_CDATA_SECTION:
      failure.what = "not well-formed XML: the file is cut off"
      failure.remedy = "get the whole file"
    default:
      let reason = unsafe XML_ErrorString(code).map { unsafe String(cString: $0) } ?? "error \(code)"
      failure.what = "not well-formed XML at column \(column): \(reason)"
      failure.remedy = Self.malformedRemedy
    }
    return failure
  }

  private var column: Int { parsedColumn + (parsedLine == passed.atLine ? passed.columns : 0) + 1 }
  private var parsedLine: Int { unsafe Int(XML_GetCurrentLineNumber(state.pointee.parser)) }
  private var parsedColumn: Int { unsafe Int(XML_GetCurrentColumnNumber(state.pointee.parser)) }
}

/// GPX, which goes to an assembler.
extension XMLParser {
  /// The line on which the first track point begins, or else the first other point; nil before it.
  package var firstPointLine: Int? {
    unsafe state.pointee.firstTrackPointLine ?? state.pointee.firstOtherPointLine
  }
  /// What was taken generously.
  package var notes: [String] { unsafe state.pointee.assembler.notes }
  /// What the file holds, counted.
  package var census: GPXAssembler.Census { unsafe state.pointee.assembler.census }

  /// Moves the finished items to the end of `batch`.
  package func takeItems(into batch: inout [TrackItem]) {
    if batch.isEmpty {
      unsafe swap(&batch, &state.pointee.assembler.items)
    } else {
      unsafe batch.append(contentsOf: state.pointee.assembler.items)
      unsafe state.pointee.assembler.items.removeAll(keepingCapacity: true)
    }
  }

  /// See ``GPXAssembler/takeHeldItems()``.
  package func takeHeldItems() -> [TrackItem]? { unsafe state.pointee.assembler.takeHeldItems() }

  // MARK: - Reading parts of the document without the parser

  /// What was read elsewhere: lines in all, and columns on the parser's line at which that was last.
  fileprivate struct Passed {
    var lines = 0
    var columns = 0
    var atLine = 0
  }

  /// Whether the track point that comes next may be left out of what is parsed, and handed to the assembler
  /// as a whole: everything parsed so far has been taken in, and the assembler has a use for one.
  ///
  /// Never where markup may mean something else than it says: in CDATA, after a DOCTYPE, whose declarations
  /// apply to attributes, and in encodings that don't write ASCII as ASCII.
  var takesWholePoints: Bool {
    unsafe state.pointee.assembler.takesWholePoints && !state.pointee.isInCDATA
      && !state.pointee.hasDoctype && state.pointee.refusal == nil
      && Int(XML_GetCurrentByteIndex(state.pointee.parser)) == bytesFed
  }

  /// Bytes of a tag, comment or the like that have been parsed and whose end has not come.
  var unfinishedBytes: Int {
    let reached = unsafe Int(XML_GetCurrentByteIndex(state.pointee.parser))
    return reached < 0 ? 0 : max(0, bytesFed - reached)
  }

  /// Hands the next part of the document to the assembler without parsing it, where ``takesWholePoints``.
  ///
  /// - Parameter body: returns what it took: line feeds, and bytes since the last, or all if there is none.
  func passOver(_ body: (inout GPXAssembler) -> (lines: Int, columns: Int)) {
    let (lines, columns) = unsafe body(&state.pointee.assembler)
    let before = parsedColumn + (parsedLine == passed.atLine ? passed.columns : 0)
    passed.columns = (lines > 0 ? 0 : before) + columns - parsedColumn
    passed.atLine = parsedLine
    passed.lines += lines
    unsafe state.pointee.linesPassed = passed.lines
  }
}

/// What the callbacks share.
@safe private struct State {
  let parser: XML_Parser
  let file: String
  var assembler: GPXAssembler
  /// Whether the document goes to ``events``, not to the assembler.
  var takesEvents = false
  var events: [XMLEvent] = []
  var refusal: Failure?
  var firstTrackPointLine: Int?
  var firstOtherPointLine: Int?
  var isInCDATA = false
  var hasDoctype = false
  var linesPassed = 0

  /// Stops the parser; later callbacks of the same piece are ignored by expat.
  mutating func refuse(_ what: String, remedy: String?) {
    guard refusal == nil else { return }
    refusal = unsafe Failure(
      .data, file: file, line: Int(XML_GetCurrentLineNumber(parser)) + linesPassed, what: what,
      remedy: remedy)
    unsafe XML_StopParser(parser, 0)
  }

  mutating func noteStart(
    _ name: UnsafePointer<XML_Char>, _ attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?
  ) {
    var named: [XMLEvent.Attribute] = []
    if var attribute = unsafe attributes {
      while let key = unsafe attribute[0], let value = unsafe attribute[1] {
        unsafe named.append(XMLEvent.Attribute(name: localName(key), value: String(cString: value)))
        unsafe attribute += 2
      }
    }
    let line = unsafe Int(XML_GetCurrentLineNumber(parser))
    events.append(unsafe .start(name: localName(name), attributes: named, line: line))
  }

  mutating func notePointLine() {
    guard let isTrackPoint = assembler.isInTrackPoint else { return }
    let line = unsafe Int(XML_GetCurrentLineNumber(parser))
    if isTrackPoint {
      firstTrackPointLine = line
    } else if firstOtherPointLine == nil {
      firstOtherPointLine = line
    }
  }

  mutating func refuse(_ refusal: GPXAssembler.Refusal) {
    switch refusal {
    case .root(let name):
      refuse(TrackFormat.describe(xmlRoot: name), remedy: TrackFormat.accepted)
    case .namespaces:
      refuse("too many namespace declarations", remedy: "no recorder writes such a file")
    case .depth:
      refuse(
        "elements are nested deeper than \(GPXAssembler.maximumDepth)",
        remedy: "no recorder writes such a file")
    }
  }
}

/// A name without its prefix.
private func localName(_ name: UnsafePointer<XML_Char>) -> String {
  let whole = unsafe String(cString: name)
  return whole.lastIndex(of: ":").map { String(whole[whole.index(after: $0)...]) } ?? whole
}

@inline(__always)
private func bytes(_ text: UnsafePointer<XML_Char>, count: Int) -> UnsafeBufferPointer<UInt8> {
  unsafe UnsafeBufferPointer(
    start: UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self), count: count)
}

private func startElement(
  _ user: UnsafeMutableRawPointer?, _ name: UnsafePointer<XML_Char>?,
  _ attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?
) {
  guard let state = unsafe user?.assumingMemoryBound(to: State.self), let name = unsafe name else { return }
  if unsafe state.pointee.takesEvents {
    unsafe state.pointee.noteStart(name, attributes)
    return
  }
  if var attribute = unsafe attributes {
    // Defaults from a DTD come after the specified ones and don't count.
    var left = unsafe XML_GetSpecifiedAttributeCount(state.pointee.parser)
    while left > 1, let key = unsafe attribute[0], let value = unsafe attribute[1] {
      unsafe state.pointee.assembler.attribute(
        bytes(key, count: strlen(key)).span, value: bytes(value, count: strlen(value)).span)
      unsafe attribute += 2
      left -= 2
    }
  }
  unsafe state.pointee.assembler.start(bytes(name, count: strlen(name)).span)
  if let refusal = unsafe state.pointee.assembler.refusal { unsafe state.pointee.refuse(refusal) }
  if unsafe state.pointee.firstTrackPointLine == nil { unsafe state.pointee.notePointLine() }
}

private func endElement(_ user: UnsafeMutableRawPointer?, _ name: UnsafePointer<XML_Char>?) {
  guard let state = unsafe user?.assumingMemoryBound(to: State.self) else { return }
  if unsafe state.pointee.takesEvents, let name = unsafe name {
    unsafe state.pointee.events.append(.end(name: localName(name)))
    return
  }
  unsafe state.pointee.assembler.end()
}

private func characterData(
  _ user: UnsafeMutableRawPointer?, _ text: UnsafePointer<XML_Char>?, _ count: Int32
) {
  guard let state = unsafe user?.assumingMemoryBound(to: State.self), let text = unsafe text else { return }
  if unsafe state.pointee.takesEvents {
    unsafe state.pointee.events.append(.text(bytes(text, count: Int(count)).span.array))
    return
  }
  unsafe state.pointee.assembler.characters(bytes(text, count: Int(count)).span)
}

private func startCDATA(_ user: UnsafeMutableRawPointer?) {
  guard let state = unsafe user?.assumingMemoryBound(to: State.self) else { return }
  unsafe state.pointee.isInCDATA = true
}

private func endCDATA(_ user: UnsafeMutableRawPointer?) {
  guard let state = unsafe user?.assumingMemoryBound(to: State.self) else { return }
  unsafe state.pointee.isInCDATA = false
}

private func skippedEntity(
  _ user: UnsafeMutableRawPointer?, _ name: UnsafePointer<XML_Char>?, _ isParameter: Int32
) {
  guard let state = unsafe user?.assumingMemoryBound(to: State.self) else { return }
  unsafe state.pointee.assembler.unresolvedReference()
}

private func startDoctype(
  _ user: UnsafeMutableRawPointer?, _ name: UnsafePointer<XML_Char>?,
  _ systemID: UnsafePointer<XML_Char>?, _ publicID: UnsafePointer<XML_Char>?, _ hasInternal: Int32
) {
  guard let state = unsafe user?.assumingMemoryBound(to: State.self) else { return }
  unsafe state.pointee.hasDoctype = true
  if unsafe systemID != nil { unsafe state.pointee.assembler.note("external DTD (not fetched)") }
}

private func entityDeclaration(
  _ user: UnsafeMutableRawPointer?, _ name: UnsafePointer<XML_Char>?, _ isParameter: Int32,
  _ value: UnsafePointer<XML_Char>?, _ count: Int32, _ base: UnsafePointer<XML_Char>?,
  _ systemID: UnsafePointer<XML_Char>?, _ publicID: UnsafePointer<XML_Char>?,
  _ notation: UnsafePointer<XML_Char>?
) {
  guard let state = unsafe user?.assumingMemoryBound(to: State.self) else { return }
  let entity = unsafe name.map { unsafe bytes($0, count: strlen($0)).span.text() } ?? "?"
  unsafe state.pointee.refuse(
    "declares the entity \"\(entity)\"; entities are never expanded",
    remedy: "remove the DOCTYPE and write the text out")
}

/// Encodings of one byte a character, and those of East Asia, in which every byte below 128 that XML's markup
/// uses is ASCII. Nothing but ASCII is taken from a track, so all other bytes may stand for any letter.
private func unknownEncoding(
  _ user: UnsafeMutableRawPointer?, _ name: UnsafePointer<XML_Char>?,
  _ encoding: UnsafeMutablePointer<XML_Encoding>?
) -> Int32 {
  guard let name = unsafe name, let encoding = unsafe encoding,
    unsafe TrackFormat.isASCIICompatible(encoding: bytes(name, count: strlen(name)).span)
  else { return XML_STATUS_ERROR.rawValue.asInt32 }
  unsafe withUnsafeMutableBytes(of: &encoding.pointee.map) { map in
    let codes = unsafe map.bindMemory(to: Int32.self)
    // U+00E9, a letter, may stand in names and in text.
    for byte in 0..<256 { unsafe codes[byte] = byte < 128 ? Int32(byte) : 0xE9 }
  }
  unsafe encoding.pointee.data = nil
  unsafe encoding.pointee.convert = nil
  unsafe encoding.pointee.release = nil
  return XML_STATUS_OK.rawValue.asInt32
}

extension UInt32 {
  fileprivate var asInt32: Int32 { Int32(truncatingIfNeeded: self) }
}
