// Only the reentrant (`_r`) calls are used; this keeps the others out of sight.
#define GEOS_USE_ONLY_R_API
#include <geos_c.h>
