# haft_library(target file description objects...) makes, out of objects,
#
#   <target>           the shared library            lib<file>.so
#   <target>_static    the static one                lib<file>.a
#   <target>_internal  a static one for unit tests, which see every name; never installed
#
# They are installed as <TARGET>_EXPORT, or "haft", with "Targets" and "StaticTargets" behind it, and with the pkg-config
# files <file>.pc and <file>-static.pc.  It is linked with <TARGET>_NEEDS; pkg-config gets to know <TARGET>_MODULES, those
# of them that a program calls itself as <TARGET>_PUBLIC, and <TARGET>_PARTS as what is in it.
#
# What begins with haft_ is public, what begins with hf_ is ours.  The linker keeps the latter inside the shared
# library (exports.map).  In the static one the prefix keeps it apart from a user's names: so its objects stay
# apart, and a program takes those that it needs, and needs only the libraries that those need.  A server on standard
# input and output is without llhttp.

option(HAFT_INSTALL_SHARED "Install the shared libraries" ON)
option(HAFT_INSTALL_STATIC "Install the static libraries" ON)

# haft_pkgconfig(name description libraries private-libraries requires private-requires parts) - <name>.pc
function(haft_pkgconfig PC_NAME PC_DESCRIPTION PC_LIBS PC_LIBS_PRIVATE requires private parts)
    list(JOIN requires ", " PC_REQUIRES)
    list(JOIN private ", " PC_REQUIRES_PRIVATE)
    list(JOIN parts " " PC_PARTS)
    # The prefix is found from where the file lies, so an installed tree may be moved.
    file(RELATIVE_PATH PC_UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
    string(REGEX REPLACE "/$" "" PC_UP "${PC_UP}")
    configure_file(${PROJECT_SOURCE_DIR}/haft.pc.in ${PROJECT_BINARY_DIR}/${PC_NAME}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${PC_NAME}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
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

    add_library(${target}_static STATIC ${objects})
    set_target_properties(${target}_static PROPERTIES OUTPUT_NAME ${file}
        EXPORT_NAME ${target}-static)

    foreach(library ${target} ${target}_static ${target}_internal)
        set_target_properties(${library} PROPERTIES LINKER_LANGUAGE C)
        target_link_libraries(${library} PRIVATE $<BUILD_INTERFACE:haft_flags> ${needs})
        target_include_directories(${library} INTERFACE
            $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
            $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
        foreach(module IN LISTS ${room}_PUBLIC) # once installed, haftConfig.cmake finds them
            string(TOUPPER ${module} module)
            target_link_libraries(${library} INTERFACE $<BUILD_INTERFACE:PkgConfig::${module}>)
        endforeach()
    endforeach()
    add_library(haft::${target} ALIAS ${target})
    add_library(haft::${target}-static ALIAS ${target}_static)

    set(public ${${room}_PUBLIC})
    set(private ${${room}_MODULES})
    list(REMOVE_ITEM private ${public})
    set(static ${public} ${private})
    if(HAFT_INSTALL_SHARED AND HAFT_INSTALL_STATIC)
        haft_pkgconfig(${file} "${description}" -l${file} -lm "${public}" "${private}" "${${room}_PARTS}")
    elseif(HAFT_INSTALL_SHARED)
        haft_pkgconfig(${file} "${description}" -l${file} "" "${public}" "" "${${room}_PARTS}")
    else()
        haft_pkgconfig(${file} "${description}" "-l${file} -lm" "" "${static}" "" "${${room}_PARTS}")
    endif()
    set(export haft)
    if(${room}_EXPORT)
        set(export ${${room}_EXPORT})
    endif()
    if(HAFT_INSTALL_SHARED)
        install(TARGETS ${target} EXPORT ${export}Targets)
    endif()
    if(HAFT_INSTALL_STATIC)
        install(TARGETS ${target}_static EXPORT ${export}StaticTargets)
        haft_pkgconfig(${file}-static "${description}, linked in" "-l:lib${file}.a -lm" "" "${static}" ""
                       "${${room}_PARTS}")
    endif()
endfunction()

# haft_part(target) puts the shared library of an optional part where programs of the build tree look for it: static
# ones look beside the directory that they are in, as in an installed tree.
function(haft_part target)
    foreach(place "" tests/)
        set(directory ${PROJECT_BINARY_DIR}/${place}${CMAKE_INSTALL_LIBDIR})
        add_custom_command(TARGET ${target} POST_BUILD VERBATIM
            COMMAND ${CMAKE_COMMAND} -E make_directory ${directory}
            COMMAND ${CMAKE_COMMAND} -E create_symlink $<TARGET_FILE:${target}>
                    ${directory}/$<TARGET_SONAME_FILE_NAME:${target}>)
    endforeach()
    set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
endfunction()

# A program that loads plugins has all of a static library, of which it would take only what it needs
# itself, and shows them the public names, and no others, which could meet theirs.
function(haft_loads_plugins target library)
    target_link_options(${target} PRIVATE "LINKER:--export-dynamic-symbol=haft_*")
    target_link_libraries(${target} PRIVATE
        -Wl,--whole-archive ${library} -Wl,--no-whole-archive)
endfunction()
