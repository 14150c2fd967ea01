// The limit that reading GPX is measured against: a bare scan for `<` with memchr, which decodes every field
// of a track point that locwatch decodes, over a window of a file that need not fit in memory.
//
// It is no XML parser. It believes that the file is plain: no comments, CDATA or references, no prefix but in
// extensions, attributes in double quotes. It checks no end tag and no letter of text.
//
//   cc -O3 -march=x86-64-v2 -o gpx_scan gpx_scan.c && ./gpx_scan track.gpx
//
// Prints how many points there are and the sums of their fields, which `reading` (of this folder's parent)
// prints too.
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WINDOW = 1 << 17 };

struct point {
  double latitude, longitude, elevation, speed, course, hdop, accuracy;
  int64_t microseconds;
  int mode;
};

struct sums {
  long points;
  double latitude, longitude, accuracy, speed, course, elevation;
  long seconds;
};

static const double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// Exact up to 2^53, like locwatch's fast path; the rest is strtod's.
static double decimal(const char *text) {
  const char *start = text;
  int negative = *text == '-';
  text += negative;
  uint64_t mantissa = 0;
  int digits = 0, fraction = 0;
  while ((unsigned char)(*text - '0') < 10) {
    mantissa = mantissa * 10 + (uint64_t)(*text++ - '0');
    digits++;
  }
  if (*text == '.') {
    text++;
    while ((unsigned char)(*text - '0') < 10) {
      mantissa = mantissa * 10 + (uint64_t)(*text++ - '0');
      fraction++;
    }
  }
  if (digits + fraction > 18 || digits + fraction == 0 || mantissa > (UINT64_C(1) << 53)) {
    return strtod(start, NULL);
  }
  double value = (double)mantissa / powers[fraction];
  return negative ? -value : value;
}

static int two(const char *text) { return (text[0] - '0') * 10 + (text[1] - '0'); }

// Howard Hinnant's days_from_civil; the day last seen is kept, as in locwatch.
static int64_t utc(const char *text) {
  static char last[10];
  static int64_t last_days;
  if (memcmp(text, last, 10) != 0) {
    memcpy(last, text, 10);
    int64_t year = two(text) * 100 + two(text + 2);
    int month = two(text + 5), day = two(text + 8);
    year -= month <= 2;
    int64_t era = year / 400, of_era = year - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    last_days = era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
  }
  int64_t microseconds =
      (last_days * 86400 + two(text + 11) * 3600 + two(text + 14) * 60 + two(text + 17)) * INT64_C(1000000);
  if (text[19] == '.') {
    int64_t weight = 100000;
    for (const char *digit = text + 20; (unsigned char)(*digit - '0') < 10; digit++, weight /= 10) {
      microseconds += (*digit - '0') * weight;
    }
  }
  return microseconds;
}

static void finish(const struct point *point, struct sums *sums) {
  const double to68 = 1.5151729 / 2.4477468;
  double accuracy = 19 * to68;
  if (point->accuracy > 0) {
    accuracy = point->accuracy;
  } else if (point->hdop > 0) {
    accuracy = point->hdop * 19.0 * to68;
  }
  sums->points++;
  sums->latitude += point->latitude;
  sums->longitude += point->longitude;
  sums->accuracy += accuracy;
  sums->speed += isnan(point->speed) ? 0 : point->speed;
  sums->course += isnan(point->course) ? 0 : point->course;
  sums->elevation += isnan(point->elevation) ? 0 : point->elevation;
  sums->seconds += point->microseconds / 1000000 % 86400;
}

static void start(struct point *point, const char *tag) {
  const char *latitude = strstr(tag, "lat=\""), *longitude = strstr(tag, "lon=\"");
  *point = (struct point){
      .latitude = latitude ? decimal(latitude + 5) : NAN,
      .longitude = longitude ? decimal(longitude + 5) : NAN,
      .elevation = NAN,
      .speed = NAN,
      .course = NAN,
  };
}

static void field(struct point *point, const char *name) {
  const char *end = name;
  while (*end != '>' && *end != ':') end++;
  if (*end == ':') {
    name = end + 1;
    for (end = name; *end != '>'; end++) {
    }
  }
  const char *value = end + 1;
  switch (end - name) {
  case 3:
    if (memcmp(name, "ele", 3) == 0) point->elevation = decimal(value);
    if (memcmp(name, "fix", 3) == 0) point->mode = value[0] == '3' ? 3 : value[0] == '2' ? 2 : 0;
    if (memcmp(name, "acc", 3) == 0) point->accuracy = decimal(value);
    break;
  case 4:
    if (memcmp(name, "time", 4) == 0) point->microseconds = utc(value);
    if (memcmp(name, "hdop", 4) == 0) point->hdop = decimal(value);
    if (memcmp(name, "hAcc", 4) == 0) point->accuracy = decimal(value);
    break;
  case 5:
    if (memcmp(name, "speed", 5) == 0) point->speed = decimal(value);
    break;
  case 6:
    if (memcmp(name, "course", 6) == 0) point->course = decimal(value);
    break;
  case 7:
    if (memcmp(name, "bearing", 7) == 0) point->course = decimal(value);
    break;
  case 8:
    if (memcmp(name, "accuracy", 8) == 0) point->accuracy = decimal(value);
    break;
  }
}

// Takes the whole points of a window; how much of it is used up.
static size_t scan(const char *text, size_t count, struct sums *sums) {
  const char *at = text, *end = text + count, *used = text;
  struct point point = {0};
  int inside = 0;
  while ((at = memchr(at, '<', (size_t)(end - at))) != NULL) {
    // Whoever is behind this one is not whole; it comes again with the next window.
    if (end - at < 64) break;
    const char *name = at + 1;
    if (name[0] == '/') {
      if (inside && memcmp(name + 1, "trkpt>", 6) == 0) {
        finish(&point, sums);
        inside = 0;
        used = name + 7;
      }
      at = name + 1;
    } else if (memcmp(name, "trkpt", 5) == 0) {
      used = at;
      if (memchr(at, '>', (size_t)(end - at)) == NULL) break;
      start(&point, name + 5);
      inside = 1;
      at = name + 5;
    } else {
      if (inside) field(&point, name);
      at = name;
    }
  }
  return inside ? (size_t)(used - text) : count > 64 && used < end - 64 ? count - 64 : (size_t)(used - text);
}

int main(int argc, char **argv) {
  int file = argc > 1 ? open(argv[1], O_RDONLY) : 0;
  if (file < 0) return 66;
  static char window[WINDOW + 64];
  size_t kept = 0;
  ssize_t count;
  struct sums sums = {0};
  while ((count = read(file, window + kept, WINDOW - kept)) > 0) {
    size_t filled = kept + (size_t)count;
    memset(window + filled, 0, 64);
    size_t used = scan(window, filled, &sums);
    kept = filled - used;
    if (kept == WINDOW) return 65;
    memmove(window, window + used, kept);
  }
  memset(window + kept, ' ', 64);
  window[kept + 63] = 0;
  scan(window, kept + 64, &sums);
  printf("%ld points, sums: %.6f %.6f %ld %.6f %.6f %.6f %.6f\n", sums.points, sums.latitude,
         sums.longitude, sums.seconds, sums.accuracy, sums.speed, sums.course, sums.elevation);
  return 0;
}
