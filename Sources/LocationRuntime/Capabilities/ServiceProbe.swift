import Glibc
import LocationFormats

/// A row for each service and background mode, with why it is not there where it is not (rule A6).
struct ServiceProbe {
  /// The bus of the machine.
  let machine: BusNames
  /// The bus of the user's session.
  let session: BusNames
  /// The command that shows notifications; empty where there is none.
  var notifyHook: [String] = []

  /// - Parameter others: what was found out of gpsd and the machine.
  func look(_ others: [Capability]) -> [Capability] {
    let fixes = others.first { $0.name == "live-fixes" }
    return Self.services.map { name, detail in
      guard let fixes, fixes.state != .yes else { return Capability(name, .yes, detail) }
      return Capability(name, fixes.state, "needs live fixes: \(fixes.detail)", remedy: fixes.remedy)
    } + [Self.outlets] + modes(others)
  }

  /// Webhooks and MQTT take a program of their own.
  private static var outlets: Capability {
    guard let path = SiblingProgram.executable("locwatch-outlet") else {
      return Capability(
        "outlets", .no, "\(OutletProcess.path) is missing", remedy: "install locwatch-outlet beside locwatch")
    }
    return Capability("outlets", .yes, "webhooks and MQTT through \(path)")
  }

  private static let services = [
    ("significant-change", "from live fixes (B1)"),
    ("regions", "from live fixes (B4)"),
    ("visits", "from live fixes (B5)"),
    ("standard", "every live fix (B2, B3)"),
    ("duty-cycling", "run --sampling adaptive switches the receiver"),
  ]

  private func modes(_ others: [Capability]) -> [Capability] {
    let hasBus = ConditionsLink.hasBus && ConditionsLink.helper != nil
    let source =
      hasBus
      ? "NetworkManager and UPower where they answer, else by default routes and /sys/class/power_supply; bytes are not counted"
      : "default routes and /sys/class/power_supply; metering and bytes are not known"
    let fetch = Capability("fetch", .partly, "good moments (G) by \(source)")
    let transfers =
      TransferProcess.isThere
      ? Capability("transfers", .yes, "files (I) are carried by \(TransferProcess.path)")
      : Capability(
        "transfers", .no, "\(TransferProcess.path) is missing",
        remedy: "install locwatch-transfer beside locwatch")
    return [
      notifications, fetch, Self.keepAlive(others), Self.network, Self.audio, push, transfers, Self.serial,
      beacons, bluetooth, advertisedServices,
    ]
  }

  private static func keepAlive(_ others: [Capability]) -> Capability {
    let maySleep = others.contains { $0.name == "sleep" && $0.state != .no }
    guard maySleep, !WakeAlarm().wakesMachine else {
      return Capability(
        "keep-alive", .yes, "calls in their window (E2), starts at boot and after a failure (E5)")
    }
    return Capability(
      "keep-alive", .partly,
      "calls (E2) and starts (E5); a call that is due while the machine sleeps comes late",
      remedy: "run the daemon with CAP_WAKE_ALARM on a machine with a real-time clock")
  }

  private var push: Capability {
    let ways = "pushes (H) come over the control socket and from MQTT outlets with --pushes"
    guard NotifyHook.hasBus(environment: ProgramStart.inheritedEnvironment()),
      SiblingProgram.executable("locwatch-push") != nil
    else {
      return Capability(
        "push", .partly, "\(ways); UnifiedPush needs a session bus and locwatch-push",
        remedy: "forward those of other services with locwatch push")
    }
    let distributors = session.all(beginning: "org.unifiedpush.Distributor.")
    guard !distributors.isEmpty else {
      return Capability(
        "push", .partly, "\(ways); no UnifiedPush distributor is on the session bus",
        remedy: "install one, or forward those of other services with locwatch push")
    }
    return Capability(
      "push", .yes, "\(ways), and by UnifiedPush through \(distributors.joined(separator: ", "))",
      remedy: "have them taken: systemctl --user enable --now locwatch-push")
  }

