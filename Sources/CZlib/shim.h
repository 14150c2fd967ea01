#include <zlib.h>

// inflateInit2 is a macro, which Swift does not see. 16 more than the window bits: gzip only.
static inline int locwatch_inflate_init_gzip(z_stream *stream) {
  return inflateInit2(stream, 16 + MAX_WBITS);
}
