import LocationCore

/// Least squares for factors that are not negative, drawn toward 1 by a ridge.
struct RidgeFit {
  /// The sums over the rows that the solution needs.
  struct Equations {
    /// How hard each factor is drawn toward 1.
    let ridge: [Double]
    /// AᵀA by rows, A the rows as they were added.
    private(set) var normal: [[Double]]
    /// Aᵀy.
    private(set) var right: [Double]

    init(ridge: [Double]) {
      self.ridge = ridge
      normal = [[Double]](repeating: [Double](repeating: 0, count: ridge.count), count: ridge.count)
      right = [Double](repeating: 0, count: ridge.count)
    }

    /// Adds a row, already divided by what its value may be off.
    mutating func add(row: [Double], value: Double) {
      for i in row.indices where row[i] != 0 {
        for j in row.indices { normal[i][j] += row[i] * row[j] }
        right[i] += row[i] * value
      }
    }
  }

  /// The factors.
  let solution: [Double]
  /// Of the rows, each column scaled to length 1, without the ridge; infinite where two are the same.
  let conditionNumber: Double
  /// The inverse of AᵀA with the ridge: how much the factors are open.
  private let covariance: [[Double]]

  init(_ equations: Equations) {
    let (matrix, right) = Self.drawn(equations)
    solution = Self.solve(matrix, right)
    covariance = Self.inverse(matrix)
    conditionNumber = Self.condition(equations.normal)
  }

  /// The factors alone.
  static func factors(_ equations: Equations) -> [Double] {
    let (matrix, right) = drawn(equations)
    return solve(matrix, right)
  }

  /// The sums with the ridge.
  private static func drawn(_ equations: Equations) -> (matrix: [[Double]], right: [Double]) {
    var matrix = equations.normal
    var right = equations.right
    for i in equations.ridge.indices {
      matrix[i][i] += equations.ridge[i] * equations.ridge[i]
      right[i] += equations.ridge[i] * equations.ridge[i]
    }
    return (matrix, right)
  }

  /// Standard deviation that the equations leave of a factor.
  func deviation(_ index: Int) -> Double { max(0, covariance[index][index]).squareRoot() }

  /// The other factor that goes most against this one; nil where none does.
  func partner(of index: Int) -> Int? {
    var most: (index: Int, size: Double)?
    for other in solution.indices where other != index {
      let size = -covariance[index][other] / (deviation(index) * deviation(other))
      if size > max(0.2, most?.size ?? 0) { most = (other, size) }
    }
    return most?.index
  }

  /// Coordinate descent: the ridge makes the sum of squares strictly convex, so it ends at the one minimum.
  private static func solve(_ matrix: [[Double]], _ right: [Double]) -> [Double] {
    var x = [Double](repeating: 1, count: right.count)
    for _ in 0..<100_000 {
      var change = 0.0
      for i in x.indices {
        var rest = right[i]
        for j in x.indices where j != i { rest -= matrix[i][j] * x[j] }
        let next = max(0, rest / matrix[i][i])
        change = max(change, abs(next - x[i]))
        x[i] = next
      }
      if change < 1e-12 { break }
    }
    return x
  }

  /// By Gauss and Jordan; the matrix is symmetric and positive definite, so no row needs to change place.
  private static func inverse(_ matrix: [[Double]]) -> [[Double]] {
    let count = matrix.count
    var left = matrix
    var right = (0..<count).map { i in (0..<count).map { $0 == i ? 1.0 : 0 } }
    for i in 0..<count {
      let pivot = left[i][i]
      for j in 0..<count {
        left[i][j] /= pivot
        right[i][j] /= pivot
      }
      for k in 0..<count where k != i {
        let factor = left[k][i]
        guard factor != 0 else { continue }
        for j in 0..<count {
          left[k][j] -= factor * left[i][j]
          right[k][j] -= factor * right[i][j]
        }
      }
    }
    return right
  }

  /// The square root of the ratio of the largest to the smallest eigenvalue of AᵀA, its diagonal scaled to 1, by
  /// Jacobi's rotations.
  private static func condition(_ normal: [[Double]]) -> Double {
    let used = normal.indices.filter { normal[$0][$0] > 0 }
    guard used.count > 1 else { return 1 }
    var a = used.map { i in
      used.map { j in normal[i][j] / (normal[i][i] * normal[j][j]).squareRoot() }
    }
    for _ in 0..<60 {
      for p in a.indices {
        for q in a.indices where q > p && abs(a[p][q]) > 1e-18 { rotate(&a, p, q) }
      }
    }
    let values = a.indices.map { a[$0][$0] }
    guard let largest = values.max(), let smallest = values.min(), smallest > 1e-15 * largest else {
      return .infinity
    }
    return (largest / smallest).squareRoot()
  }

  /// One rotation that makes the element at (p, q) zero.
  private static func rotate(_ a: inout [[Double]], _ p: Int, _ q: Int) {
    let theta = (a[q][q] - a[p][p]) / (2 * a[p][q])
    let t = (theta >= 0 ? 1.0 : -1) / (abs(theta) + (theta * theta + 1).squareRoot())
    let c = 1 / (t * t + 1).squareRoot()
    let s = t * c
    for k in a.indices {
      let (x, y) = (a[k][p], a[k][q])
      a[k][p] = c * x - s * y
      a[k][q] = s * x + c * y
    }
    for k in a.indices {
      let (x, y) = (a[p][k], a[q][k])
      a[p][k] = c * x - s * y
      a[q][k] = s * x + c * y
    }
  }
}
