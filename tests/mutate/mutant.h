/* The switch that a tree with faults is compiled with: every fault asks whether it is the one.  Included in front
 * of every source, so it includes nothing itself. */
#ifndef MUTANT_H
#define MUTANT_H

__attribute__((visibility("hidden"))) extern int mutant_chosen;
__attribute__((visibility("hidden"))) extern unsigned char *mutant_reached;

/* Returns 1 if fault `number` is switched on.  Marks it as reached when somebody wants to know. */
static inline __attribute__((unused)) int mutant_is(int number)
{
    if (mutant_reached)
        mutant_reached[number] = 1;
    return mutant_chosen == number;
}

#endif
