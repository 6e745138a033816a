# cmake -D SOURCE=DIR -D OUT=FILE -P commit.cmake - writes a header that defines HAFT_COMMIT, the commit of a source
# tree: seven digits, or "" if it is not known.  Runs in every build, and changes the file only if the commit has.
#
# A tarball has its commit in commit.txt, where git puts it (.gitattributes); otherwise git is asked, but not a
# repository that merely contains the tree.
set(commit "")
if(EXISTS ${SOURCE}/cmake/commit.txt)
    file(STRINGS ${SOURCE}/cmake/commit.txt commit REGEX "^[0-9a-f]+$")
endif()
find_program(GIT git)
if(NOT commit AND GIT AND EXISTS ${SOURCE}/.git)
    execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --verify HEAD
                    OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
string(SUBSTRING "${commit}" 0 7 commit)
file(CONFIGURE OUTPUT ${OUT} CONTENT "#define HAFT_COMMIT \"${commit}\"\n" @ONLY)