  private var beacons: Capability {
    guard BeaconLink.helper != nil else {
      let lack = Self.lack(of: "locwatch-beacons", "bluez")
      return Capability(
        "beacons", .partly, "regions of beacons (B11) are told by the control socket alone: \(lack.what)",
        remedy: lack.remedy)
    }
    guard machine.has(Self.blueZ) else {
      return Capability(
        "beacons", .partly,
        "regions of beacons (B11) are told by the control socket alone: BlueZ is not on the bus of the machine",
        remedy: Self.blueZRemedy)
    }
    return Capability(
      "beacons", .yes, "regions of beacons (B11), by BlueZ where it has an adapter that looks for them")
  }

  private static let blueZ = "org.bluez"
  private static let blueZRemedy = "install bluez, or start it"

  private static var network: Capability {
    Capability("network", .yes, "up to 4 sockets of a suspended program are watched (E4)")
  }

  private static var serial: Capability {
    Capability("serial", .yes, "serial and USB accessories (J1) wake a suspended program")
  }

  /// What a helper on the bus of the machine does not have.
  ///
  /// - Parameter package: has what it speaks to there.
  private static func lack(of helper: String, _ package: String) -> (what: String, remedy: String) {
    SiblingProgram.executable(helper) == nil
      ? ("\(helper) is missing", "install \(helper) beside locwatch")
      : ("there is no bus of the machine", "install dbus and \(package)")
  }

  private var advertisedServices: Capability {
    let name = "advertised-services"
    guard AdvertiseLink.helper != nil else {
      let lack = Self.lack(of: "locwatch-advertise", "avahi-daemon")
      return Capability(name, .no, "services of programs (K6): \(lack.what)", remedy: lack.remedy)
    }
    guard machine.runs("org.freedesktop.Avahi") else {
      return Capability(
        name, .no, "services of programs (K6): Avahi is not on the bus of the machine",
        remedy: "install avahi-daemon, or start it")
    }
    return Capability(name, .yes, "services of programs (K6) are published by Avahi while they run")
  }

  private var bluetooth: Capability {
    guard BluetoothLink.helper != nil else {
      let lack = Self.lack(of: "locwatch-bluetooth", "bluez")
      return Capability("bluetooth", .no, "Bluetooth (J3): \(lack.what)", remedy: lack.remedy)
    }
    guard machine.has(Self.blueZ) else {
      return Capability(
        "bluetooth", .no, "Bluetooth (J3): BlueZ is not on the bus of the machine", remedy: Self.blueZRemedy)
    }
    return Capability(
      "bluetooth", .yes, "Bluetooth (J3) wakes and starts programs, by BlueZ where it has an adapter")
  }

  private static var audio: Capability {
    let hasPlayer = PlayerLink.helper(environment: ProgramStart.inheritedEnvironment()) != nil
    let keys = hasPlayer ? "keys by MPRIS (F5)" : "no session bus for keys (F5)"
    guard AudioWatch.isAvailable else {
      return Capability(
        "audio", .partly, "sessions (F) are as programs declare them, without PipeWire (F3); \(keys)",
        remedy: "run the daemon in the session of a PipeWire, with pw-dump and pw-record in PATH")
    }
    return Capability(
      "audio", hasPlayer ? .yes : .partly, "sessions (F), heard through PipeWire (F3); \(keys)")
  }

  private var notifications: Capability {
    if let program = notifyHook.first {
      do throws(Failure) {
        let path = try CommandPath.resolve(program)
        return Capability("notifications", .yes, "local notifications (D) go to \(path)")
      } catch {
        return Capability(
          "notifications", .no, "local notifications (D): \(program): \(error.what)",
          remedy: error.remedy)
      }
    }
    let helper = NotifyHook.desktop(environment: ProgramStart.inheritedEnvironment())
    guard helper.isEmpty else {
      guard session.has("org.freedesktop.Notifications") else {
        return Capability(
          "notifications", .partly,
          "local notifications (D) wait: the session has no service that shows them now",
          remedy: NotifyHook.remedy)
      }
      return Capability(
        "notifications", .yes, "local notifications (D) go to the desktop's service of this session")
    }
    let lack =
      SiblingProgram.executable("locwatch-notify") == nil
      ? "locwatch-notify is missing" : "there is no session bus"
    return Capability(
      "notifications", .no, "local notifications (D): \(lack)", remedy: NotifyHook.remedy)
  }
}
