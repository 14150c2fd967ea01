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
    let source =
      ConditionsLink.helper != nil
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
    mode(
      "beacons", .partly, "regions of beacons (B11) are told by the control socket alone",
      by: "locwatch-beacons", BeaconLink.helper, service: "BlueZ", of: "bluez", machine.has(Self.blueZ),
      "regions of beacons (B11), by BlueZ where it has an adapter that looks for them")
  }

  private static let blueZ = "org.bluez"

  private static var network: Capability {
    Capability("network", .yes, "up to 4 sockets of a suspended program are watched (E4)")
  }

  private static var serial: Capability {
    Capability("serial", .yes, "serial and USB accessories (J1) wake a suspended program")
  }

  private var bluetooth: Capability {
    mode(
      "bluetooth", .no, "Bluetooth (J3)", by: "locwatch-bluetooth", BluetoothLink.helper, service: "BlueZ",
      of: "bluez", machine.has(Self.blueZ),
      "Bluetooth (J3) wakes and starts programs, by BlueZ where it has an adapter")
  }

  private var advertisedServices: Capability {
    mode(
      "advertised-services", .no, "services of programs (K6)", by: "locwatch-advertise", AdvertiseLink.helper,
      service: "Avahi", of: "avahi-daemon", machine.runs("org.freedesktop.Avahi"),
      "services of programs (K6) are published by Avahi while they run")
  }

  /// A mode that a helper brings with a service on the bus of the machine.
  ///
  /// - Parameters:
  ///   - state: whether the mode works without the helper or the service; `rest` says what works then.
  ///   - command: the helper, where it can run.
  ///   - package: has the service.
  private func mode(
    _ name: String, _ state: Capability.State, _ rest: String, by helper: String, _ command: String?,
    service: String, of package: String, _ isOnBus: Bool, _ detail: String
  ) -> Capability {
    guard command != nil else {
      return SiblingProgram.executable(helper) == nil
        ? Capability(
          name, state, "\(rest): \(helper) is missing", remedy: "install \(helper) beside locwatch")
        : Capability(
          name, state, "\(rest): there is no bus of the machine", remedy: "install dbus and \(package)")
    }
    guard isOnBus else {
      return Capability(
        name, state, "\(rest): \(service) is not on the bus of the machine",
        remedy: "install \(package), or start it")
    }
    return Capability(name, .yes, detail)
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
