// swift-tools-version: 6.2
import PackageDescription

/// Fuzz targets, apart from the root so that it stays light. See README.md.
///
/// The sources are the root's, through links, and are built again with coverage for libFuzzer and with the
/// address sanitizer.
let fuzzed: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .strictMemorySafety(),
  .unsafeFlags(["-O", "-sanitize=fuzzer,address"]),
]

let linked: [LinkerSetting] = [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]

let package = Package(
  name: "locwatch-fuzz",
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
    .systemLibrary(name: "CFuzzer"),
    .target(name: "LocationCore", dependencies: ["CGEOS", "CVector"], swiftSettings: fuzzed),
    .target(
      name: "LocationFormats",
      dependencies: ["LocationCore", "CGPSD", "CExpat", "CYAML", "CZlib"],
      resources: [
        "android-pixel", "iphone-class", "pinephone", "rpi-zero2-m10", "rpi4-ublox-m8", "vehicle-tracker",
      ]
      .map { .embedInCode("Power/Profiles/\($0).yaml") } + [.embedInCode("Text/time-zones.txt")],
      swiftSettings: fuzzed),
    .target(name: "CSpawn"),
    .systemLibrary(name: "CTimer"),
    .target(
      name: "LocationRuntime",
      dependencies: [
        "LocationFormats", "LocationCore", "CSpawn", "CTimer", .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: fuzzed),
    .target(
      name: "LocationLab", dependencies: ["LocationRuntime", "LocationFormats", "LocationCore"],
      resources: [
        "index.html", "page.css", "model.js", "vectors.js", "tiles.js", "marks.js", "map.js", "timeline.js",
        "page.js", "editor.js", "server.js", "file.js",
      ]
      .map { .embedInCode("Page/\($0)") },
      swiftSettings: fuzzed),
    .executableTarget(
      name: "FuzzTexts",
      dependencies: ["LocationLab", "LocationRuntime", "LocationFormats", "LocationCore", "CFuzzer"],
      swiftSettings: fuzzed, linkerSettings: linked),
    .executableTarget(
      name: "FuzzGPX", dependencies: ["LocationFormats", "LocationCore", "CFuzzer"], swiftSettings: fuzzed,
      linkerSettings: linked),
    .executableTarget(
      name: "FuzzLines", dependencies: ["LocationFormats", "LocationCore", "CFuzzer"], swiftSettings: fuzzed,
      linkerSettings: linked),
    .executableTarget(
      name: "FuzzGPSD", dependencies: ["LocationFormats", "LocationCore", "CFuzzer"], swiftSettings: fuzzed,
      linkerSettings: linked),
  ],
  swiftLanguageModes: [.v6]
)
