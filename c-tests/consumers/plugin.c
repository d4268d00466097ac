/* A plugin that keeps its copy of the library to itself: it exports plugin_arena, and must export no aether_*. */
#include "arena.h"

size_t plugin_arena(void);

size_t plugin_arena(void) { return arena(); }
