/* soak_driver.c - the server of the fault tests as a program, for those who load it for long. */
#include "fault/peer.h"

int main(int argc, char **argv)
{
    static char site[] = "isolated";

    if (argc > 0)
        argv[0] = site;
    return site_run(argc, argv);
}
