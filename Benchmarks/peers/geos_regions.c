#define _GNU_SOURCE
// The same regions and fixes as region-lookup, by a GEOS STRtree and prepared geometries: a naive rule.
//
//   cc -O2 geos_regions.c -lgeos_c -lm -o geos_regions && ./geos_regions circles|polygons|mixed REGIONS VERTICES walk|drive FIXES
#include <geos_c.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double unit(uint64_t *state) {
  uint64_t x = *state += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  x ^= x >> 31;
  return (double)(x >> 11) * 0x1p-53;
}

static const double south = 47, west = 10, side = 2;

enum { circle, polygon, corridor };
typedef struct { double lat, lon, radius, line[6]; const GEOSPreparedGeometry *prepared; uint8_t kind, inside; uint32_t seen; } Region;
static Region *regions;
static GEOSContextHandle_t ctx;
static double lat, lon;
static uint32_t now;
static long events;
static int dump;
static int *inside_list, inside_count;

// Gauss's mid-latitude formula on WGS 84, as LocationCore's, to the third order.
static double distance(double lat1, double lon1, double lat2, double lon2) {
  const double rad = M_PI / 180, e2 = 0.00673949674227643, c = 6399593.62575849;
  double s, co;
  sincos((lat1 + lat2) * 0.5 * rad, &s, &co);
  double p = (lat2 - lat1) * rad, l = (lon2 - lon1) * rad, s2 = s * s, c2 = co * co, eta2 = e2 * c2, v2 = 1 + eta2;
  double n = c / sqrt(v2), iv2 = 1 / v2, p2 = p * p, l2 = l * l;
  double east = co * l * (1 + (p2 * iv2 * iv2 * (1 + eta2 - 9 * e2 * s2) - l2 * s2) / 24);
  double north = p * iv2 * (1 - l2 * (2 * c2 + 3 * s2 + 2 * eta2 * c2) / 24 + p2 * iv2 * iv2 * e2 * (s2 - c2 - eta2 * c2 - 4 * eta2 * s2) / 8);
  return n * sqrt(east * east + north * north);
}

// To a line of three points, in the affine plane of the place's latitude, as LocationCore's.
static double line_distance(const double *line) {
  const double rad = M_PI / 180, a = 6378137, e2 = 0.00669437999014132;
  double s, co;
  sincos(lat * rad, &s, &co);
  double w2 = 1 / (1 - e2 * s * s), n = a * sqrt(w2), kx = n * co * rad, ky = n * w2 * (1 - e2) * rad, best = INFINITY;
  for (int k = 0; k < 2; k++) {
    double ax = (line[2 * k] - lon) * kx, ay = (line[2 * k + 1] - lat) * ky;
    double dx = (line[2 * k + 2] - line[2 * k]) * kx, dy = (line[2 * k + 3] - line[2 * k + 1]) * ky;
    double t = fmax(0, fmin(1, -(ax * dx + ay * dy) / (dx * dx + dy * dy)));
    double x = ax + t * dx, y = ay + t * dy;
    best = fmin(best, x * x + y * y);
  }
  return sqrt(best);
}

static GEOSGeometry *point;

static int contains(Region *r) {
  if (r->kind == circle) return distance(r->lat, r->lon, lat, lon) <= r->radius;
  if (r->kind == corridor) return line_distance(r->line) <= r->radius;
  return GEOSPreparedContains_r(ctx, r->prepared, point) == 1;
}

static void hit(void *item, void *user) {
  (void)user;
  Region *r = item;
  if (!contains(r)) return;
  r->seen = now;
  if (!r->inside) {
    r->inside = 1;
    events++;
    if (dump) printf("%u in r%ld\n", now - 1, (long)(r - regions));
    inside_list[inside_count++] = (int)(r - regions);
  }
}

