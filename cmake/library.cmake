# haft_library(target file description objects...) makes, out of objects,
#
#   <target>           the shared library            lib<file>.so
#   <target>_static    the static one                lib<file>.a
#   <target>_internal  a static one for unit tests, which see every name; never installed
#
# It is linked with <TARGET>_NEEDS, and its pkg-config file names <TARGET>_MODULES.
#
# What begins with haft_ is public; the other names are short and must not meet a user's.  The linker
# keeps them inside the shared library (exports.map).  For the static one all objects are linked into
# one whose other names are made local.  The price is that a static link takes that one object whole;
# its functions are in sections of their own (--unique: also those of one name), so -Wl,--gc-sections takes
# the unused ones out again.

# Sets ret_object to the objects as one, with the public names only.
function(haft_one_object name ret_object)
    set(objects ${ARGN})
    set(joined ${PROJECT_BINARY_DIR}/${name}-joined.o)
    set(object ${PROJECT_BINARY_DIR}/${name}.o)
    add_custom_command(
        OUTPUT ${object}
        COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -Wl,--unique -o ${joined} ${objects}
        COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=haft_* ${joined} ${object}
        DEPENDS ${objects}
        COMMAND_EXPAND_LISTS VERBATIM)
    set(${ret_object} ${object} PARENT_SCOPE)
endfunction()

function(haft_library target file description)
    list(TRANSFORM ARGN REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
    string(TOUPPER ${target} room)
    set(needs ${${room}_NEEDS})

    add_library(${target} SHARED ${objects})
    target_link_options(${target} PRIVATE
        -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/exports.map -Wl,-Bsymbolic-functions)
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS
        ${PROJECT_SOURCE_DIR}/cmake/exports.map)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${file} VERSION ${PROJECT_VERSION}
        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

    if(NOT HAFT_SANITIZE) # whose runtime is found in the program
        target_link_options(${target} PRIVATE -Wl,--no-undefined)
    endif()

    add_library(${target}_internal STATIC ${objects})

    # Sanitizers put objects into groups whose names must stay as they are.
    if(HAFT_SANITIZE)
        add_library(${target}_static STATIC ${objects})
    else()
        haft_one_object(${file} object ${objects})
        add_library(${target}_static STATIC ${object})
    endif()
    set_target_properties(${target}_static PROPERTIES OUTPUT_NAME ${file}
        EXPORT_NAME ${target}-static)

    foreach(library ${target} ${target}_static ${target}_internal)
        set_target_properties(${library} PROPERTIES LINKER_LANGUAGE C)
        target_link_libraries(${library} PRIVATE $<BUILD_INTERFACE:haft_flags> ${needs})
        target_include_directories(${library} INTERFACE
            $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
            $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    endforeach()
    add_library(haft::${target} ALIAS ${target})
    add_library(haft::${target}-static ALIAS ${target}_static)

    set(PC_FILE ${file})
    set(PC_DESCRIPTION ${description})
    list(JOIN ${room}_MODULES ", " PC_NEEDS)
    # The prefix is found from where the file lies, so an installed tree may be moved.
    file(RELATIVE_PATH PC_UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
    string(REGEX REPLACE "/$" "" PC_UP "${PC_UP}")
    configure_file(${PROJECT_SOURCE_DIR}/haft.pc.in ${PROJECT_BINARY_DIR}/${file}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${file}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
    install(TARGETS ${target} EXPORT haftTargets)
    install(TARGETS ${target}_static EXPORT haftStaticTargets)
endfunction()

# A program that is linked with a static library and loads plugins shows them the public names, and no
# others, which could meet theirs.
function(haft_shows_names target)
    target_link_options(${target} PRIVATE "LINKER:--export-dynamic-symbol=haft_*")
endfunction()

# The same of one that is linked with the library of unit tests, of which it takes only what it needs.
function(haft_loads_plugins target)
    haft_shows_names(${target})
    target_link_libraries(${target} PRIVATE
        -Wl,--whole-archive haft_internal -Wl,--no-whole-archive)
endfunction()
