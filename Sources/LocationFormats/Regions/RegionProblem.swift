/// Why something that was written can't be a region.
package struct RegionProblem: Error, Equatable {
  /// What is wrong, without a full stop.
  var what: String
  /// What to do about it.
  var remedy: String?
}
