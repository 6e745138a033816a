#!/bin/sh
# An optional part, installed: loaded by a program that needs it and by no other, missed by its name, and linked
# into a program.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
cp -a "$PREFIX" "$prefix" # parts of it are removed
libdir=$(dirname "$(find "$prefix" -name haft.pc)")
export PKG_CONFIG_PATH="$libdir"
libdir=$(dirname "$libdir")
[ -e "$libdir/libhaft-http-client.so" ] || { echo "it is not installed: was libcurl there?"; exit 77; }

cat >"$work/program.c" <<'END_C'
#include <haft.h>
#if defined STATIC_PART
#include <haft/part.h>
#endif
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int is_loaded(const char *name)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[1024];
    int found = 0;

    while (maps && fgets(line, sizeof line, maps))
        found = found || strstr(line, name);
    if (maps)
        fclose(maps);
    return found;
}

int main(void)
{
    haft_server *server = haft_server_new("test", "1");
    haft_reason reason = {0};
    haft_otlp *otlp;

#if defined STATIC_PART
    if (haft_part_register(&haft_http_client_part))
        return 2;
#endif
    printf("%s%d ", getuid() == geteuid() ? "" : "setuid ", is_loaded("libcurl"));
    otlp = haft_otlp_new(server, HAFT_WITH(haft_otlp_options, .url = "https://127.0.0.1:1"), &reason);
    printf("%s %d %d\n", otlp ? "sends" : reason.text, is_loaded("libcurl"),
           is_loaded("libhaft-http-client"));
    haft_otlp_free(otlp);
    haft_server_free(server);
    return 0;
}
END_C
cd "$work"

expect() {
    got=$(env $2 ./bin/program)
    case $got in
    $1) ;;
    *) echo "printed '$got', expected '$1'"; exit 1 ;;
    esac
}
lack() { mkdir -p away; mv "$libdir"/libhaft-http-client.so* away; }
have() { mv away/* "$libdir"; }
ln -s prefix/bin bin

echo "== libhaft shared"
cc program.c $(pkg-config --cflags --libs haft) -Wl,-rpath,"$libdir" -o bin/program
! ldd bin/program | grep -E 'libcurl|libssl|libhaft-http-client'
! ldd "$libdir"/libhaft.so | grep -E 'libcurl|libssl|libhaft-http-client'
expect '0 sends 1 1' A=b
lack
expect "0 needs the package libhaft-http-client: $libdir/libhaft-http-client.so.*: cannot open * 0 0" A=b
# No variable says where.
expect '0 needs the package *' "LD_LIBRARY_PATH=$work/away"
have

echo "== libhaft static, the part beside the program"
cc program.c $(pkg-config --cflags haft) "$libdir/libhaft.a" -Wl,--as-needed \
    $(pkg-config --static --libs haft | sed 's/-lhaft //') -o bin/program
expect '0 sends 1 1' A=b
lack
expect '0 needs the package libhaft-http-client: *' A=b
have

# With more rights than whoever starts it, a program does not look around itself: anybody could link to it.
if [ "$(id -u)" -eq 0 ]; then
    chown 65534 bin/program && chmod 4755 bin/program && chmod 755 "$work" "$prefix" "$prefix/bin"
    case $(./bin/program) in
    setuid*) expect 'setuid 0 needs the package libhaft-http-client: *' A=b ;;
    *) echo "no setuid programs here" ;;
    esac
    rm bin/program
fi

echo "== libhaft static, the part linked in"
cc -DSTATIC_PART program.c -Wl,--as-needed $(pkg-config --cflags --libs haft-http-client-static haft-static) \
    -o bin/program
lack
expect '1 sends 1 0' A=b
have

echo "== CMake"
mkdir cmake
cp program.c cmake
cat >cmake/CMakeLists.txt <<'END_CMAKE'
cmake_minimum_required(VERSION 3.22)
project(user C)
find_package(haft 0.2 REQUIRED COMPONENTS http-client)
add_executable(program program.c)
target_compile_definitions(program PRIVATE STATIC_PART)
target_link_libraries(program PRIVATE haft::haft-static haft::http-client-static)
END_CMAKE
cmake -S cmake -B cmake/build -G Ninja -DCMAKE_PREFIX_PATH="$prefix" >cmake/log && cmake --build cmake/build >>cmake/log ||
    { cat cmake/log; exit 1; }
[ "$(cmake/build/program)" = "1 sends 1 0" ]

echo "== TLS is loaded by servers with a certificate only"
[ -e "$libdir/libhaft-crypto.so" ] || { echo "libhaft-crypto is not installed: was OpenSSL there?"; exit 0; }
cat >tls.c <<'END_C'
#include <haft.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static int is_loaded(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[1024];
    int found = 0;

    while (maps && fgets(line, sizeof line, maps))
        found = found || strstr(line, "libssl") || strstr(line, "libcrypto");
    if (maps)
        fclose(maps);
    return found;
}

static void on_ready(void *context, const char *url)
{
    (void)context;
    printf("%.7s %d ", url, is_loaded());
    raise(SIGTERM);
}

int main(void)
{
    static const char *const certificates[] = {"/nowhere.pem", NULL};
    haft_server *server = haft_server_new("test", "1");
    haft_reason reason = {0};

    printf("%d ", is_loaded());
    haft_http_serve(server, HAFT_WITH(haft_http_options, .address = "127.0.0.1:0", .ready = on_ready), &reason);
    haft_http_serve(server, HAFT_WITH(haft_http_options, .address = "127.0.0.1:0", .tls_certificates = certificates), &reason);
    printf("%s: %s %d\n", reason.path, reason.text, is_loaded());
    haft_server_free(server);
    return 0;
}
END_C
! ldd "$libdir"/libhaft.so | grep -E 'libssl|libcrypto'
ldd "$libdir"/libhaft-crypto.so | grep -q libssl
cc tls.c $(pkg-config --cflags --libs haft) -Wl,-rpath,"$libdir" -o bin/program
expect '0 http:// 0 /nowhere.pem: cannot read the certificate: No such file or directory 1' A=b
mkdir -p away && mv "$libdir"/libhaft-crypto.so* away
expect "0 http:// 0 TLS: needs the package libhaft-crypto: $libdir/libhaft-crypto.so.*: cannot open * 0" A=b
have
