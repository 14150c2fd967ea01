#include <stddef.h>
#include <stdint.h>
#include <string.h>

// libFuzzer's own main, to be called from ours (https://llvm.org/docs/LibFuzzer.html, "Using libFuzzer as a
// library").
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*one)(const uint8_t *data, size_t size));
