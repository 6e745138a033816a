# haft has no public archive yet: the port builds the tree that it lies in.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../../.." ABSOLUTE)
if(NOT EXISTS "${SOURCE_PATH}/include/haft/version.h")
    message(FATAL_ERROR "there is no haft in ${SOURCE_PATH}: use the port where it lies, as an overlay")
endif()

string(COMPARE EQUAL "${VCPKG_LIBRARY_LINKAGE}" "dynamic" shared)
string(COMPARE EQUAL "${VCPKG_LIBRARY_LINKAGE}" "static" static)
vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES
    crypto HAFT_CRYPTO
    http-client HAFT_HTTP_CLIENT
    redis HAFT_REDIS
    sqlite HAFT_SQLITE
    yaml HAFT_YAML)

vcpkg_find_acquire_program(PKGCONFIG)
vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        ${features}
        -DHAFT_INSTALL_SHARED=${shared}
        -DHAFT_INSTALL_STATIC=${static}
        -DHAFT_PROGRAM=OFF
        -DHAFT_TESTS=OFF
        -DHAFT_BENCH=OFF
        -DHAFT_EXAMPLES=OFF
        "-DPKG_CONFIG_EXECUTABLE=${PKGCONFIG}")
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/haft)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
