// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "region-benchmark",
  dependencies: [.package(name: "locwatch", path: "../..")],
  targets: [
    .executableTarget(
      name: "region-benchmark",
      dependencies: [.product(name: "LocationCore", package: "locwatch")])
  ],
  swiftLanguageModes: [.v6]
)
