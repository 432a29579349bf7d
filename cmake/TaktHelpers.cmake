# Flags that all of our own code is compiled with, compiler and runtime.
add_library(takt_flags INTERFACE)
target_compile_options(takt_flags INTERFACE
  -Wall -Wextra -Werror -Wno-unused-parameter -fvisibility-inlines-hidden)

option(TAKT_SANITIZE "Build with AddressSanitizer and UBSan" OFF)
if(TAKT_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize=vptr,function
    -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()
