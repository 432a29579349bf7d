// LLVM's bump allocator marks unused memory as poisoned. Debian's LLVM is built
// without sanitizers, so what it hands out stays marked when our inlined half
// of the allocator made the slab.
extern "C" const char *__asan_default_options() {
  return "allow_user_poisoning=0";
}
