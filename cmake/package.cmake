# What `cmake --install` puts down besides the libraries: headers, the CMake package and documentation.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/haft)

install(FILES include/haft.h include/haft.hpp TYPE INCLUDE)
install(DIRECTORY include/haft TYPE INCLUDE FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
set(exports haft)
if(TARGET http-client)
    list(APPEND exports haftHttpClient)
endif()
if(TARGET crypto)
    list(APPEND exports haftCrypto)
endif()
if(TARGET yaml)
    list(APPEND exports haftYaml)
endif()
if(TARGET sqlite)
    list(APPEND exports haftSqlite)
endif()
if(TARGET redis)
    list(APPEND exports haftRedis)
endif()
foreach(export IN LISTS exports)
    if(HAFT_INSTALL_SHARED)
        install(EXPORT ${export}Targets NAMESPACE haft:: DESTINATION ${package_dir})
    endif()
    if(HAFT_INSTALL_STATIC)
        install(EXPORT ${export}StaticTargets NAMESPACE haft:: DESTINATION ${package_dir})
    endif()
endforeach()

# What is in it, and what must be there for its static libraries.
set(PACKAGE_HTTP OFF)
set(PACKAGE_STATIC "YYJSON_FOUND AND PCRE2_FOUND")
if(NOT HAFT_CORE_ONLY)
    string(APPEND PACKAGE_STATIC " AND LIBUV_FOUND")
    if(HAFT_HTTP)
        set(PACKAGE_HTTP ON)
        string(APPEND PACKAGE_STATIC " AND LLHTTP_FOUND")
    endif()
endif()
configure_package_config_file(cmake/haftConfig.cmake.in ${PROJECT_BINARY_DIR}/haftConfig.cmake
    INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/haftConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/haftConfig.cmake ${PROJECT_BINARY_DIR}/haftConfigVersion.cmake
    DESTINATION ${package_dir})

# The reference is installed if the target `reference` (./dev docs), which needs node, has written it.
if(PROJECT_IS_TOP_LEVEL)
    set(HAFT_DOCS ${PROJECT_SOURCE_DIR}/build/docs CACHE PATH "Where the target reference writes manual pages and HTML")
    install(DIRECTORY ${HAFT_DOCS}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT docs OPTIONAL)
    install(DIRECTORY ${HAFT_DOCS}/html DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT docs OPTIONAL)
    install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT docs
        FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png")
    install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT docs
        FILES_MATCHING PATTERN "*.[ch]" PATTERN "*.cpp")
endif()
