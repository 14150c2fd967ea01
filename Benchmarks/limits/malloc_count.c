// Counts a program's allocations: preload it, and the count is printed at the end on standard error.
//
//   cc -O2 -shared -fPIC -o malloc_count.so malloc_count.c && LD_PRELOAD=./malloc_count.so command
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static atomic_long count;

void *malloc(size_t size) { return count++, __libc_malloc(size); }
void *calloc(size_t number, size_t size) { return count++, __libc_calloc(number, size); }
void *realloc(void *old, size_t size) { return count++, __libc_realloc(old, size); }
void *memalign(size_t alignment, size_t size) { return count++, __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
int posix_memalign(void **place, size_t alignment, size_t size) {
  return (*place = memalign(alignment, size)) ? 0 : 12;
}

__attribute__((destructor)) static void report(void) { fprintf(stderr, "allocations %ld\n", count); }
