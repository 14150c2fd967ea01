import CGEOS

@testable import LocationCore

/// GEOS's view of a valid polygon, against which tests hold ours.
@safe struct PreparedPolygon: ~Copyable {
  private let context: GEOSContextHandle_t
  private let geometry: OpaquePointer
  private let prepared: OpaquePointer

  /// Prepares polygons, each a shell and its holes, in degrees.
  init(_ polygons: [[[Coordinate]]]) throws {
    guard let context = unsafe GEOS_init_r() else { throw RegionError.outOfMemory }
    let geometry = try unsafe PolygonValidity.geometry(polygons, context)
    guard let prepared = unsafe GEOSPrepare_r(context, geometry) else { throw RegionError.outOfMemory }
    unsafe self.context = context
    unsafe self.geometry = geometry
    unsafe self.prepared = prepared
  }

  deinit {
    unsafe GEOSPreparedGeom_destroy_r(context, prepared)
    unsafe GEOSGeom_destroy_r(context, geometry)
    unsafe GEOS_finish_r(context)
  }

  /// Whether a place is inside or on the edge.
  func covers(_ place: Coordinate) -> Bool {
    guard
      let point = unsafe GEOSGeom_createPointFromXY_r(context, place.longitude, place.latitude)
    else { return false }
    defer { unsafe GEOSGeom_destroy_r(context, point) }
    // 2 is an exception; a point and a valid polygon give none.
    return unsafe GEOSPreparedCovers_r(context, prepared, point) == 1
  }
}
