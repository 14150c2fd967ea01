#include <expat.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// expat keeps every name it meets, every open tag and the token under way. A file can make each of them as
// large as itself, so a parser gets a budget; what goes beyond it fails like memory that is not there.
struct locwatch_xml_budget {
  size_t used;
  size_t limit;
  int is_exceeded;
};

// expat's allocators get no context. A parser is used by one thread at a time, but not always by the same.
static inline struct locwatch_xml_budget **locwatch_xml_in_use(void) {
  static __thread struct locwatch_xml_budget *in_use;
  return &in_use;
}

typedef union {
  size_t size;
  max_align_t alignment;
} locwatch_xml_block;

static inline void *locwatch_xml_realloc(void *pointer, size_t size) {
  struct locwatch_xml_budget *budget = *locwatch_xml_in_use();
  locwatch_xml_block *old = pointer ? (locwatch_xml_block *)pointer - 1 : NULL;
  size_t before = old ? old->size : 0;
  if (budget && size > before && size - before > budget->limit - budget->used) {
    budget->is_exceeded = 1;
    return NULL;
  }
  locwatch_xml_block *block = (locwatch_xml_block *)realloc(old, sizeof(locwatch_xml_block) + size);
  if (!block) return NULL;
  block->size = size;
  if (budget) budget->used = budget->used - before + size;
  return block + 1;
}

static inline void *locwatch_xml_malloc(size_t size) { return locwatch_xml_realloc(NULL, size); }

static inline void locwatch_xml_free(void *pointer) {
  if (!pointer) return;
  locwatch_xml_block *block = (locwatch_xml_block *)pointer - 1;
  struct locwatch_xml_budget *budget = *locwatch_xml_in_use();
  if (budget) budget->used -= block->size;
  free(block);
}

// Without namespace processing, because real files leave out declarations. NULL without memory.
static inline XML_Parser locwatch_xml_parser_create(struct locwatch_xml_budget *budget) {
  XML_Memory_Handling_Suite suite = {locwatch_xml_malloc, locwatch_xml_realloc, locwatch_xml_free};
  *locwatch_xml_in_use() = budget;
  XML_Parser parser = XML_ParserCreate_MM(NULL, &suite, NULL);
  *locwatch_xml_in_use() = NULL;
  return parser;
}

static inline enum XML_Status locwatch_xml_parse(
    XML_Parser parser, struct locwatch_xml_budget *budget, const char *text, int length, int is_final) {
  *locwatch_xml_in_use() = budget;
  enum XML_Status status = XML_Parse(parser, text, length, is_final);
  *locwatch_xml_in_use() = NULL;
  return status;
}
