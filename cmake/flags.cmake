# How everything is compiled: the target haft_flags carries it, and is never installed.
include(CheckCCompilerFlag)
include(CheckLinkerFlag)
include(CheckPIESupported)

option(HAFT_WERROR "A warning is an error" OFF)
option(HAFT_HARDEN "Compile and link against exploitation" OFF)
option(HAFT_COVERAGE "Count what is run (gcc)" OFF)
option(HAFT_ANALYSE "Have gcc look for mistakes along paths" OFF)
option(HAFT_FUZZ "Build the fuzz targets (clang)" OFF)
set(HAFT_SANITIZE "" CACHE STRING "Sanitizers: address,undefined or thread")

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

add_library(haft_flags INTERFACE)
target_compile_options(haft_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wvla
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes> $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>
    -ffunction-sections -fdata-sections)

# Constants are enumerators here, and some meet a double, which newer versions of clang warn of in C as older ones do
# in C++ only.
target_compile_options(haft_flags INTERFACE
                       $<$<COMPILE_LANG_AND_ID:C,Clang,AppleClang>:-Wno-enum-float-conversion>)

if(HAFT_WERROR)
    target_compile_options(haft_flags INTERFACE -Werror)
endif()

if(HAFT_SANITIZE)
    target_compile_options(haft_flags INTERFACE -fsanitize=${HAFT_SANITIZE}
                           -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(haft_flags INTERFACE -fsanitize=${HAFT_SANITIZE})
endif()
# Linking several hundred programs with GNU ld takes longer than compiling them.
if(CMAKE_BUILD_TYPE STREQUAL Debug)
    find_program(HAFT_LLD ld.lld)
    if(HAFT_LLD)
        target_link_options(haft_flags INTERFACE -fuse-ld=lld)
    endif()
endif()
# Relative relocations as a bitmap, which takes 16 KB off the smallest server. glibc reads it since 2.36.
if(CMAKE_BUILD_TYPE STREQUAL MinSizeRel)
    check_linker_flag(C -Wl,-z,pack-relative-relocs HAFT_HAS_PACKED_RELOCATIONS)
    if(HAFT_HAS_PACKED_RELOCATIONS)
        target_link_options(haft_flags INTERFACE -Wl,-z,pack-relative-relocs)
    endif()
endif()
if(HAFT_FUZZ)
    target_compile_options(haft_flags INTERFACE -fsanitize=fuzzer-no-link)
    target_link_options(haft_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# Threads count together, and so do processes that end by _exit (coverage.h).
if(HAFT_COVERAGE)
    target_compile_options(haft_flags INTERFACE --coverage -fprofile-update=atomic -fprofile-abs-path
                           $<$<COMPILE_LANGUAGE:C>:-include$<SEMICOLON>${PROJECT_SOURCE_DIR}/cmake/coverage.h>)
    target_link_options(haft_flags INTERFACE --coverage)
endif()

# Not its checks of NULL: gcc 12 does not know that what was found to be text has a text, and reports every
# one of them; clang's analyser does the same ones better.  Nor that a text may be cut: that is meant.
if(HAFT_ANALYSE)
    target_compile_options(haft_flags INTERFACE -fanalyzer -Wno-analyzer-null-argument
                           -Wno-analyzer-null-dereference -Wno-format-truncation)
endif()

# Adds a compiler flag if the compiler has it.
function(haft_flag_if_known flag)
    string(MAKE_C_IDENTIFIER "HAFT_HAS${flag}" known)
    check_c_compiler_flag("-Werror ${flag}" ${known})
    if(${known})
        target_compile_options(haft_flags INTERFACE ${flag})
    endif()
endfunction()

if(HAFT_HARDEN)
    # Where it was built is in none of it, so that it is the same everywhere.  Sources are named from the
    # root or from where they are compiled; the last one that fits counts.
    file(RELATIVE_PATH up ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR}/)
    string(REGEX REPLACE "/$" "" up "${up}")
    target_compile_options(haft_flags INTERFACE -ffile-prefix-map=${up}=.
                           -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.
                           -ffile-prefix-map=${PROJECT_BINARY_DIR}=.)
    set(CMAKE_POSITION_INDEPENDENT_CODE ON)
    check_pie_supported(LANGUAGES C)
    foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection=full
                 -mbranch-protection=standard)
        haft_flag_if_known(${flag})
    endforeach()
    # Level 3 where the compiler and the C library have it, else 2.
    file(WRITE ${PROJECT_BINARY_DIR}/fortify.c "#include <string.h>
        #if !defined __GNUC__ || (!defined __clang__ && __GNUC__ < 12)
        #error level 3 is not known
        #endif
        int main(void) { return (int)strlen(\"\"); }")
    try_compile(HAFT_FORTIFY_3 ${PROJECT_BINARY_DIR}/fortify ${PROJECT_BINARY_DIR}/fortify.c
                COMPILE_DEFINITIONS -O2 -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
    target_compile_options(haft_flags INTERFACE -U_FORTIFY_SOURCE
                           -D_FORTIFY_SOURCE=$<IF:$<BOOL:${HAFT_FORTIFY_3}>,3,2>)
    target_link_options(haft_flags INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack)
endif()
