# walls.awk - who uses whom, by the symbols of the objects.
#
# Reads lines "FILE SYMBOL TYPE", FILE a source below src/ without its ending, and `rooms`, the rooms from
# the lowest to the highest; `seam` has the symbols that do not count.  Prints each reference to a higher room, and the groups of files that need each
# other (strongly connected components), largest first.  Fails when there is a reference upward, a file in no
# room, or a group of more than `most` files.

BEGIN {
    n_rooms = split(rooms, list, /[ ;]+/)
    for (i = 1; i <= n_rooms; i++)
        rank[list[i]] = i
}

function room_of(file) {
    sub(/\/[^\/]*$/, "", file)
    return file
}

$3 == "U" { uses[$1, ++n_uses[$1]] = $2 }
$3 != "U" { home[$2] = $1 }
!($1 in seen) { seen[$1] = 1; files[++n_files] = $1 }

# Tarjan's algorithm; the recursion is as deep as the longest chain of files.
function visit(v,    i, w) {
    number[v] = low[v] = ++count
    stack[++height] = v
    waiting[v] = 1
    for (i = 1; i <= n_next[v]; i++) {
        w = next_of[v, i]
        if (!(w in number)) {
            visit(w)
            if (low[w] < low[v])
                low[v] = low[w]
        } else if (waiting[w] && number[w] < low[v])
            low[v] = number[w]
    }
    if (low[v] == number[v])
        pop_group(v)
}

function pop_group(v,    w, text, size) {
    do {
        w = stack[height--]
        waiting[w] = 0
        text = text " " w
        size++
    } while (w != v)
    if (size > 1) {
        groups[++n_groups] = text
        sizes[n_groups] = size
    }
}

function print_groups(    i, j, largest) {
    for (i = 1; i <= n_groups; i++) {
        largest = 0
        for (j = 1; j <= n_groups; j++)
            if (!printed[j] && sizes[j] > sizes[largest])
                largest = j
        printed[largest] = 1
        print "group of " sizes[largest] ":" groups[largest]
        if (sizes[largest] > most) {
            print "error: a group of more than " most " files"
            failed = 1
        }
    }
}

END {
    for (f = 1; f <= n_files; f++) {
        file = files[f]
        room = room_of(file)
        if (!(room in rank)) {
            print "error: " file " is in no room"
            failed = 1
        }
        for (i = 1; i <= n_uses[file]; i++) {
            symbol = uses[file, i]
            other = home[symbol]
            if (other == "" || other == file || index(seam, " " symbol " "))
                continue
            if (!((file, other) in edge)) {
                edge[file, other] = 1
                next_of[file, ++n_next[file]] = other
            }
            if (rank[room_of(other)] > rank[room]) {
                print "error: " file " uses " symbol " of " other ", which is in a higher room"
                failed = 1
            }
        }
    }
    sizes[0] = 0
    for (f = 1; f <= n_files; f++)
        if (!(files[f] in number))
            visit(files[f])
    print_groups()
    print n_files " files, " n_groups " groups"
    exit failed
}
