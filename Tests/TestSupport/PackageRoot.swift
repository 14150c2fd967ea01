/// Where the package lies on this machine.
package enum PackageRoot {
  /// The folder that holds Package.swift, without a slash at the end.
  package static let path: String = {
    var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    parts.removeLast(3)
    return parts.joined(separator: "/")
  }()

  /// A path below the package's folder, made absolute; an absolute path is returned as it is.
  package static func file(_ relativePath: String) -> String {
    relativePath.hasPrefix("/") ? relativePath : path + "/" + relativePath
  }
}
