/* base/list.h - intrusive doubly linked lists.
 *
 * `first` and `last` are the ends of the list; `previous` and `next` are the names of the link
 * members, which are NULL at the ends. The macros evaluate their arguments more than once. */
#ifndef HAFT_SRC_LIST_H
#define HAFT_SRC_LIST_H

/* ---- a list with two ends ---- */

#define LIST_APPEND(first, last, item, previous, next)                                             \
    do {                                                                                           \
        (item)->previous = (last);                                                                 \
        (item)->next = NULL;                                                                       \
        if (last)                                                                                  \
            (last)->next = (item);                                                                 \
        else                                                                                       \
            (first) = (item);                                                                      \
        (last) = (item);                                                                           \
    } while (0)

#define LIST_REMOVE(first, last, item, previous, next)                                             \
    do {                                                                                           \
        if ((item)->previous)                                                                      \
            (item)->previous->next = (item)->next;                                                 \
        else                                                                                       \
            (first) = (item)->next;                                                                \
        if ((item)->next)                                                                          \
            (item)->next->previous = (item)->previous;                                             \
        else                                                                                       \
            (last) = (item)->previous;                                                             \
    } while (0)

/* ---- a list with only a front ---- */

#define LIST_PUSH(first, item, previous, next)                                                     \
    do {                                                                                           \
        (item)->next = (first);                                                                    \
        (item)->previous = NULL;                                                                   \
        if (first)                                                                                 \
            (first)->previous = (item);                                                            \
        (first) = (item);                                                                          \
    } while (0)

#define LIST_TAKE(first, item, previous, next)                                                     \
    do {                                                                                           \
        if ((item)->next)                                                                          \
            (item)->next->previous = (item)->previous;                                             \
        if ((item)->previous)                                                                      \
            (item)->previous->next = (item)->next;                                                 \
        else                                                                                       \
            (first) = (item)->next;                                                                \
    } while (0)

#endif
