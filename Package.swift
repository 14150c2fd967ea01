// swift-tools-version: 6.2
import PackageDescription

/// One set of settings for every target of ours.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
  .strictMemorySafety(),
]

let package = Package(
  name: "locwatch",
  products: [
    .library(name: "LocationCore", targets: ["LocationCore"]),
    .library(name: "LocationFormats", targets: ["LocationFormats"]),
    .library(name: "LocationRuntime", targets: ["LocationRuntime"]),
    .executable(name: "locwatch", targets: ["locwatch"]),
    .executable(name: "locwatch-notify", targets: ["locwatch-notify"]),
    .executable(name: "locwatch-beacons", targets: ["locwatch-beacons"]),
    .executable(name: "locwatch-advertise", targets: ["locwatch-advertise"]),
    .executable(name: "locwatch-bluetooth", targets: ["locwatch-bluetooth"]),
    .executable(name: "locwatch-conditions", targets: ["locwatch-conditions"]),
    .executable(name: "locwatch-player", targets: ["locwatch-player"]),
    .executable(name: "locwatch-outlet", targets: ["locwatch-outlet"]),
    .executable(name: "locwatch-transfer", targets: ["locwatch-transfer"]),
    .executable(name: "locwatch-session", targets: ["locwatch-session"]),
    .executable(name: "locwatch-fleet", targets: ["locwatch-fleet"]),
    .executable(name: "locwatch-bus", targets: ["locwatch-bus"]),
    .executable(name: "locwatch-push", targets: ["locwatch-push"]),
  ],
  dependencies: [
    // The command line.
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    // The state is one SQLite database.
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .systemLibrary(name: "CGPSD", pkgConfig: "libgps", providers: [.apt(["libgps-dev"])]),
    .systemLibrary(name: "CGEOS", pkgConfig: "geos", providers: [.apt(["libgeos-dev"])]),
    .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    // D-Bus. Only programs of their own link it: the daemon stays small.
    .systemLibrary(name: "CSystemd", providers: [.apt(["libsystemd-dev"])]),
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    // The cluster of a fleet. Only the workers of a fleet link it.
    .systemLibrary(name: "CNATS", pkgConfig: "libnats", providers: [.apt(["libnats-dev"])]),
    // What Swift can't do between fork and exec.
    .target(name: "CSpawn"),
    // The timers of Linux.
    .systemLibrary(name: "CTimer"),
    // What Swift can't say to the processor.
    .systemLibrary(name: "CVector"),
    .target(name: "LocationCore", dependencies: ["CGEOS", "CVector"], swiftSettings: strict),
    // Bytes to fixes, regions and events, and back.
    .target(
      name: "LocationFormats",
      dependencies: ["LocationCore", "CGPSD", "CExpat", "CYAML", "CZlib"],
      resources: [
        "android-pixel", "iphone-class", "pinephone", "rpi-zero2-m10", "rpi4-ublox-m8", "vehicle-tracker",
      ]
      .map { .embedInCode("Power/Profiles/\($0).yaml") } + [.embedInCode("Text/time-zones.txt")],
      swiftSettings: strict),
    // The daemon and the live view.
    .target(
      name: "LocationRuntime",
      dependencies: [
        "LocationFormats", "LocationCore", "CSpawn", "CTimer", .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: strict),
    // Replays of files, and what is made and measured with them.
    .target(
      name: "LocationLab", dependencies: ["LocationRuntime", "LocationFormats", "LocationCore"],
      resources: [
        "index.html", "page.css", "model.js", "vectors.js", "tiles.js", "marks.js", "map.js", "timeline.js",
        "page.js", "editor.js", "server.js", "file.js",
      ]
      .map { .embedInCode("Page/\($0)") },
      swiftSettings: strict),
    // The server of `locwatch serve`.
    .target(
      name: "LocationWeb",
      dependencies: ["LocationLab", "LocationRuntime", "LocationFormats", "LocationCore"],
      swiftSettings: strict),
    .executableTarget(
      name: "locwatch",
      dependencies: [
        "LocationWeb", "LocationLab", "LocationRuntime", "LocationFormats", "LocationCore",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),
    // D-Bus through sd-bus.
    .target(name: "LocationBus", dependencies: ["CSystemd"], swiftSettings: strict),
    // Shows notifications on the desktop.
    .executableTarget(
      name: "locwatch-notify", dependencies: ["LocationBus", "LocationCore"], swiftSettings: strict),
    // Has BlueZ look for beacons.
    .executableTarget(
      name: "locwatch-beacons", dependencies: ["LocationBus", "LocationFormats", "LocationCore"],
      swiftSettings: strict),
    // Has Avahi publish services of programs.
    .executableTarget(
      name: "locwatch-advertise", dependencies: ["LocationBus", "LocationFormats", "LocationCore"],
      swiftSettings: strict),
    // Speaks to BlueZ for sessions of Bluetooth.
    .executableTarget(
      name: "locwatch-bluetooth", dependencies: ["LocationBus", "LocationFormats", "LocationCore", "CSpawn"],
      swiftSettings: strict),
    // Asks NetworkManager and UPower.
    .executableTarget(name: "locwatch-conditions", dependencies: ["LocationBus"], swiftSettings: strict),
    // Is commanded by the desktop's keys in place of the program whose audio session was last.
    .executableTarget(
      name: "locwatch-player", dependencies: ["LocationBus", "LocationCore"], swiftSettings: strict),
    // Tells the daemon that the user's screen was locked or unlocked.
    .executableTarget(name: "locwatch-session", dependencies: ["LocationBus"], swiftSettings: strict),
    // GeoClue as a source, and the daemon on D-Bus.
    .executableTarget(
      name: "locwatch-bus",
      dependencies: ["LocationBus", "LocationRuntime", "LocationFormats", "LocationCore"],
      swiftSettings: strict),
    // Takes pushes from a UnifiedPush distributor on the user's bus. It links libcrypto.
    .executableTarget(
      name: "locwatch-push",
      dependencies: ["LocationBus", "LocationRuntime", "LocationFormats", "LocationCore", "CCrypto"],
      swiftSettings: strict),
    // Speaks to the other side of one outlet. It links curl and TLS.
    .executableTarget(
      name: "locwatch-outlet", dependencies: ["LocationFormats", "LocationCore", "CCurl", "CCrypto"],
      swiftSettings: strict),
    // Carries the files of one subscriber.
    .executableTarget(
      name: "locwatch-transfer", dependencies: ["LocationFormats", "LocationCore", "CCurl"],
      swiftSettings: strict),
    // Many devices on a cluster: workers, and what their operator asks.
    .target(
      name: "LocationFleet", dependencies: ["LocationFormats", "LocationCore", "CNATS"], swiftSettings: strict
    ),
    .executableTarget(
      name: "locwatch-fleet",
      dependencies: [
        "LocationFleet", "LocationFormats", "LocationCore",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),
    .target(
      name: "TestSupport", dependencies: ["LocationFormats", "LocationCore"], path: "Tests/TestSupport",
      swiftSettings: strict),
    // A disk for SQLite that fails as tests tell it.
    .target(name: "CFaultyDisk", path: "Tests/CFaultyDisk", linkerSettings: [.linkedLibrary("sqlite3")]),
    .testTarget(
      name: "LocationCoreTests", dependencies: ["LocationCore", "TestSupport", "CGEOS"],
      swiftSettings: strict),
    .testTarget(
      name: "LocationRuntimeTests",
      dependencies: [
        "LocationLab", "LocationRuntime", "LocationFormats", "LocationCore", "TestSupport", "CFaultyDisk",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "LocwatchTests",
      dependencies: [
        "locwatch", "locwatch-notify", "locwatch-beacons", "locwatch-advertise", "locwatch-bluetooth",
        "locwatch-conditions", "locwatch-player", "locwatch-outlet",
        "locwatch-transfer", "locwatch-session", "locwatch-bus", "locwatch-push", "LocationWeb",
        "LocationLab",
        "LocationRuntime", "LocationFormats", "LocationCore",
        "TestSupport",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      exclude: ["Goldens"], swiftSettings: strict),
    .testTarget(
      name: "LocationFleetTests",
      dependencies: [
        "locwatch-fleet", "locwatch", "LocationFleet", "LocationFormats", "LocationCore", "TestSupport",
      ],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
