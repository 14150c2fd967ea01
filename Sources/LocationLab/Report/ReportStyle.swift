/// The style of a page: light and dark, wide and narrow, screen and paper.
enum ReportStyle {
  /// CSS. Colours of one lightness and different hue, told apart by shape too.
  static let text = String(decoding: PackageResources.page_css, as: UTF8.self)
}
