import CGEOS

/// Whether polygons are valid, as GEOS says: the only file that speaks to GEOS.
///
/// The monitor itself measures with ``EdgeTree``, which is quicker in the affine plane and knows the antimeridian.
enum PolygonValidity {
  /// Throws GEOS's reason and place where polygons, each a shell and its holes, in degrees, are not valid.
  static func check(_ polygons: [[[Coordinate]]]) throws(RegionError) {
    guard let context = unsafe GEOS_init_r() else { throw .outOfMemory }
    defer { unsafe GEOS_finish_r(context) }
    let geometry = try unsafe Self.geometry(polygons, context)
    defer { unsafe GEOSGeom_destroy_r(context, geometry) }
    if let flaw = unsafe flaw(of: geometry, context) { throw flaw }
  }

  /// Builds the polygons; what was built of them is freed where one can't be.
  static func geometry(
    _ polygons: [[[Coordinate]]], _ context: GEOSContextHandle_t
  ) throws(RegionError) -> OpaquePointer {
    var parts = unsafe [OpaquePointer?]()
    do throws(RegionError) {
      for rings in polygons { unsafe parts.append(try polygon(rings, context)) }
    } catch {
      unsafe free(parts, context)
      throw error
    }
    if unsafe parts.count == 1, let only = unsafe parts[0] { return unsafe only }
    // Takes the parts over, whether it fails or not.
    let type = Int32(GEOS_MULTIPOLYGON.rawValue)
    let count = unsafe UInt32(parts.count)
    let whole = unsafe parts.withUnsafeMutableBufferPointer { parts in
      unsafe GEOSGeom_createCollection_r(context, type, parts.baseAddress, count)
    }
    guard let whole = unsafe whole else { throw .outOfMemory }
    return unsafe whole
  }

  private static func polygon(
    _ rings: [[Coordinate]], _ context: GEOSContextHandle_t
  ) throws(RegionError) -> OpaquePointer {
    guard let shell = rings.first else {
      throw .invalidGeometry(reason: "A polygon has no rings", place: nil)
    }
    var holes = unsafe [OpaquePointer?]()
    let outer: OpaquePointer
    do throws(RegionError) {
      for hole in rings.dropFirst() { unsafe holes.append(try ring(hole, context)) }
      unsafe outer = try ring(shell, context)
    } catch {
      unsafe free(holes, context)
      throw error
    }
    // Takes the rings over, whether it fails or not.
    let count = unsafe UInt32(holes.count)
    let polygon = unsafe holes.withUnsafeMutableBufferPointer { holes in
      unsafe GEOSGeom_createPolygon_r(context, outer, holes.baseAddress, count)
    }
    guard let polygon = unsafe polygon else { throw .outOfMemory }
    return unsafe polygon
  }

  private static func free(_ geometries: [OpaquePointer?], _ context: GEOSContextHandle_t) {
    for index in unsafe geometries.indices { unsafe GEOSGeom_destroy_r(context, geometries[index]) }
  }

  private static func ring(
    _ ring: [Coordinate], _ context: GEOSContextHandle_t
  ) throws(RegionError) -> OpaquePointer {
    guard let sequence = unsafe GEOSCoordSeq_create_r(context, UInt32(ring.count), 2) else {
      throw .outOfMemory
    }
    for (index, place) in ring.enumerated() {
      unsafe GEOSCoordSeq_setXY_r(context, sequence, UInt32(index), place.longitude, place.latitude)
    }
    // Takes the sequence over, whether it fails or not.
    guard let made = unsafe GEOSGeom_createLinearRing_r(context, sequence) else {
      throw .invalidGeometry(reason: "Invalid number of points in LinearRing", place: ring.first)
    }
    return unsafe made
  }

  /// What is wrong with a geometry, and where; nil for a valid one.
  private static func flaw(of geometry: OpaquePointer, _ context: GEOSContextHandle_t) -> RegionError? {
    var reason: UnsafeMutablePointer<CChar>?
    var location: OpaquePointer?
    let verdict = unsafe GEOSisValidDetail_r(context, geometry, 0, &reason, &location)
    defer {
      if let reason = unsafe reason { unsafe GEOSFree_r(context, reason) }
      if let location = unsafe location { unsafe GEOSGeom_destroy_r(context, location) }
    }
    guard verdict != 1 else { return nil }
    let words = if let reason = unsafe reason { unsafe String(cString: reason) } else { "Invalid geometry" }
    var longitude = 0.0
    var latitude = 0.0
    guard let location = unsafe location,
      unsafe GEOSGeomGetX_r(context, location, &longitude) == 1,
      unsafe GEOSGeomGetY_r(context, location, &latitude) == 1
    else { return .invalidGeometry(reason: words, place: nil) }
    return .invalidGeometry(
      reason: words,
      place: Coordinate(
        latitude: latitude, longitude: Geodesy.normalizedLongitude(longitude)))
  }
}
