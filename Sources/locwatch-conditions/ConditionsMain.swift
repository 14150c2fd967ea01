import Glibc
import LocationBus

/// Asks NetworkManager whether the network is metered, and UPower what the machine runs on: `locwatch run` starts it while
/// a subscriber fetches at good moments (rule G1).
///
/// It writes a line for each change, `{"metered":true,"on_battery":true,"percent":40.0}`, without what nobody says. It
/// ends when its input does. It is a program of its own so that the daemon needs no bus.
///
/// `--names session` or `system` has it print the services of a bus, `{"running":[NAME],"startable":[NAME]}`, and end:
/// `locwatch capabilities` asks.
@main struct ConditionsMain {
  static func main() {
    switch Array(CommandLine.arguments.dropFirst()) {
    case ["--names", "session"]: printNames(of: .session)
    case ["--names", "system"]: printNames(of: .system)
    default: break
    }
    BusProgram.run("locwatch-conditions", see: "locwatch subscribers", on: .system, serve: serve)
  }

  private static func printNames(of kind: MessageBus.Kind) -> Never {
    do throws(MessageBus.Failure) {
      let bus = try MessageBus(kind)
      func list(_ names: [String]) -> String {
        // A name of a bus has letters, digits and - _ . : alone (the D-Bus specification, "Valid Names").
        "[\(names.map { "\"\($0)\"" }.joined(separator: ","))]"
      }
      print("{\"running\":\(list(try bus.running())),\"startable\":\(list(try bus.startable()))}")
      exit(EXIT_SUCCESS)
    } catch {
      exit(EX_UNAVAILABLE)
    }
  }

  private static let network = "org.freedesktop.NetworkManager"
  private static let power = "org.freedesktop.UPower"
  private static let matches = [
    "type='signal',sender='\(network)',interface='\(MessageBus.properties)',path='/org/freedesktop/NetworkManager'",
    "type='signal',sender='\(power)',interface='\(MessageBus.properties)',member='PropertiesChanged'",
  ]

  private static func serve(_ bus: consuming MessageBus) throws(MessageBus.Failure) {
    for match in matches { try bus.match(match) }
    for service in [network, power] { try bus.watchOwners(of: service) }
    var told = ""
    var hasNews = true
    while true {
      // What the signals say does not matter: everything is asked again.
      while try bus.take() != nil { hasNews = true }
      if hasNews {
        hasNews = false
        let line = conditions(bus)
        if line != told { print(line) }
        told = line
        fflush(nil)
        continue
      }
      if case .end = bus.waitForInput() { return }
    }
  }

  /// What is so now, as a line.
  private static func conditions(_ bus: borrowing MessageBus) -> String {
    var members: [String] = []
    // NMMetered: 1 yes, 2 no, 3 and 4 the same as a guess, 0 unknown.
    if let metered = value(bus, network, "/org/freedesktop/NetworkManager", network, "Metered"), metered != 0
    {
      members.append("\"metered\":\(metered == 1 || metered == 3)")
    }
    if let isOnBattery = value(bus, power, "/org/freedesktop/UPower", power, "OnBattery") {
      members.append("\"on_battery\":\(isOnBattery != 0)")
      let path = "/org/freedesktop/UPower/devices/DisplayDevice"
      let isThere = value(bus, power, path, "\(power).Device", "IsPresent")
      if isThere == 1, let percent = value(bus, power, path, "\(power).Device", "Percentage") {
        members.append("\"percent\":\(percent)")
      }
    }
    return "{\(members.joined(separator: ","))}"
  }

  /// A property; nil where nobody has it.
  private static func value(
    _ bus: borrowing MessageBus, _ service: String, _ path: String, _ interface: String, _ name: String
  ) -> Double? {
    // Nobody is started for the question.
    guard bus.owner(of: service) != nil else { return nil }
    return number(bus.property(name, of: path, interface, at: service))
  }

  /// A number, a truth value or a real number; nil for anything else.
  private static func number(_ value: BusValue?) -> Double? {
    if case .uint32(let number)? = value { return Double(number) }
    if case .flag(let isOn)? = value { return isOn ? 1 : 0 }
    if case .real(let number)? = value { return number }
    return nil
  }
}
