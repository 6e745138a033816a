#!/bin/sh
# certificates.sh DIRECTORY - what a test of TLS needs: two authorities, and certificates of the first one.
set -eu
cd "$1"

authority() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1.key" -out "$1.pem" \
        -days 2 -subj "/CN=$1" -addext basicConstraints=critical,CA:TRUE
}

# certificate NAME ALTERNATIVE-NAME START END
certificate() {
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1.key" -out "$1.csr" -subj "/CN=$1"
    printf 'subjectAltName=%s\n' "$2" >"$1.ext"
    openssl ca -batch -notext -config ca.conf -in "$1.csr" -out "$1.pem" -extfile "$1.ext" \
        -startdate "$3" -enddate "$4"
}

cat >ca.conf <<CONF
[ca]
default_ca = one
[one]
new_certs_dir = .
database = index
rand_serial = yes
certificate = authority.pem
private_key = authority.key
default_md = sha256
policy = any
[any]
commonName = supplied
CONF
: >index
{
    authority authority
    authority stranger
    certificate here IP:127.0.0.1,DNS:localhost 20200101000000Z 20700101000000Z
    certificate elsewhere DNS:elsewhere.test 20200101000000Z 20700101000000Z
    certificate expired IP:127.0.0.1 20200101000000Z 20200201000000Z
    certificate future IP:127.0.0.1 20690101000000Z 20700101000000Z
    certificate visitor DNS:visitor.test 20200101000000Z 20700101000000Z
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout itself.key -out itself.pem \
        -days 2 -subj /CN=itself -addext subjectAltName=IP:127.0.0.1
    mkdir trusted
    cp authority.pem trusted
    openssl rehash trusted
} >log 2>&1 || { cat log; exit 1; }
