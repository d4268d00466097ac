/* Loads the plugin named by the first argument, which brings the library along: prints "arena 180". */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argument_count, char **arguments) {
  size_t (*plugin_arena)(void);
  void *plugin, *symbol;

  if (argument_count != 2) return 2;
  plugin = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  symbol = plugin == NULL ? NULL : dlsym(plugin, "plugin_arena");
  if (symbol == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  memcpy(&plugin_arena, &symbol, sizeof symbol);
  printf("arena %lu\n", (unsigned long)plugin_arena());
  return 0;
}
