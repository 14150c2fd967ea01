/// The page of `locwatch serve` and of `replay --report`: one page, which a server feeds, or the file that it is.
///
/// A line `<!-- only: FEED -->` of its markup begins what only that page has, `<!-- only: both -->` what both have.
/// `{{NAME}}` is a slot.
package enum PageTemplate {
  /// What feeds a page.
  package enum Feed: String {
    case server
    case report
  }

  /// The style sheet, without that of Leaflet.
  package static let style = PackageResources.page_css

  /// All scripts of a page, without Leaflet, in their order.
  package static func script(for feed: Feed) -> [UInt8] {
    let shared = [
      PackageResources.model_js, PackageResources.vectors_js, PackageResources.tiles_js,
      PackageResources.marks_js, PackageResources.map_js, PackageResources.timeline_js,
      PackageResources.page_js,
    ]
    let own =
      switch feed {
      case .server: [PackageResources.editor_js, PackageResources.server_js]
      case .report: [PackageResources.file_js]
      }
    return Array((shared + own).joined())
  }

  /// The markup of a page.
  ///
  /// - Parameter slots: HTML by the name of its slot; a slot that has none stays empty.
  package static func page(for feed: Feed, _ slots: [String: [UInt8]]) -> [UInt8] {
    var page: [UInt8] = []
    var isOurs = true
    for line in PackageResources.index_html.split(separator: UInt8(ascii: "\n")) {
      if line.starts(with: mark) {
        let feeds = line.dropFirst(mark.count)
        isOurs = feeds.starts(with: "both".utf8) || feeds.starts(with: feed.rawValue.utf8)
      } else if isOurs {
        fill(line, slots, into: &page)
        page.append(UInt8(ascii: "\n"))
      }
    }
    return page
  }

  private static let mark = Array("<!-- only: ".utf8)

  private static func fill(_ line: ArraySlice<UInt8>, _ slots: [String: [UInt8]], into page: inout [UInt8]) {
    var rest = line
    while let open = ByteText.first("{{", in: rest), let close = ByteText.first("}}", in: rest[open...]) {
      page += rest[..<open]
      page += slots[String(decoding: rest[(open + 2)..<close], as: UTF8.self), default: []]
      rest = rest[(close + 2)...]
    }
    page += rest
  }
}
