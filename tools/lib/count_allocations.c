/* Counts what a process allocates, by who asks: preloaded into a bundle's
 * program.
 *
 * An allocation belongs to the innermost caller that is no runtime library of C
 * or C++: to oneDNN or OpenMP ("library"), else to the program and its stages
 * ("own"). Prints `allocations: own N library N` to standard error at exit. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static atomic_long own, library;
static atomic_int isReady;
static _Thread_local int isInside;

static int contains(const char *text, const char *part) {
  return text && strstr(text, part) != NULL;
}

/* What lies between malloc and the caller that counts: this file, C's and C++'s
 * libraries, and operator new, which the program has in itself. */
static int isBetween(const Dl_info *info) {
  return contains(info->dli_fname, "libc.so") ||
         contains(info->dli_fname, "libstdc++") ||
         contains(info->dli_fname, "count_allocations") ||
         (info->dli_sname && strncmp(info->dli_sname, "_Zn", 3) == 0);
}

static void count(void) {
  if (isInside || !atomic_load(&isReady))
    return;
  isInside = 1;
  void *frames[24];
  int depth = backtrace(frames, 24), isLibrary = 0;
  for (int i = 0; i < depth; ++i) {
    Dl_info info;
    if (!dladdr(frames[i], &info))
      memset(&info, 0, sizeof info);
    if (isBetween(&info))
      continue;
    isLibrary = contains(info.dli_fname, "libdnnl") ||
                contains(info.dli_fname, "libgomp");
    break;
  }
  atomic_fetch_add(isLibrary ? &library : &own, 1);
  isInside = 0;
}

void *malloc(size_t bytes) {
  count();
  return __libc_malloc(bytes);
}

void *calloc(size_t number, size_t bytes) {
  count();
  return __libc_calloc(number, bytes);
}

void *realloc(void *memory, size_t bytes) {
  count();
  return __libc_realloc(memory, bytes);
}

void *memalign(size_t alignment, size_t bytes) {
  count();
  return __libc_memalign(alignment, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes) {
  return memalign(alignment, bytes);
}

int posix_memalign(void **memory, size_t alignment, size_t bytes) {
  *memory = memalign(alignment, bytes);
  return *memory ? 0 : 12; /* ENOMEM */
}

__attribute__((constructor)) static void begin(void) {
  void *frames[4];
  isInside = 1; /* the first call of backtrace allocates */
  backtrace(frames, 4);
  isInside = 0;
  atomic_store(&isReady, 1);
}

__attribute__((destructor)) static void report(void) {
  fprintf(stderr, "allocations: own %ld library %ld\n", atomic_load(&own),
          atomic_load(&library));
}
