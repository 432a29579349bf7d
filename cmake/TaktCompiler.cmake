# What the compiler (everything outside runtime/) builds with: LLVM and MLIR as
# shared libraries, ONNX and protobuf, one precompiled header for all libraries.
find_package(MLIR 19.1 REQUIRED CONFIG)
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

find_package(Protobuf REQUIRED)
list(APPEND CMAKE_PREFIX_PATH "${TAKT_DEPS_DIR}/onnx")
find_package(ONNX REQUIRED CONFIG)

include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
include_directories(${CMAKE_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}/include)
separate_arguments(LLVM_DEFINITIONS_LIST NATIVE_COMMAND ${LLVM_DEFINITIONS})
add_definitions(${LLVM_DEFINITIONS_LIST})
# Installed tools find LLVM's libraries where they were when linking.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)

# Debian's LLVM has no RTTI; classes that derive from it must have none either.
# Exceptions stay on, since ONNX and protobuf throw: they are caught in Import.
add_library(takt_compiler_flags INTERFACE)
target_compile_options(takt_compiler_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>)
target_link_libraries(takt_compiler_flags INTERFACE takt_flags)

# Parsing MLIR's headers takes most of a file's compile time.
add_library(TaktPch STATIC ${CMAKE_SOURCE_DIR}/cmake/Pch.cpp)
target_link_libraries(TaktPch PRIVATE takt_compiler_flags)
target_compile_options(TaktPch PRIVATE -Xclang -fno-pch-timestamp)
target_precompile_headers(TaktPch PRIVATE
  <mlir/IR/Builders.h> <mlir/IR/BuiltinOps.h> <mlir/IR/BuiltinTypes.h>
  <mlir/IR/Dialect.h> <mlir/IR/OpImplementation.h> <mlir/IR/PatternMatch.h>
  <mlir/IR/SymbolTable.h> <mlir/Pass/Pass.h>
  <mlir/Dialect/Arith/IR/Arith.h> <mlir/Dialect/Func/IR/FuncOps.h>
  <mlir/Dialect/Math/IR/Math.h> <mlir/Dialect/Tensor/IR/Tensor.h>
  <llvm/ADT/StringMap.h> <llvm/ADT/TypeSwitch.h>)

# takt_add_library(NAME files... [DEPENDS targets...] [LINK libs...] [NO_PCH])
function(takt_add_library name)
  cmake_parse_arguments(ARG "NO_PCH" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE takt_compiler_flags)
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(NOT ARG_NO_PCH)
    target_compile_options(${name} PRIVATE -Xclang -fno-pch-timestamp)
    target_precompile_headers(${name} REUSE_FROM TaktPch)
  endif()
  add_dependencies(${name} TaktTableGen)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  set_property(GLOBAL APPEND PROPERTY TAKT_LIBRARIES ${name})
endfunction()

# takt_tablegen(file.td OUT -gen-x [OUT -gen-y ...]) into the build tree; the
# TaktTableGen target runs them all.
add_custom_target(TaktTableGen)
function(takt_tablegen td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  set(outputs "${ARGN}")
  while(outputs)
    list(POP_FRONT outputs out generator)
    string(REPLACE "," ";" generator "${generator}")
    mlir_tablegen(${out} ${generator})
  endwhile()
  string(MAKE_C_IDENTIFIER "Takt_${CMAKE_CURRENT_SOURCE_DIR}_${td}" target)
  add_public_tablegen_target(${target})
  add_dependencies(TaktTableGen ${target})
endfunction()
