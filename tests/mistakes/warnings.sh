# warnings.sh - what a user may have on. A compiled header is used only with the options that it was compiled with.
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror'
