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

# Default options of the sanitizers for a program that links LLVM.
function(takt_sanitizer_options target)
  if(TAKT_SANITIZE)
    target_sources(${target} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/AsanOptions.cpp)
  endif()
endfunction()
