// swift-tools-version: 6.2
import PackageDescription

let core = Target.Dependency.product(name: "LocationCore", package: "locwatch")
let runtime = Target.Dependency.product(name: "LocationRuntime", package: "locwatch")

let package = Package(
  name: "benchmarks",
  dependencies: [.package(name: "locwatch", path: "..")],
  targets: [
    .executableTarget(name: "engine", dependencies: [core, runtime]),
    .executableTarget(name: "reading", dependencies: [core, runtime]),
    .executableTarget(name: "region-lookup", dependencies: [core]),
    .executableTarget(name: "shared-catalog", dependencies: [core]),
  ],
  swiftLanguageModes: [.v6]
)
