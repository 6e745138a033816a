"""A Conan 2 recipe that builds the tree that it lies in.  README.md says how to use it."""
import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir
from conan.tools.gnu import PkgConfigDeps

required_conan_version = ">=2.0"


class HaftRecipe(ConanFile):
    name = "haft"
    description = "Tools for models, served from C over the Model Context Protocol"
    license = "MIT"
    topics = ("mcp", "json-schema", "server")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "http_client": [True, False], "crypto": [True, False],
               "yaml": [True, False], "sqlite": [True, False], "redis": [True, False]}
    default_options = {"shared": False, "fPIC": True, "http_client": False, "crypto": False, "yaml": False,
                       "sqlite": False, "redis": False}

    @property
    def _tree(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        header = load(self, os.path.join(self._tree, "include", "haft", "version.h"))
        numbers = re.findall(r"#define HAFT_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header)
        self.version = ".".join(numbers)

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "haft.pc.in", "cmake/*", "include/*", "src/*"):
            copy(self, pattern, src=self._tree, dst=self.export_sources_folder)

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("haft is built on Linux")

    def configure(self):
        if self.options.shared:
            self.options.rm_safe("fPIC")
        self.settings.rm_safe("compiler.cppstd")
        self.settings.rm_safe("compiler.libcxx")

    def requirements(self):
        # Programs call yyjson's functions on what haft has read (haft/json.h).
        self.requires("yyjson/[>=0.9 <1]", transitive_headers=True, transitive_libs=True)
        self.requires("pcre2/[>=10.32 <11]")
        self.requires("libuv/[>=1.44 <2]")
        self.requires("llhttp/[>=9 <10]")
        if self.options.http_client:
            self.requires("libcurl/[>=7.87 <9]")
        if self.options.crypto:
            self.requires("openssl/[>=3 <4]")
        if self.options.yaml:
            self.requires("libyaml/[>=0.2.5 <1]")
        if self.options.sqlite:
            self.requires("sqlite3/[>=3.38 <4]")
        if self.options.redis:
            self.requires("hiredis/[>=0.14 <2]")

    def build_requirements(self):
        self.tool_requires("pkgconf/[>=2 <3]")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        shared = bool(self.options.shared)
        toolchain.cache_variables.update({
            "HAFT_INSTALL_SHARED": shared,
            "HAFT_INSTALL_STATIC": not shared,
            "HAFT_HTTP_CLIENT": bool(self.options.http_client),
            "HAFT_CRYPTO": bool(self.options.crypto),
            "HAFT_YAML": bool(self.options.yaml),
            "HAFT_SQLITE": bool(self.options.sqlite),
            "HAFT_REDIS": bool(self.options.redis),
            "HAFT_PROGRAM": False,
            "HAFT_TESTS": False,
            "HAFT_BENCH": False,
            "HAFT_EXAMPLES": False,
        })
        toolchain.generate()
        PkgConfigDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))
        CMake(self).install()
        # Conan makes these for whoever uses the package.
        rmdir(self, os.path.join(self.package_folder, "lib", "cmake"))
        rmdir(self, os.path.join(self.package_folder, "lib", "pkgconfig"))

    def package_info(self):
        engine = ["yyjson::yyjson", "pcre2::pcre2-8"]
        self._library("core", "haft-core", engine)
        self._library("haft", "haft", engine + ["libuv::libuv", "llhttp::llhttp"])
        if self.options.http_client:
            self._library("http-client", "haft-http-client", ["libcurl::libcurl", "llhttp::llhttp"])
        if self.options.crypto:
            self._library("crypto", "haft-crypto", ["openssl::ssl", "openssl::crypto"])
        if self.options.yaml:
            self._library("yaml", "haft-yaml", ["libyaml::libyaml"])
        if self.options.sqlite:
            self._library("sqlite", "haft-sqlite", ["sqlite3::sqlite3"])
        if self.options.redis:
            self._library("redis", "haft-redis", ["hiredis::hiredis"])

    def _library(self, component, library, requires):
        info = self.cpp_info.components[component]
        info.libs = [library]
        info.requires = requires
        info.system_libs = ["m", "pthread", "dl"]
        info.set_property("cmake_target_name", f"haft::{component}")
        info.set_property("pkg_config_name", library)
