// swift-tools-version: 6.2
import PackageDescription

/// The simulation of faults, apart from the root so that it builds in a few minutes, and optimized. `scripts/simulate`
/// runs it.
///
/// The sources are the root's, through links: the daemon's library, and the simulation from its tests.
let tested: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .strictMemorySafety(),
  .unsafeFlags(["-enable-testing"]),
]

let package = Package(
  name: "locwatch-simulator",
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .systemLibrary(name: "CGPSD", pkgConfig: "libgps", providers: [.apt(["libgps-dev"])]),
    .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CGEOS", pkgConfig: "geos", providers: [.apt(["libgeos-dev"])]),
    .systemLibrary(name: "CVector"),
    .target(name: "CSpawn"),
    .systemLibrary(name: "CTimer"),
    .target(name: "CFaultyDisk", linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(name: "LocationCore", dependencies: ["CGEOS", "CVector"], swiftSettings: tested),
    .target(
      name: "LocationFormats",
      dependencies: ["LocationCore", "CGPSD", "CExpat", "CYAML", "CZlib"],
      resources: [
        "android-pixel", "iphone-class", "pinephone", "rpi-zero2-m10", "rpi4-ublox-m8", "vehicle-tracker",
      ]
      .map { .embedInCode("Power/Profiles/\($0).yaml") } + [.embedInCode("Text/time-zones.txt")],
      swiftSettings: tested),
    .target(
      name: "LocationRuntime",
      dependencies: [
        "LocationFormats", "LocationCore", "CSpawn", "CTimer", .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: tested),
    .target(name: "TestSupport", dependencies: ["LocationFormats", "LocationCore"], swiftSettings: tested),
    .executableTarget(
      name: "Simulator",
      dependencies: [
        "LocationRuntime", "LocationFormats", "LocationCore", "TestSupport", "CFaultyDisk",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: tested),
  ],
  swiftLanguageModes: [.v6]
)
