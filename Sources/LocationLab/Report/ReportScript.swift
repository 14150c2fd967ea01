/// The script of a page, put together from the files in `Page`. It reads the data, draws map and timeline, and fetches
/// nothing but tiles of a map that the user named.
enum ReportScript {
  /// JavaScript, all of it in one function.
  static let text: String = {
    let parts = [
      PackageResources.model_js, PackageResources.surface_js, PackageResources.vectors_js,
      PackageResources.tiles_js,
      PackageResources.map_js, PackageResources.timeline_js, PackageResources.controls_js,
    ]
    let script = parts.map { String(decoding: $0, as: UTF8.self) }.joined()
    return "(() => {\n\"use strict\";\n" + script + "})();\n"
  }()
}
