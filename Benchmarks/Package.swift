// swift-tools-version: 6.2
import PackageDescription

let core = Target.Dependency.product(name: "LocationCore", package: "locwatch")
let formats = Target.Dependency.product(name: "LocationFormats", package: "locwatch")

let package = Package(
  name: "benchmarks",
  dependencies: [.package(name: "locwatch", path: "..")],
  targets: [
    .executableTarget(name: "engine", dependencies: [core, formats]),
    .executableTarget(name: "reading", dependencies: [core, formats]),
    .executableTarget(name: "region-lookup", dependencies: [core]),
    .systemLibrary(name: "CMalloc"),
    .executableTarget(name: "shared-catalog", dependencies: [core, "CMalloc"]),
  ],
  swiftLanguageModes: [.v6]
)
