// libgps, and what of gps.h differs between releases or can't be reached from Swift.
//
// The struct is the interface: it changes with nearly every release, so the code must be compiled against
// the gps.h of the libgps that it runs with. Known to fit: API 11 (3.22) to 16 (3.27).
#include <gps.h>
#include <stdlib.h>

#if GPSD_API_MAJOR_VERSION < 11
#error "libgps is too old: 3.22 or later is needed"
#endif

// 3.23.1 renamed STATUS_NO_FIX, STATUS_FIX and STATUS_DGPS_FIX without a new API number. The two names used
// here have been the same since 3.21, when the status moved into the fix.
#ifdef STATUS_UNK
#define LOCWATCH_STATUS_UNKNOWN STATUS_UNK
#else
#define LOCWATCH_STATUS_UNKNOWN STATUS_NO_FIX
#endif

// A struct of some 24 kB, never passed by value. NULL without memory.
static inline struct gps_data_t *locwatch_gps_new(void) {
  struct gps_data_t *data = (struct gps_data_t *)calloc(1, sizeof(struct gps_data_t));
  if (data) {
    data->gps_fd = (socket_t)-1;
    gps_clear_fix(&data->fix);
  }
  return data;
}

// What gps_unpack() leaves in place from the line before when it understands nothing.
static inline void locwatch_gps_clear(struct gps_data_t *data) {
  data->set = 0;
  gps_clear_fix(&data->fix);
  data->fix.status = LOCWATCH_STATUS_UNKNOWN;
}

// 3.25 made the line const; before that it is not written to either.
static inline int locwatch_gps_unpack(const char *line, struct gps_data_t *data) {
  return gps_unpack((char *)line, data);
}

static inline int locwatch_gps_has_gst(const struct gps_data_t *data) {
  return (data->set & GST_SET) != 0;
}

static inline int locwatch_gps_is_dead_reckoned(const struct gps_data_t *data) {
  return data->fix.status == STATUS_DR;
}

static inline int locwatch_gps_is_simulated(const struct gps_data_t *data) {
  return data->fix.status == STATUS_SIM;
}

static inline int locwatch_gps_api_major(void) { return GPSD_API_MAJOR_VERSION; }

static inline int locwatch_gps_api_minor(void) { return GPSD_API_MINOR_VERSION; }
