// `mallinfo2`, which the module Glibc leaves out.
#include <malloc.h>
