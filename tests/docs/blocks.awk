# Takes the fenced blocks of C and C++ out of a page.  Each becomes a file NNN.LINE.KIND.c or .cpp in `out`, where
# KIND is program (it has a main) or fragment; a block of text right after a program is what it prints, NNN.expected.
# A block of C that is neither is an error.  A block "c continued" follows the block of C before it in the same file, and is
# a program when it has a main.
/^```/ && !inside {
    inside = 1
    info = substr($0, 4)
    text = ""
    start = NR
    next
}
/^```/ && inside {
    inside = 0
    if (info ~ /^(c|cpp)( fragment)?$/ || info == "c continued") {
        kind = info ~ / fragment$/ ? "fragment" : "program"
        language = info
        sub(/ .*/, "", language)
        if (info == "c continued") {
            text = before text
            kind = text ~ /main\(/ ? "program" : "fragment"
        }
        before = text
        if (kind == "program" && text !~ /main\(/) {
            print FILENAME ":" start ": C without main( that is not marked as a fragment"
            failed = 1
        }
        count++
        file = sprintf("%s/%03d.%d.%s.%s", out, count, start, kind, language)
        printf "%s", text > file
        close(file)
        waiting = kind == "program" ? count : 0
    } else {
        if (info == "text" && waiting) {
            file = sprintf("%s/%03d.expected", out, waiting)
            printf "%s", text > file
            close(file)
        }
        waiting = 0
    }
    next
}
inside { text = text $0 "\n" }
END {
    if (inside) {
        print FILENAME ":" start ": the block does not end"
        failed = 1
    }
    exit failed
}