int main(int argc, char **argv) {
  if (argc != 6) return 64;
  int polygons = !strcmp(argv[1], "polygons"), mixed = !strcmp(argv[1], "mixed");
  long n = atol(argv[2]), fixes = atol(argv[5]);
  int vertices = atoi(argv[3]), drive = !strcmp(argv[4], "drive");
  ctx = GEOS_init_r();
  dump = getenv("DUMP") != NULL;
  regions = calloc((size_t)n, sizeof *regions);
  inside_list = calloc((size_t)n, sizeof *inside_list);
  GEOSSTRtree *tree = GEOSSTRtree_create_r(ctx, 10);
  uint64_t random = 7;
  for (long i = 0; i < n; i++) {
    Region *r = &regions[i];
    double y = unit(&random), x = unit(&random);
    r->lat = south + side * y;
    r->lon = west + side * x;
    double a = unit(&random), b = unit(&random);
    r->radius = 50 + 450 * a * b;
    r->kind = mixed ? (i % 10 < 6 ? circle : i % 10 < 9 ? polygon : corridor) : polygons ? polygon : circle;
    GEOSGeometry *g;
    if (r->kind == corridor) {
      double t = 2 * M_PI * unit(&random), x = 2 * r->radius * cos(t), y = 2 * r->radius * sin(t);
      double east[3] = {-x, -0.2 * y, x}, north[3] = {-y, 0.2 * x, y}, box[4] = {180, 90, -180, -90};
      r->radius = 10 + 40 * unit(&random);
      for (int k = 0; k < 3; k++) {
        double px = r->line[2 * k] = r->lon + east[k] * 1.35e-5, py = r->line[2 * k + 1] = r->lat + north[k] * 9e-6;
        box[0] = fmin(box[0], px), box[1] = fmin(box[1], py), box[2] = fmax(box[2], px), box[3] = fmax(box[3], py);
      }
      double dy = r->radius / 110574, dx = r->radius / (111320 * cos((fabs(box[3]) + dy) * M_PI / 180)) * 1.01;
      g = GEOSGeom_createRectangle_r(ctx, box[0] - dx, box[1] - dy, box[2] + dx, box[3] + dy);
    } else if (r->kind == polygon) {
      GEOSCoordSequence *cs = GEOSCoordSeq_create_r(ctx, (unsigned)vertices + 1, 2);
      double y0 = 0, x0 = 0;
      for (int k = 0; k <= vertices; k++) {
        double t = k == vertices ? 0 : 2 * M_PI * k / vertices, w = k == vertices ? 0 : r->radius * (1 - 0.3 * unit(&random));
        double py = r->lat + w * sin(t) * 9e-6, px = r->lon + w * cos(t) * 1.35e-5;
        if (k == 0) { y0 = py; x0 = px; }
        if (k == vertices) { py = y0; px = x0; }
        GEOSCoordSeq_setXY_r(ctx, cs, (unsigned)k, px, py);
      }
      g = GEOSGeom_createPolygon_r(ctx, GEOSGeom_createLinearRing_r(ctx, cs), NULL, 0);
      r->prepared = GEOSPrepare_r(ctx, g);
    } else {
      double dy = r->radius / 110574, dx = r->radius / (111320 * cos((fabs(r->lat) + dy) * M_PI / 180)) * 1.01;
      g = GEOSGeom_createRectangle_r(ctx, r->lon - dx, r->lat - dy, r->lon + dx, r->lat + dy);
    }
    GEOSSTRtree_insert_r(ctx, tree, g, r);
  }
  double *track = malloc(sizeof(double) * 2 * (size_t)fixes);
  uint64_t walk = 99;
  double la = 48, lo = 11, east = 30, north = 0;
  for (long i = 0; i < fixes; i++) {
    if (drive) {
      double turn = (unit(&walk) - 0.5) * 0.1, e = east - turn * north;
      north = north + turn * east;
      east = e;
      double scale = 30 / sqrt(east * east + north * north);
      east *= scale;
      north *= scale;
    } else {
      east = (unit(&walk) - 0.5) * 20;
      north = (unit(&walk) - 0.5) * 20;
    }
    la += north * 9e-6;
    lo += east * 1.35e-5;
    if (la < south || la > south + side) { la -= 2 * north * 9e-6; north = -north; }
    if (lo < west || lo > west + side) { lo -= 2 * east * 1.35e-5; east = -east; }
    track[2 * i] = la;
    track[2 * i + 1] = lo;
  }
  double best = 1e9;
  for (int run = 0; run < 3; run++) {
    for (long i = 0; i < n; i++) regions[i].inside = 0, regions[i].seen = 0;
    inside_count = 0;
    events = 0;
    now = 0;
    long start = 0;
    struct timespec t0, t1;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t0);
    for (long i = 0; i < fixes; i++) {
      lat = track[2 * i];
      lon = track[2 * i + 1];
      now++;
      point = GEOSGeom_createPointFromXY_r(ctx, lon, lat);
      GEOSSTRtree_query_r(ctx, tree, point, hit, NULL);
      GEOSGeom_destroy_r(ctx, point);
      for (int k = 0; k < inside_count;) {
        Region *r = &regions[inside_list[k]];
        if (r->seen != now) {
          r->inside = 0;
          events++;
          if (dump) printf("%u out r%d\n", now - 1, inside_list[k]);
          inside_list[k] = inside_list[--inside_count];
        } else k++;
      }
      if (i == 0) start = events;
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t1);
    events -= start;
    double seconds = (double)(t1.tv_sec - t0.tv_sec) + (double)(t1.tv_nsec - t0.tv_nsec) * 1e-9;
    if (seconds < best) best = seconds;
  }
  printf("geos %s %s %s %s %s | events %ld | Mfix/s %.3f\n", argv[1], argv[2], argv[3], argv[4], argv[5], events, (double)fixes / best / 1e6);
  return 0;
}
