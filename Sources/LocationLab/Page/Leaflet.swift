package import LocationFormats
import LocationRuntime

/// Leaflet, which draws the map of a page: the one of this machine, as Debian's libjs-leaflet has it.
package enum Leaflet {
  /// A file of Leaflet.
  package enum Part {
    case script
    case style

    /// The best name first.
    fileprivate var names: [String] {
      switch self {
      case .script: ["leaflet.min.js", "leaflet.js"]
      case .style: ["leaflet.css"]
      }
    }
  }

  /// The folder of Debian's libjs-leaflet.
  package static let usualFolder = "/usr/share/javascript/leaflet"

  /// - Throws: `.conditionFails` where it is not there.
  package static func file(_ part: Part, in folder: String) throws(Failure) -> [UInt8] {
    for name in part.names {
      if let bytes = try? FileBytes.read(path: "\(folder)/\(name)") { return bytes }
    }
    throw Failure(
      .conditionFails, file: folder, what: "there is no Leaflet", remedy: "apt-get install libjs-leaflet")
  }

  /// Both as they can stand in a page that asks nobody for anything: neither ends its element or names another file.
  ///
  /// - Throws: `.conditionFails` where it is not there.
  static func embedded(from folder: String) throws(Failure) -> (script: [UInt8], style: [UInt8]) {
    var script = try file(.script, in: folder)
    if let map = ByteText.first("//# sourceMappingURL=", in: script[...]) { script.removeSubrange(map...) }
    // Only strings, regular expressions and comments can have these.
    script = ByteText.replacing("</script", with: "<\\/script", in: script)
    script = ByteText.replacing("<!--", with: "<\\!--", in: script)
    let style = ByteText.replacing("</style", with: "", in: try file(.style, in: folder))
    return (script, withoutPictures(style))
  }

  /// The pictures are of controls that no page has.
  private static func withoutPictures(_ style: [UInt8]) -> [UInt8] {
    var (result, rest) = ([UInt8](), style[...])
    while let open = ByteText.first("url(", in: rest),
      let close = rest[open...].firstIndex(of: UInt8(ascii: ")"))
    {
      result += rest[..<open]
      result += "none".utf8
      rest = rest[(close + 1)...]
    }
    return result + rest
  }
}
