/* home/person.h - the person at a client, who is asked before something is done that cannot be undone. */
#ifndef HAFT_TESTS_HOME_PERSON_H
#define HAFT_TESTS_HOME_PERSON_H

#include <stdio.h>
#include <string.h>
#include <yyjson.h>

#include "home/tools.h"
#include "support/test.h"

struct person {
    const char *says; /* the result of elicitation/create */
    unsigned asked;
    char question[256];
};

/* For `answer` of house_options, with a struct person as the context. */
static inline int person_answers(void *context, const char *method, haft_value *params,
                                 haft_buffer *ret_result)
{
    struct person *person = context;

    assert_string_equal(method, "elicitation/create");
    person->asked++;
    snprintf(person->question, sizeof person->question, "%s",
             yyjson_get_str(yyjson_obj_get(params, "message")));
    haft_buffer_puts(ret_result, person->says);
    return 0;
}

#endif
