extension PowerLedger {
  /// Everything spent so far, with the interval that holds it with 90 %.
  ///
  /// Each parameter is log-normal about its value. The errors of different components are independent, and so add
  /// in quadrature; the model's form may be off too, and that adds in quadrature to the logarithm.
  public var estimate: Estimate {
    var total = 0.0
    var variance = 0.0
    for component in Component.allCases {
      let joules = entries.lazy.filter { $0.component == component }.reduce(0) { $0 + $1.joules }
      let deviation = joules * logSpread(of: component)
      total += joules
      variance += deviation * deviation
    }
    guard total > 0 else { return Estimate(joules: 0, lowJoules: 0, highJoules: 0) }
    let form = Trig.log(profile.formSpread)
    let width = (variance / (total * total) + form * form).squareRoot()
    return Estimate(joules: total, lowJoules: total * Trig.exp(-width), highJoules: total * Trig.exp(width))
  }

  /// What the whole device took over `seconds`: what was spent here and the base it has anyway, in joules.
  public func deviceJoules(overSeconds seconds: Double) -> Double {
    entries.reduce(0) { $0 + $1.joules } + seconds * profile.baseMilliwatts.value * 1e-3
  }

  /// Natural logarithm of the 90 % spread of a component's energy: the spreads of its factors in quadrature.
  private func logSpread(of component: Component) -> Double {
    switch component {
    case .receiverAcquiring: Trig.log(profile.receiverAcquiringMilliwatts.spread)
    case .receiverTracking: Trig.log(profile.receiverTrackingMilliwatts.spread)
    case .machineAwake: Trig.log(profile.machineAwakeMilliwatts.spread)
    case .wake: Trig.log(profile.wakeJoules.spread)
    case .subscriberRun:
      Trig.hypot(Trig.log(profile.coreMilliwatts.spread), Trig.log(profile.deliveryCoreSeconds.spread))
    case .relaunch: Trig.log(profile.relaunchJoules.spread)
    }
  }
}
