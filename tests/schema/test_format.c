/* test_format.c - every format, by rows that pass and rows that do not. */
#include "schema/text/format.h"

#include <stdio.h>
#include <string.h>

#include "support/failing.h"
#include "support/test.h"

enum { STEPS = 1000000, LIMIT = 16 << 20, MOST = 48 };

/* clang-format off */
static const struct {
    haft_format format;
    const char *texts[2][MOST]; /* valid, invalid */
} zod_rows[] = {
    {HAFT_FORMAT_EMAIL,
     {{"a@b.co", "o'neil+x_y-z@ex-ample.co.uk", "a.b@c.de", "'a@b.co"},
      {"", "a", "a@b", "@b.co", "a@", "a..b@c.de", ".a@b.co", "a.@b.co", "a'@b.co",
      "a@-b.co", "a@b.c", "a@b.c1", "a@b..co", "a b@c.de", "a@b.co\n", "\"a\"@b.co",
      "a@[1.2.3.4]", "\xC3\xA9@b.co", "a@b@c.de"}}},
    {HAFT_FORMAT_URL,
     {{"http://a", "https://example.com:443/x?y#z", "http:example.com", "HTTP:\\\\a",
      "ftp://u:p@h/", "mailto:x", "urn:isbn:1", "a:", "foo://", "foo://a%", "file:",
      "file:///x", "file://c:/x", "file://host/x", " http://a ", "http://a\nb",
      "http://[::1]:80/", "http://1.2.3", "http://0x7f.1", "http://4294967295",
      "http://a..b", "http://a_b", "http://%41", "http://m\xC3\xBCnchen.de",
      "http://xn--mnchen-3ya.de", "http://xn--ls8h.la", "http://xn---ls8h.la",
      "http://\xF0\x9F\x92\xA9.la",
      "http://\xEF\xBC\x91.\xEF\xBC\x92.\xEF\xBC\x93.\xEF\xBC\x94", "http://a:",
      "http://a:65535", "http://u@v@h", "javascript:x", "http://a\xC2\xAD" "b", "data:,x",
      "http://fa\xC3\x9F.de", "http://\xD7\x90\xD7\x91"},
      {"", "a", "//a", "http:", "http://", "http:///", "http://?", "http://:80", "http://u@",
      "http://a:65536", "http://a:8a", "http://a b", "http://a%20b", "http://a%",
      "http://a<b", "http://a^b", "http://a|b", "http://[::1", "http://[1.2.3.4]",
      "http://[::g]", "http://256.1.1.1", "http://1.2.3.4.5", "http://4294967296",
      "http://a.09", "http://1..2", "http://xn--a", "http://xn--", "http://\xC2\xAD",
      "http://\xCD\xB8", "http://%C3", "http://\xCC\x80" "a", "http://a\xD7\x90",
      "1http://a", "foo://a b", "foo://:1", "foo://u@", "foo://[x]", "foo://a:99999",
      "file://a:80", "file://a b", "\xC3\xA9://a"}}},
    {HAFT_FORMAT_HTTP_URL,
     {{"http://a.co", "HTTPS://Example.COM/x", "http://m\xC3\xBCnchen.de",
      "https://u:p@a.co:8080/?q", "  http://a.co  ", "http://xn--mnchen-3ya.de",
      "http://a-b.museum"},
      {"http://a", "http:a.co", "http:/a.co", "http:\\\\a.co", "ftp://a.co",
      "http://1.2.3.4", "http://[::1]", "http://a.co.", "http://a.c", "http://a.c1",
      "http://-a.co", "http://a_b.co", "http://a..co", "http://a+\xC3\xBC.de",
      "http://localhost", "\x01http://a.co", "ht\ttp://a.co", "http://a.\xD1\x80\xD1\x84"}}},
    {HAFT_FORMAT_UUID,
     {{"123e4567-e89b-12d3-a456-426614174000", "00000000-0000-0000-0000-000000000000",
      "ffffffff-ffff-ffff-ffff-ffffffffffff", "123E4567-E89B-82D3-B456-426614174000"},
      {"", "123e4567-e89b-92d3-a456-426614174000", "123e4567-e89b-02d3-a456-426614174000",
      "123e4567-e89b-12d3-c456-426614174000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
      "123e4567-e89b-12d3-a456-42661417400", "123e4567-e89b-12d3-a456-4266141740000",
      "123e4567e89b12d3a456426614174000", "g23e4567-e89b-12d3-a456-426614174000"}}},
    {HAFT_FORMAT_UUID_V4,
     {{"123e4567-e89b-42d3-a456-426614174000"},
      {"123e4567-e89b-12d3-a456-426614174000", "00000000-0000-0000-0000-000000000000"}}},
    {HAFT_FORMAT_UUID_V6,
     {{"123e4567-e89b-62d3-a456-426614174000"},
      {"123e4567-e89b-42d3-a456-426614174000"}}},
    {HAFT_FORMAT_UUID_V7,
     {{"123e4567-e89b-72d3-8456-426614174000"},
      {"123e4567-e89b-62d3-a456-426614174000"}}},
    {HAFT_FORMAT_GUID,
     {{"123e4567-e89b-f2d3-f456-426614174000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"},
      {"123e4567-e89b-f2d3-f456-42661417400g", "{123e4567-e89b-f2d3-f456-426614174000}"}}},
    {HAFT_FORMAT_EMOJI,
     {{"\xF0\x9F\x98\x80", "\xF0\x9F\x91\x8D\xF0\x9F\x8F\xBD", "1\xEF\xB8\x8F\xE2\x83\xA3",
      "\xF0\x9F\x87\xA9\xF0\x9F\x87\xAA",
      "\xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7",
      "\xF0\x9F\x98\x80\xF0\x9F\x98\x80"},
      {"", "1", "a", "\xF0\x9F\x98\x80" "a", "#", "\xE2\x80\x8D", "a\xF0\x9F\x98\x80",
      "\xEF\xB8\x8F"}}},
    {HAFT_FORMAT_NANOID,
     {{"V1StGXR8_Z5jdHi6B-myT"},
      {"V1StGXR8_Z5jdHi6B-my", "V1StGXR8_Z5jdHi6B-myTT", "V1StGXR8_Z5jdHi6B.myT"}}},
    {HAFT_FORMAT_CUID,
     {{"cjld2cjxh0000qzrmn831i7rn", "C123456"},
      {"djld2cjxh", "c12345", "c12345A", "c-123456", "c"}}},
    {HAFT_FORMAT_CUID2,
     {{"tz4a98xxat96iws9zmbrgj3a", "a", "0"},
      {"", "A", "a-b"}}},
    {HAFT_FORMAT_ULID,
     {{"01ARZ3NDEKTSV4RRFFQ69G5FAV", "01arz3ndektsv4rrffq69g5fav"},
      {"81ARZ3NDEKTSV4RRFFQ69G5FAV", "01ARZ3NDEKTSV4RRFFQ69G5FA",
      "01ARZ3NDEKTSV4RRFFQ69G5FAI", "01ARZ3NDEKTSV4RRFFQ69G5FAu"}}},
    {HAFT_FORMAT_XID,
     {{"9m4e2mr0ui3e8a215n4g", "9M4E2MR0UI3E8A215N4G"},
      {"9m4e2mr0ui3e8a215n4w", "9m4e2mr0ui3e8a215n4"}}},
    {HAFT_FORMAT_KSUID,
     {{"0ujtsYcgvSTl8PAuAdqWYSMnLOv"},
      {"0ujtsYcgvSTl8PAuAdqWYSMnLO", "0ujtsYcgvSTl8PAuAdqWYSMnLO-"}}},
    {HAFT_FORMAT_DATE_TIME,
     {{"2020-01-01T00:00:00Z", "2020-02-29T23:59:59.123456Z", "2000-02-29T00:00:00Z",
      "0000-01-01T00:00:00Z"},
      {"2020-01-01T00:00Z", "2019-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
      "2020-01-01T00:00:00", "2020-01-01T00:00:00+00:00", "2020-01-01t00:00:00Z",
      "2020-01-01T00:00:00z", "2020-01-01T24:00:00Z", "2020-01-01T00:60:00Z",
      "2020-01-01T00:00:60Z", "2020-01-01T00:00:00.Z", "2020-04-31T00:00:00Z",
      "2020-01-01 00:00:00Z", "20-01-01T00:00:00Z", ""}}},
    {HAFT_FORMAT_DATE_TIME_OFFSET,
     {{"2020-01-01T00:00:00Z", "2020-01-01T00:00:00+02:00", "2020-01-01T00:00:00.1-23:59"},
      {"2020-01-01T00:00+02:00", "2020-01-01T00:00:00", "2020-01-01T00:00:00+24:00",
      "2020-01-01T00:00:00+0200", "2020-01-01T00:00:00+02"}}},
    {HAFT_FORMAT_DATE_TIME_LOCAL,
     {{"2020-01-01T00:00:00Z", "2020-01-01T00:00:00", "2020-01-01T00:00",
      "2020-01-01T00:00:00.5"},
      {"2020-01-01T00:00Z", "2020-01-01", "2020-01-01T00:00:00+02:00", "2020-01-01T00"}}},
    {HAFT_FORMAT_DATE,
     {{"2020-02-29", "0000-02-29", "9999-12-31"},
      {"2021-02-29", "2020-00-01", "2020-13-01", "2020-01-00", "2020-01-32", "2020-1-1",
      "2020-01-01T", ""}}},
    {HAFT_FORMAT_TIME,
     {{"00:00", "23:59:59", "12:30:00.123"},
      {"24:00", "12:60", "12:30:60", "12:30:", "12:30:00.", "12", "12:30Z", "1:30", ""}}},
    {HAFT_FORMAT_DURATION,
     {{"P1Y2M3DT4H5M6S", "P1W", "PT0.5S", "PT5,5S", "P1Y2D", "PT1H2S", "P0D"},
      {"", "P", "PT", "P1YT", "P1Y1W", "P1WT1H", "P1.5Y", "PT1.5H", "-P1D", "P1S", "P2D1Y",
      "1Y", "P1", "PT.5S", "PT5.S"}}},
    {HAFT_FORMAT_IPV4,
     {{"0.0.0.0", "255.255.255.255", "1.2.3.4"},
      {"256.1.1.1", "01.2.3.4", "1.2.3", "1.2.3.4.5", "1.2.3.4 ", "1..2.3", "", "a.b.c.d",
      "1.2.3.1000"}}},
    {HAFT_FORMAT_IPV6,
     {{"::", "::1", "1::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8",
      "::ffff:1.2.3.4", "1:2:3:4:5:6:1.2.3.4", "1::2:1.2.3.4", "ABCD::ef01"},
      {"", ":", ":::", "1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "12345::",
      "::g", "1:2:3:4:5:6:7:8::", "::1.2.3", "::1.2.3.04", "1:2:3:4:5:6:7:1.2.3.4",
      "1.2.3.4", "::1%eth0", "1:", ":1", "::1\n"}}},
    {HAFT_FORMAT_MAC,
     {{"00:1A:2B:3C:4D:5E", "00:1a:2b:3c:4d:5e", "00:11:22:33:44:55"},
      {"00:1A:2b:3C:4D:5E", "00-1A-2B-3C-4D-5E", "001A2B3C4D5E", "00:1A:2B:3C:4D",
      "00:1A:2B:3C:4D:5G"}}},
    {HAFT_FORMAT_CIDR_V4,
     {{"0.0.0.0/0", "1.2.3.4/32", "10.0.0.0/8"},
      {"1.2.3.4", "1.2.3.4/33", "1.2.3.4/", "1.2.3.4/08", "1.2.3/8", "1.2.3.4/8/8"}}},
    {HAFT_FORMAT_CIDR_V6,
     {{"::/0", "::1/128", "fe80::1.2.3.4/64"},
      {"::1", "::1/129", "::1/", "::1/08", "/1", "::1/64/1"}}},
    {HAFT_FORMAT_BASE64,
     {{"", "AAAA", "aGk=", "aGl=", "AA==", "+/+/"},
      {"A", "AA", "AAA", "A===", "====", "AA=A", "AA==AA==", "A-_A", "AA A", "AAA=\n"}}},
    {HAFT_FORMAT_BASE64URL,
     {{"", "AAAA", "AAA", "AA", "a-_b"},
      {"A", "AAAAA", "AA==", "a+b/", "AA A"}}},
    {HAFT_FORMAT_E164,
     {{"+14155552671", "+1234567", "+123456789012345"},
      {"+123456", "+1234567890123456", "14155552671", "+0123456789", "+1 4155552671"}}},
    {HAFT_FORMAT_JWT,
     {{"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.x", "eyJhbGciOiJIUzI1NiJ9..",
      "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.."},
      {"", "..", "a.b", "a.b.c", "a.b.c.d", "eyJ0eXAiOiJKV1QifQ==.a.b",
      "eyJhbGciOiIifQ==.a.b", "eyJhbGciOjB9.a.b", "eyJ0eXAiOiJKV1MiLCJhbGciOiJhIn0=.a.b",
      "W10=.a.b", "bnVsbA==.a.b", "eyJhbGciOiJIUzI1NiJ9.a"}}},
    {HAFT_FORMAT_HOSTNAME,
     {{"a", "example.com", "a.b.", "1.2", "A-b.C"},
      {"", ".", "-a", "a-", "a..b", "a_b", "\xC3\xA9.com", "a b", "a.b.."}}},
    {HAFT_FORMAT_HEX,
     {{"", "0", "deadBEEF"},
      {"g", "0x1", " "}}},
    {HAFT_FORMAT_MD5,
     {{"d41d8cd98f00b204e9800998ecf8427e"},
      {"d41d8cd98f00b204e9800998ecf8427", "d41d8cd98f00b204e9800998ecf8427g"}}},
    {HAFT_FORMAT_SHA1,
     {{"da39a3ee5e6b4b0d3255bfef95601890afd80709"},
      {"da39a3ee5e6b4b0d3255bfef95601890afd8070"}}},
    {HAFT_FORMAT_SHA256,
     {{"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"e3b0"}}},
    {HAFT_FORMAT_SHA384,
     {{"0000000000000000000000000000000000000000000000000000000000000000000000000000000"
        "00000000000000000"},
      {"0000000000000000000000000000000000000000000000000000000000000000000000000000000"
        "0000000000000000"}}},
    {HAFT_FORMAT_SHA512,
     {{"fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
        "fffffffffffffffffffffffffffffffffffffffffffffffff"},
      {"fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
        "ffffffffffffffffffffffffffffffffffffffffffffffffff"}}},
    {HAFT_FORMAT_IBAN,
     {{"GB82WEST12345698765432", "DE89370400440532013000", "FR1420041010050500013M02606"},
      {"DE89370400440532013001", "gb82west12345698765432", "GB82 WEST 1234 5698 7654 32",
      "GB00WEST12345698765432", "G182WEST12345698765432", ""}}},
    {HAFT_FORMAT_CREDIT_CARD,
     {{"4111111111111111", "4111 1111 1111 1111", "4111-1111-1111-1111", "6304000000000000"},
      {"4111111111111112", "4111  111111111111", "-4111111111111111", "4111111111111111-",
      "00000000000", "", "4111_1111_1111_1111"}}},
    {HAFT_FORMAT_CURRENCY_CODE,
     {{"AED", "EUR", "USD", "ZWG", "XXX"},
      {"ZWL", "usd", "US", "USDX", "", "AAA", "|AF", "ED|"}}},
    {HAFT_FORMAT_LOWERCASE,
     {{"", "abc", "\xC3\xA9" "1", "\xC3\x89"},
      {"A", "aBc"}}},
    {HAFT_FORMAT_UPPERCASE,
     {{"", "ABC", "\xC3\x89" "1", "\xC3\xA9"},
      {"a", "AbC"}}},
};

static const struct {
    const char *format;
    const char *texts[2][MOST];
} rfc_rows[] = {
    {"date-time",
     {{"1963-06-19T08:30:06.283185Z", "1998-12-31T23:59:60Z",
      "1998-12-31T15:59:60.123-08:00", "1963-06-19t08:30:06z", "2020-01-01T00:00:00+23:59"},
      {"1998-12-31T23:59:61Z", "1998-12-31T23:58:60Z", "1990-02-31T15:59:59Z",
      "1963-06-19 08:30:06Z", "2013-350T01:01:01", "1963-06-19T08:30:06",
      "1963-06-19T08:30Z"}}},
    {"date",
     {{"2020-02-29"},
      {"2021-02-29", "06/19/1963"}}},
    {"time",
     {{"08:30:06Z", "23:59:60Z", "01:29:60+01:30", "00:29:60-23:30"},
      {"23:58:60Z", "12:00:00", "08:30:06 PST", "24:00:00Z"}}},
    {"duration",
     {{"P4DT12H30M5S", "P2W", "P1Y2M", "PT1M2S"},
      {"P1Y2D", "PT1H2S", "PT0.5S", "P1Y2W", "P", "PT", "P1YT"}}},
    {"email",
     {{"joe.bloggs@example.com", "\"joe bloggs\"@example.com", "a@[127.0.0.1]",
      "a@[IPv6:::1]", "a@[x:y]", "a@localhost", "te~st@example.com", "\"a\\\"b\"@c"},
      {"2962", ".a@b.c", "a.@b.c", "a..b@c", "a@", "@b", "a@b=c", "a@[127.0.0.300]",
      "a@[IPv6:::g]", "a@[x:y\x7F]", "a@[x: y]", "\xC3\xA9@b.c", "a b@c", "\"a@b.c", "a@b.",
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@b.c"}}},
#if HAFT_IDNA
    {"idn-email",
     {{"\xEC\x8B\xA4\xEB\xA1\x80@\xEC\x8B\xA4\xEB\xA1\x80.\xED\x85\x8C\xEC\x8A\xA4\xED\x8A\xB8",
      "a@b.c", "\"\xC3\xA9\"@b.c"},
      {"2962", "a@\xC3\xA9_b", "\xC3\xA9@", "\"\\\xC3\xA9\"@b.c", "\xC3\xA9..\xC3\xA9@b.c"}}},
#endif
    {"hostname",
     {{"a", "www.example.com", "xn--9n2bp8q.xn--9t4b11yi5a", "a--b", "xn--ll-0ea"},
      {"", "a.", "-a", "a-", "a_b", "xn--X", "xn--al-0ea", "xn--hello-txk", "\xC3\xA9.com",
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}}},
#if HAFT_IDNA
    {"idn-hostname",
     {{"\xEC\x8B\xA4\xEB\xA1\x80.\xED\x85\x8C\xEC\x8A\xA4\xED\x8A\xB8", "l\xC2\xB7l",
      "\xCE\xB1\xCD\xB5\xCE\xB2", "\xC3\x9F", "a\xE3\x80\x82" "b", "\xD7\x94\xD7\x99"},
      {"", "\xE3\x80\xAE\xEC\x8B\xA4\xEB\xA1\x80", "a\xC2\xB7l", "l\xC2\xB7",
      "\xCE\xB1\xCD\xB5", "-\xC3\xA9", "\xC3\xA9-", "ab--\xC3\xA9", "a\xE2\x80\x8D" "b",
      "0\xD7\x90", "a\xD7\x90", "a.", "\xC3\x89"}}},
#endif
    {"ipv4",
     {{"1.2.3.4"},
      {"01.2.3.4", "1.2.3"}}},
    {"ipv6",
     {{"::1", "::ffff:1.2.3.4"},
      {"12345::", "::1%1"}}},
    {"uri",
     {{"http://foo.bar/?baz=qux#quux", "http://foo.bar/?q=Test%20URL", "urn:oasis:names",
      "mailto:John.Doe@example.com", "http://[::1]:80/",
      "ldap://[2001:db8::7]/c=GB?objectClass?one", "http://[v1.a:b]/", "a:", "tel:+1-816"},
      {"", "//foo.bar", "/abc", "http://a b", "http://a%2", "http://a/<>", "http://[::g]",
      "http://a:b/", "http://a[b]", "http://\xC3\xA9", "bar,baz:foo", "http://a/{b}", ":a",
      "\\\\w", "http://a#b#c"}}},
    {"uri-reference",
     {{"", "/abc", "//a", "#f", "?q", "a/b:c", "abc"},
      {"a b", "\\\\w", "%", "1:a", "\xC3\xA9", "#a#b"}}},
    {"iri",
     {{"http://\xC6\x92\xC3\xB8\xC3\xB8.\xC3\x9F\xC3\xA5r/?\xE2\x88\x82\xC3\xA9\xC5\x93"
        "=\xCF\x80\xC3\xAEx#\xCF\x80\xC3\xAE\xC3\xBCx",
      "http://\xC3\xA9/?\xEE\x80\x80"},
      {"\xC3\xA9", "http://a b", "http://2001:0db8::7334", "http://a/\xEE\x80\x80"}}},
    {"iri-reference",
     {{"/\xC3\xA9", "#\xC6\x92", "\xC3\xA2\xCF\x80\xCF\x80"},
      {"\\\\\xC3\xA9", "#\xC6\x92\\"}}},
    {"uri-template",
     {{"", "http://a/{term:1}/{term}", "{+a,b*}", "{#x.y}", "{%41}", "\xC3\xA9"},
      {"{", "}", "{}", "{a,}", "{a:0}", "{a:10000}", "{a..b}", "{a b}", "a b", "{a=b}",
      "%zz", "{{a}"}}},
    {"uuid",
     {{"2EB8AA08-aa98-11ea-b4aa-73b441d16380", "00000000-0000-0000-0000-000000000000"},
      {"2eb8aa08-aa98-11ea-b4aa-73b441d1638", "2eb8aa08aa9811eab4aa73b441d16380"}}},
    {"json-pointer",
     {{"", "/", "/a/~0~1", "//"},
      {"a", "/~", "/~2", "#/a"}}},
    {"relative-json-pointer",
     {{"0", "1/a", "0#", "10"},
      {"", "/a", "01", "-1", "0##", "1a", "+1/a"}}},
    {"regex",
     {{"^a$", "(?<=a+)b", "[]"},
      {"^(abc]", "\\Z", "(?i)a"}}},
    {"jwt",
     {{NULL},
      {"a.b.c"}}},
    {"base64",
     {{"AA=="},
      {"A"}}},
};
/* clang-format on */

/* Compiled once: what a format shows, and what it advertises. */
struct compiled {
    haft_arena *arena;
    struct pattern *list;
    struct pattern_scratch scratch;
    const struct pattern *shown[HAFT_FORMAT_COUNT_], *advertised[HAFT_FORMAT_COUNT_];
};

static int compile_all(void **state)
{
    static struct compiled compiled;
    haft_reason error = {0};

    compiled.arena = haft_arena_new(NULL, LIMIT);
    compiled.scratch = (struct pattern_scratch){.arena = haft_arena_new(NULL, LIMIT)};
    for (int i = HAFT_FORMAT_NONE + 1; i < HAFT_FORMAT_COUNT_; i++) {
        const struct format *format = hf_format_of((haft_format)i);

        if (format->shown &&
            hf_pattern_compile(compiled.arena, &compiled.list, format->shown, strlen(format->shown),
                               format->shown_flags, STEPS, &compiled.shown[i], &error))
            fail_msg("%s: %s", format->name, error.text);
        if (format->pattern &&
            hf_pattern_compile(compiled.arena, &compiled.list, format->pattern,
                               strlen(format->pattern), "", STEPS, &compiled.advertised[i], &error))
            fail_msg("%s: %s", format->name, error.text);
    }
    *state = &compiled;
    return 0;
}

static int free_all(void **state)
{
    struct compiled *compiled = *state;

    hf_patterns_free(compiled->list);
    haft_arena_free(compiled->arena);
    haft_arena_free(compiled->scratch.arena);
    return 0;
}

/* Names that a build without IDNA judges otherwise have rows of their own. */
static bool is_international(const char *text)
{
    bool found = strstr(text, "xn--");

    for (; *text; text++)
        found |= (*text & 0x80) != 0;
    return found;
}

static bool judges(const char *format, const char *text)
{
    return HAFT_IDNA || !(strstr(format, "url") || strstr(format, "hostname")) ||
           !is_international(text);
}

typedef void check_text(struct compiled *compiled, haft_format id, const char *text, bool valid);

static void for_each_text(struct compiled *compiled, check_text *check)
{
    for (size_t i = 0; i < COUNT_OF(zod_rows); i++)
        for (size_t k = 0; k < 2; k++)
            for (const char *const *text = zod_rows[i].texts[k]; *text; text++)
                if (judges(hf_format_of(zod_rows[i].format)->name, *text))
                    check(compiled, zod_rows[i].format, *text, k == 0);
}

static void check_one(struct compiled *compiled, haft_format id, const char *text, bool valid)
{
    const struct format *format = hf_format_of(id);
    int match =
        hf_format_match(format, compiled->advertised[id], &compiled->scratch, text, strlen(text));

    if (match != valid)
        fail_msg("%s \"%s\": %d", format->name, text, match);
    if (format->check)
        assert_int_equal(format->check(text, strlen(text)), valid);
}

static void checks_as_zod_does(void **state)
{
    for_each_text(*state, check_one);
}

/* The pattern shown decides alone; the one advertised too, but for what no pattern can say. */
static void agree_on_one(struct compiled *compiled, haft_format id, const char *text, bool valid)
{
    bool near =
        id == HAFT_FORMAT_IBAN || id == HAFT_FORMAT_CREDIT_CARD || id == HAFT_FORMAT_HOSTNAME;
    size_t size = strlen(text);
    int match;

    if (compiled->shown[id])
        assert_int_equal(hf_pattern_match(compiled->shown[id], &compiled->scratch, text, size),
                         valid);
    if (!compiled->advertised[id] || (near && !valid))
        return;
    match = hf_pattern_match(compiled->advertised[id], &compiled->scratch, text, size);
    if (match != valid)
        fail_msg("%s \"%s\": %d", hf_format_of(id)->name, text, match);
}

static void patterns_agree_with_checks(void **state)
{
    for_each_text(*state, agree_on_one);
}

static void every_format_has_its_rows(void **state)
{
    unsigned seen[HAFT_FORMAT_COUNT_] = {0};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(zod_rows); i++)
        seen[zod_rows[i].format] |=
            (zod_rows[i].texts[0][0] ? 1 : 0) | (zod_rows[i].texts[1][0] ? 2 : 0);
    for (int i = HAFT_FORMAT_NONE + 1; i < HAFT_FORMAT_COUNT_; i++) {
        const struct format *format = hf_format_of((haft_format)i);

        assert_int_equal(seen[i], 3);
        assert_true(format->check || format->pattern);
        assert_non_null(format->name);
        assert_non_null(format->noun);
        assert_non_null(format->shown_flags);
        if (format->pattern) {
            assert_null(strstr(format->pattern, "(?="));
            assert_null(strstr(format->pattern, "(?!"));
            assert_null(strstr(format->pattern, "(?<"));
        }
    }
    assert_null(hf_format_of(HAFT_FORMAT_NONE));
    assert_null(hf_format_of(HAFT_FORMAT_COUNT_));
}

/* The limit on the whole name is one byte more when it ends in a dot. */
static void bounds_the_length_of_a_hostname(void **state)
{
    static const struct {
        size_t size;
        bool dot, zod, rfc;
    } rows[] = {{253, false, true, true}, {254, false, false, false}, {254, true, true, false}};
    bool (*zod)(const char *, size_t) = hf_format_of(HAFT_FORMAT_HOSTNAME)->check;
    char name[254];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (size_t k = 0; k < sizeof name; k++)
            name[k] = k % 50 == 49 ? '.' : 'a';
        if (rows[i].dot)
            name[rows[i].size - 1] = '.';
        assert_int_equal(zod(name, rows[i].size), rows[i].zod);
        assert_int_equal(hf_format_named("hostname", 8, 4)->check(name, rows[i].size), rows[i].rfc);
        assert_int_equal(hf_format_named("hostname", 8, 2020)->check(name, rows[i].size),
                         rows[i].rfc);
    }
}

static void checks_as_the_rfcs_say(void **state)
{
    struct compiled *compiled = *state;

    for (size_t i = 0; i < COUNT_OF(rfc_rows); i++) {
        const char *name = rfc_rows[i].format;
        const struct format *format = hf_format_named(name, strlen(name), 2020);

        assert_non_null(format);
        for (size_t k = 0; k < 2; k++)
            for (const char *const *text = rfc_rows[i].texts[k]; *text; text++) {
                size_t size = strlen(*text);
                int match;

                if (!judges(name, *text))
                    continue;
                match = hf_format_match(format, NULL, &compiled->scratch, *text, size);
                if (match != (k == 0))
                    fail_msg("%s \"%s\": %d", name, *text, match);
                assert_int_equal(format->check(*text, size), k == 0);
            }
    }
}

/* Without IDNA an A-label is taken as it is, and what is not ASCII is not taken. */
static void international_names(void **state)
{
    static const struct {
        const char *format; /* NULL: a URL by Zod */
        const char *text;
        bool with, without;
    } rows[] = {
        {NULL, "http://a.co/\xC3\xBC", true, true},
        {NULL, "http://m\xC3\xBCnchen.de", true, false},
        {NULL, "http://\xEF\xBC\x91.\xEF\xBC\x92", true, true}, /* digits, but wide */
        {NULL, "http://\xCD\xB8", false, false},
        {NULL, "http://xn--mnchen-3ya.de", true, true},
        {NULL, "http://xn--a", false, true},
        {NULL, "http://a b.xn--a", false, false},
        {"hostname", "xn--9n2bp8q.xn--9t4b11yi5a", true, true},
        {"hostname", "xn--hello-txk", false, true},
        {"hostname", "\xC3\xA9.com", false, false},
        {"email", "a@\xC3\xA9.com", false, false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *name = rows[i].format;
        const struct format *format =
            name ? hf_format_named(name, strlen(name), 2020) : hf_format_of(HAFT_FORMAT_URL);
        bool expected = HAFT_IDNA ? rows[i].with : rows[i].without;

        if (format->check(rows[i].text, strlen(rows[i].text)) != expected)
            fail_msg("%s \"%s\" is not %d", format->name, rows[i].text, expected);
    }
}

static void names_belong_to_drafts(void **state)
{
    static const int drafts[] = {4, 6, 7, 2019, 2020};
    static const struct {
        const char *name;
        int first; /* draft that has it; 0 for none */
    } rows[] = {
        {"date-time", 4},
        {"email", 4},
        {"hostname", 4},
        {"ipv4", 4},
        {"ipv6", 4},
        {"uri", 4},
        {"uri-reference", 6},
        {"uri-template", 6},
        {"json-pointer", 6},
        {"date", 7},
        {"time", 7},
        {"regex", 4},
        {"idn-email", HAFT_IDNA ? 7 : 0},
        {"idn-hostname", HAFT_IDNA ? 7 : 0},
        {"iri", 7},
        {"iri-reference", 7},
        {"relative-json-pointer", 7},
        {"duration", 2019},
        {"uuid", 2019},
        {"nanoid", 4},
        {"jwt", 4},
        {"base64", 4},
        {"emoji", 4},
        {"unknown", 0},
        {"", 0},
        {"EMAIL", 0},
        {"guid", 0},
        {"datetime", 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (size_t k = 0; k < COUNT_OF(drafts); k++) {
            const struct format *format =
                hf_format_named(rows[i].name, strlen(rows[i].name), drafts[k]);

            if ((format != NULL) != (rows[i].first && drafts[k] >= rows[i].first))
                fail_msg("%s in %d", rows[i].name, drafts[k]);
            if (format)
                assert_string_equal(format->json_name, rows[i].name);
        }
    assert_null(hf_format_named("emails", 6, 2020));
    assert_non_null(hf_format_named("emails", 5, 2020));
}

/* Every character in every place of a UUID. */
static void places_of_a_uuid(void **state)
{
    static const struct {
        haft_format format;
        const char *text, *versions, *variants;
    } rows[] = {
        {HAFT_FORMAT_GUID, "123e4567-e89b-12d3-a456-426614174000", "0123456789abcdefABCDEF",
         "0123456789abcdefABCDEF"},
        {HAFT_FORMAT_UUID, "123e4567-e89b-12d3-a456-426614174000", "12345678", "89abAB"},
        {HAFT_FORMAT_UUID_V4, "123e4567-e89b-42d3-a456-426614174000", "4", "89abAB"},
        {HAFT_FORMAT_UUID_V6, "123e4567-e89b-62d3-a456-426614174000", "6", "89abAB"},
        {HAFT_FORMAT_UUID_V7, "123e4567-e89b-72d3-a456-426614174000", "7", "89abAB"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (size_t at = 0; rows[i].text[at]; at++)
            for (int c = 1; c < 256; c++) {
                const char *set = rows[i].text[at] == '-' ? "-"
                                  : at == 14              ? rows[i].versions
                                  : at == 19              ? rows[i].variants
                                                          : "0123456789abcdefABCDEF";
                char text[37];

                memcpy(text, rows[i].text, sizeof text);
                text[at] = (char)c;
                if (hf_format_of(rows[i].format)->check(text, 36) != (strchr(set, c) != NULL))
                    fail_msg("%s: %d at %zu", rows[i].text, c, at);
            }
}

/* Text with a NUL in it is text like any other. */
static void append_nul(struct compiled *compiled, haft_format id, const char *text, bool valid)
{
    static const haft_format forgiving[] = {HAFT_FORMAT_URL, HAFT_FORMAT_HTTP_URL, HAFT_FORMAT_JWT,
                                            HAFT_FORMAT_LOWERCASE, HAFT_FORMAT_UPPERCASE};

    for (size_t i = 0; i < COUNT_OF(forgiving); i++)
        valid = valid && id != forgiving[i];
    if (valid)
        assert_int_equal(hf_format_match(hf_format_of(id), compiled->advertised[id],
                                         &compiled->scratch, text, strlen(text) + 1),
                         0);
}

static void a_nul_ends_nothing(void **state)
{
    for_each_text(*state, append_nul);
}

static void survives_every_failed_allocation(void **state)
{
    static const struct {
        const char *name, *text;
    } rows[] = {
        {"jwt", "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.x"},
        {"regex", "^(?<n>[a-z]+)\\k<n>$"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (size_t nth = 1;; nth++) {
            const struct format *format = hf_format_named(rows[i].name, strlen(rows[i].name), 2020);
            struct failing memory;
            haft_arena *arena;

            failing_init(&memory, nth);
            arena = haft_arena_new(&memory.allocator, LIMIT);
            if (arena) {
                struct pattern_scratch scratch = {.arena = arena};
                int match =
                    hf_format_match(format, NULL, &scratch, rows[i].text, strlen(rows[i].text));

                assert_int_equal(match, memory.failures ? HAFT_ENOMEM : 1);
                assert_int_equal(haft_arena_used(arena), 0);
            }
            haft_arena_free(arena);
            failing_check(&memory);
            if (!memory.failures)
                break;
        }
}

/* What the lane from text trusts: the texts of these formats have one size, and nothing in them that
 * JSON writes otherwise. */
static void sized_formats_are_plain(void **state)
{
    static const char plain[] = "-_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const struct {
        haft_format format;
        const char *text;
    } rows[] = {
        {HAFT_FORMAT_UUID, "123e4567-e89b-12d3-a456-426614174000"},
        {HAFT_FORMAT_UUID_V4, "123e4567-e89b-42d3-a456-426614174000"},
        {HAFT_FORMAT_UUID_V6, "123e4567-e89b-62d3-a456-426614174000"},
        {HAFT_FORMAT_UUID_V7, "123e4567-e89b-72d3-a456-426614174000"},
        {HAFT_FORMAT_GUID, "123e4567-e89b-02d3-0456-426614174000"},
        {HAFT_FORMAT_NANOID, "aaaaaaaaaaaaaaaaaaaaa"},
        {HAFT_FORMAT_ULID, "01111111111111111111111111"},
        {HAFT_FORMAT_XID, "aaaaaaaaaaaaaaaaaaaa"},
        {HAFT_FORMAT_KSUID, "aaaaaaaaaaaaaaaaaaaaaaaaaaa"},
        {HAFT_FORMAT_DATE, "2026-11-15"},
        {HAFT_FORMAT_MD5, "0123456789abcdef0123456789abcdef"},
        {HAFT_FORMAT_SHA1, "0123456789abcdef0123456789abcdef01234567"},
        {HAFT_FORMAT_SHA256, "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct format *format = hf_format_of(rows[i].format);
        size_t size = strlen(rows[i].text);
        char text[80];

        snprintf(text, sizeof text, "%sa", rows[i].text);
        assert_int_equal(hf_format_size(format), size);
        assert_true(format->check(text, size));
        assert_false(format->check(text, size - 1));
        assert_false(format->check(text, size + 1));
        for (size_t at = 0; at < size; at++) {
            char right = text[at];

            for (int c = 0; c < 256; c++) {
                text[at] = (char)c;
                if (format->check(text, size) && (!c || !strchr(plain, c)))
                    fail_msg("%s: byte %d", rows[i].text, c);
            }
            text[at] = right;
        }
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(sized_formats_are_plain),
        cmocka_unit_test(every_format_has_its_rows),
        cmocka_unit_test(checks_as_zod_does),
        cmocka_unit_test(patterns_agree_with_checks),
        cmocka_unit_test(bounds_the_length_of_a_hostname),
        cmocka_unit_test(checks_as_the_rfcs_say),
        cmocka_unit_test(international_names),
        cmocka_unit_test(names_belong_to_drafts),
        cmocka_unit_test(places_of_a_uuid),
        cmocka_unit_test(a_nul_ends_nothing),
        cmocka_unit_test(survives_every_failed_allocation),
    };

    return cmocka_run_group_tests(tests, compile_all, free_all);
}
