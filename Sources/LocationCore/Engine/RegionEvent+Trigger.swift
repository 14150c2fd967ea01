extension RegionEvent.Kind {
  /// Whether it wakes or relaunches those who asked for it; a state that is told does not.
  var isTrigger: Bool {
    switch self {
    case .enter, .exit, .dwell, .cross: true
    case .state: false
    }
  }
}
