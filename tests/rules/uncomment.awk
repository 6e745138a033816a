# Functions for the rules: FNR == 1 { uncomment_start() } and uncomment($0), which gives the line without its comments,
# those over several lines too.
function uncomment_start() { uncomment_inside = 0 }

function uncomment(line,    start, end, rest) {
    while (1) {
        if (uncomment_inside) {
            end = index(line, "*/")
            if (!end)
                return ""
            line = substr(line, end + 2)
            uncomment_inside = 0
        }
        start = index(line, "/*")
        if (!start)
            return line
        rest = substr(line, start + 2)
        end = index(rest, "*/")
        if (!end) {
            uncomment_inside = 1
            return substr(line, 1, start - 1)
        }
        line = substr(line, 1, start - 1) " " substr(rest, end + 2)
    }
}
