/// What the session, the link and the messages ask of a source. Nobody asks for its kind.
///
/// A trait that a kind does not name is that of a receiver which says by itself, in gpsd's words, what it measures.
struct SourceTraits {
  /// The kinds of sources, by the word with which `--source` begins.
  enum Kind: String, CaseIterable { case gpsd, nmea, udp, tcp, mqtt, geoclue }

  var kind: Kind
  /// Whether it is gpsd itself: messages call it so, and say how to start it.
  var isGPSD = false
  /// Whether it has to be asked for reports.
  var isAsked = false
  /// Whether it sends sentences of NMEA 0183; an ``NMEABridge`` makes gpsd's words of them.
  var needsBridge = false
  /// Whether each piece that comes ends its last line: a datagram may lack the line's end.
  var endsLines = false
  /// Whether its lines may be fixes of the minimal form; see ``FixLine``.
  var tellsFixes = false
  /// Whether the release that it says is its whole name, not that of a gpsd.
  var namesItself = false
  /// Whether an ERROR says why it ends; the log has that reason then.
  var explainsItsEnd = false
  /// Seconds from the connection to its first word.
  var patienceSeconds = GPSDLimits.connectSeconds
  /// Whether it sends all the time, so that its silence says something.
  var silenceIsTrouble = true
  /// Whether it measures when it is asked to, so that adaptive sampling can leave it between fixes.
  var canRest = true
  /// Whether its connection may be dead without notice. After a silence a new one is made.
  var mayGoStale = true
  /// What to do where it can't be opened; nil where it says so itself. Messages about gpsd have remedies of their own.
  var remedy: String?
  /// What to do where nothing comes, or what is no report.
  var silenceRemedy: String?
}

extension SourceAddress {
  /// What is true of this kind of source.
  var traits: SourceTraits {
    let sender = "check the address, and whether it sends"
    return switch endpoint {
    case .tcp, .unix: SourceTraits(kind: .gpsd, isGPSD: true, isAsked: true)
    case .nmea(.serial(let path, _)):
      SourceTraits(
        kind: .nmea, needsBridge: true, namesItself: true,
        remedy: "check the device with ls -l \(path): its group, often dialout, has to be yours",
        silenceRemedy: "check the wiring, and the speed of the line, as in nmea:\(path):9600")
    case .nmea(.tcp):
      SourceTraits(kind: .tcp, needsBridge: true, namesItself: true, remedy: sender, silenceRemedy: sender)
    case .nmea(.udp(let host, _)):
      SourceTraits(
        kind: .udp, needsBridge: true, endsLines: true, namesItself: true,
        mayGoStale: NMEASource.isGroup(host), silenceRemedy: sender)
    // Another device, or GeoClue, reports when it sees fit: its silence says nothing.
    case .sibling(.mqtt):
      SourceTraits(
        kind: .mqtt, tellsFixes: true, namesItself: true, explainsItsEnd: true,
        patienceSeconds: GPSDLimits.siblingSeconds, silenceIsTrouble: false, canRest: false)
    case .sibling(.geoclue):
      SourceTraits(
        kind: .geoclue, tellsFixes: true, namesItself: true, explainsItsEnd: true,
        patienceSeconds: GPSDLimits.siblingSeconds, silenceIsTrouble: false)
    }
  }
}
