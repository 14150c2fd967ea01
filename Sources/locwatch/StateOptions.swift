import ArgumentParser
import LocationCore
import LocationFormats
import LocationRuntime

/// The state file.
struct StateOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The state file (default: ~/.local/state/locwatch/locwatch.db, for root /var/lib/locwatch/locwatch.db).",
      valueName: "file"), completion: .file())
  var state: String?

  /// The store to read; nil if there is none yet.
  func openToRead() throws(Failure) -> StateDatabase? {
    try StateDatabase.openToRead(path: try StatePath.resolve(option: state))
  }

  /// Says on standard error that there is no state file, for a command that has nothing to show without one.
  func noteIfMissing() throws(Failure) {
    let path = try StatePath.resolve(option: state)
    guard try !StateDatabase.isThere(path: path) else { return }
    let other = DaemonSeat(state: path).otherDaemon()
    let remedy = other.map { "a daemon runs on \($0)" } ?? "locwatch on, regions add or run makes one"
    Terminal.note("there is no state file \(path) yet; \(remedy)")
  }

  /// The store to change; creates one if there is none. Says on standard error where a daemon would refuse it.
  func open() throws(Failure) -> StateDatabase {
    let path = try StatePath.resolve(option: state)
    let database = try StateDatabase.open(path: path)
    do throws(Failure) {
      try StatePath.requireSafeFolders(of: path)
    } catch {
      Terminal.note("locwatch run refuses this state file: \(error)")
    }
    return database
  }

  /// The store to change. Says on standard error where a daemon runs that does not read it.
  func openToChange() throws(Failure) -> StateDatabase {
    let database = try open()
    let seat = try seat()
    if try !seat.hasDaemon(), let other = seat.otherDaemon() {
      Terminal.note(
        "no daemon runs on \(seat.state), but one runs on \(other); to change that one add --state \(other)")
    }
    return database
  }

  /// Checks that the state file is ours alone, before a command does what else the daemon does: root must not run another
  /// user's commands.
  func requireOwn() throws(Failure) { try StatePath.requireOwn(StatePath.resolve(option: state)) }

  /// Where the device is, as far as anybody knows: the last fix, and the city of the machine's time zone.
  ///
  /// - Parameter opensState: whether to look for the fix.
  func knownPlaces(opensState: Bool = true) -> [Coordinate] {
    let fix = opensState ? (try? lastFix())?.coordinate : nil
    let zone = try? TimeZoneFile.machine()
    return [fix, zone.flatMap { TimeZonePlace.place(of: $0.name) }].compactMap { $0 }
  }

  /// The way to the state: through the daemon if one runs, else the file.
  func seat() throws(Failure) -> DaemonSeat { DaemonSeat(state: try StatePath.resolve(option: state)) }

  /// The regions chosen; none without a store.
  func regions(_ choice: StateDatabase.RegionChoice = .all) throws(Failure) -> RegionFile {
    guard let database = try openToRead() else { return RegionFile(name: state ?? "") }
    return try database.regions(choice)
  }
}
