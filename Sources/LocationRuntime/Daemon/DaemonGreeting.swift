import Glibc
package import LocationCore
import LocationFormats

/// What a daemon says in its log of what it watches, for whom and from where; and what is wrong with that.
enum DaemonGreeting {
  /// The lines at its start.
  ///
  /// They come from the state file: an engine whose time is that of the fixes is told its regions with the first fix.
  static func lines(_ database: StateDatabase, _ request: DaemonRequest) throws(Failure) -> [String] {
    let ids = try database.regionIDs()
    let subscribers = try database.subscribers().map(\.subscriber)
    let regions = Wording.count(ids.count, "region") + list(ids)
    let programs = Wording.count(subscribers.count, "program") + list(subscribers.map(\.name))
    var lines = [
      "watching \(regions) for \(programs)",
      "fixes from \(source(request.address)), state in \(request.state)",
    ]
    if subscribers.isEmpty {
      lines.append("no program waits for events yet; add one: locwatch on enter home -- COMMAND")
    }
    do throws(Failure) { _ = try TimeZoneFile.machine() } catch {
      lines.append("\(error); until then times are UTC")
    }
    let socket = ControlAddress.place("subscribers", state: request.state)
    for subscriber in subscribers {
      lines += try complaints(about: subscriber, in: database, regions: ids, socket: socket)
    }
    return lines
  }

  /// Which commands and files of the settings are not there, a line each.
  static func complaints(about settings: DaemonSettings) -> [String] {
    let hooks = [
      ("notifications.notify_hook", settings.notifyHook), ("sampling.receiver_hook", settings.receiverHook),
    ]
    var lines = hooks.compactMap { complaint(about: $1, of: $0) }
    let authority = settings.transferAuthority
    if !authority.isEmpty, unsafe access(authority, R_OK) != 0 {
      lines.append(
        "transfers.ca_file: \(authority): \(SystemReason.text(errno)); no transfer succeeds without it")
    }
    return lines
  }

  /// Why a command can't be started; nil where it can, or there is none.
  private static func complaint(about command: [String], of name: String) -> String? {
    guard let program = command.first else { return nil }
    do throws(Failure) {
      _ = try CommandPath.resolve(program)
      return nil
    } catch {
      return "\(name): \(error)"
    }
  }

  /// What a subscriber asks for that is not there, a line each.
  ///
  /// - Parameters:
  ///   - database: has the regions; nil where there is none yet.
  ///   - ids: those of all regions.
  ///   - socket: where programs connect, if a daemon runs.
  static func complaints(
    about subscriber: Subscriber, in database: StateDatabase?, regions ids: [String], socket: String
  ) throws(Failure) -> [String] {
    var lines: [String] = []
    if let complaint = complaint(about: subscriber.command, of: subscriber.name) { lines.append(complaint) }
    if let user = subscriber.confinement?.user {
      do throws(ProgramStart.Refusal) {
        let account = try ProgramAccount(user: user, group: subscriber.confinement?.group)
        if subscriber.style == .socket, !account.mayUse(socket) {
          lines.append(
            "\(subscriber.name): user \(user) can't connect to \(socket), which is for its owner and group; run the daemon with a group that \(user) is in"
          )
        }
      } catch {
        lines.append("\(subscriber.name): \(error.text)")
      }
    }
    lines += subscriber.missingRegions(among: ids, remedy: MissingRegion.remedy)
    guard subscriber.services.contains(.regions), let kinds = subscriber.filter?.kinds,
      let named = subscriber.regions, let there = try database?.regions(.ids(named)).regions, !there.isEmpty
    else { return lines }
    // A manifest has one list of kinds for all its regions. A kind is in vain only if no region reports it.
    let reported = there.reduce(into: Region.Notify()) { $0.formUnion($1.notify) }
    for kind in kinds where !reported.isSuperset(of: kind.notify) {
      lines.append(
        "\(subscriber.name) waits for \(kind.rawValue), which none of its regions reports; add it to the --notify of one"
      )
    }
    return lines
  }

  /// What the log is told of the source; nil for what comes and goes by itself, such as a tunnel, and for one that is
  /// lost: its link tells why.
  static func line(of source: SourceEvent, at address: SourceAddress) -> String? {
    let place = Self.source(address)
    switch source {
    case .found(let name), .switched(let name): return "\(place): fixes from \(name)"
    case .stale(.noDevice, _):
      return "\(place) has no receiver; name its device in /etc/default/gpsd, or plug it in. Waiting"
    case .stale(.lost, _), .stale(.noFix, _), .stale(.silent, _), .dropped: return nil
    }
  }

  private static func source(_ address: SourceAddress) -> String {
    address.traits.isGPSD ? "gpsd at \(address)" : address.description
  }

  /// ` (home, work, …)`: the first few.
  private static func list(_ names: [String]) -> String {
    guard !names.isEmpty else { return "" }
    let shown = names.prefix(shownNames).joined(separator: ", ")
    return " (\(shown)\(names.count > shownNames ? ", …" : ""))"
  }

  private static let shownNames = 8
}

extension Subscriber {
  /// A line for each region that it asks for and that is not there.
  ///
  /// - Parameter remedy: what to do about one that is like no other.
  package func missingRegions(among ids: [String], remedy: (String) -> String) -> [String] {
    guard services.contains(.regions) else { return [] }
    let all = Set(ids)
    return (regions ?? []).filter { !all.contains($0) }.map { id in
      "\(name): \(MissingRegion.text(id, among: ids, remedy: remedy(id)))"
    }
  }
}

/// A region that somebody names and that is not there.
package enum MissingRegion {
  /// What to do about one that is like no other: to make it.
  package static func remedy(_ id: String) -> String {
    "locwatch regions add \(CommandText.word(id)) --circle LAT,LON,METRES"
  }

  /// What is wrong, and what to do.
  ///
  /// - Parameter remedy: for one that is like no other.
  package static func text(_ id: String, among ids: [String], remedy: String) -> String {
    let near = NearestWord.to(id, among: ids).map { "did you mean \($0)?" }
    return "no region is called \"\(id)\"; \(near ?? remedy)"
  }
}
