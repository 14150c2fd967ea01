// swift-tools-version: 6.2
import PackageDescription

/// The checkers of the policy, apart from the root so that they build in a minute, and optimized. `scripts/check-policy`
/// runs them.
///
/// The sources are the root's, through links: the core, and the checkers from its tests.
let tested: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .unsafeFlags(["-enable-testing"]),
]

let package = Package(
  name: "locwatch-checker",
  targets: [
    .systemLibrary(name: "CGEOS", pkgConfig: "geos", providers: [.apt(["libgeos-dev"])]),
    .systemLibrary(name: "CVector"),
    .target(name: "LocationCore", dependencies: ["CGEOS", "CVector"], swiftSettings: tested),
    .target(name: "TestSupport", dependencies: ["LocationCore"], swiftSettings: tested),
    .executableTarget(name: "Checker", dependencies: ["LocationCore", "TestSupport"], swiftSettings: tested),
  ],
  swiftLanguageModes: [.v6]
)
