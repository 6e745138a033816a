/* metaschema.c - the metaschemas of the drafts that have a single one: 04, 06 and 07.
 *
 * They have the constraints of the published ones without the descriptions. ' stands for ", for
 * readability; none of them contains a '. They are parsed only when they are referenced. */
#include "schema/document/dialect.h"

/* Common to draft-06 and draft-07. */
#define DEFINITIONS                                                                                \
    "'definitions':{"                                                                              \
    "'schemaArray':{'type':'array','minItems':1,'items':{'$ref':'#'}},"                            \
    "'nonNegativeInteger':{'type':'integer','minimum':0},"                                         \
    "'nonNegativeIntegerDefault0':{'allOf':[{'$ref':'#/definitions/nonNegativeInteger'},"          \
    "{'default':0}]},"                                                                             \
    "'simpleTypes':{'enum':['array','boolean','integer','null','number','object','string']},"      \
    "'stringArray':{'type':'array','items':{'type':'string'},'uniqueItems':true,'default':[]}}"

#define SIZE "{'$ref':'#/definitions/nonNegativeInteger'}"
#define SIZE_0 "{'$ref':'#/definitions/nonNegativeIntegerDefault0'}"
#define SCHEMA "{'$ref':'#'}"
#define SCHEMAS "{'$ref':'#/definitions/schemaArray'}"
#define NAMES "{'$ref':'#/definitions/stringArray'}"
#define MAP "{'type':'object','additionalProperties':{'$ref':'#'},'default':{}}"
#define TEXT "{'type':'string'}"
#define NUMBER "{'type':'number'}"
#define TYPES                                                                                      \
    "{'anyOf':[{'$ref':'#/definitions/simpleTypes'},{'type':'array',"                              \
    "'items':{'$ref':'#/definitions/simpleTypes'},'minItems':1,'uniqueItems':true}]}"

#define PROPERTIES                                                                                 \
    "'$id':{'type':'string','format':'uri-reference'},"                                            \
    "'$schema':{'type':'string','format':'uri'},"                                                  \
    "'$ref':{'type':'string','format':'uri-reference'},"                                           \
    "'title':" TEXT ",'description':" TEXT ","                                                     \
    "'multipleOf':{'type':'number','exclusiveMinimum':0},"                                         \
    "'maximum':" NUMBER ",'exclusiveMaximum':" NUMBER ","                                          \
    "'minimum':" NUMBER ",'exclusiveMinimum':" NUMBER ","                                          \
    "'maxLength':" SIZE ",'minLength':" SIZE_0 ","                                                 \
    "'pattern':{'type':'string','format':'regex'},"                                                \
    "'additionalItems':" SCHEMA ",'items':{'anyOf':[" SCHEMA "," SCHEMAS "],'default':true},"      \
    "'maxItems':" SIZE ",'minItems':" SIZE_0 ",'uniqueItems':{'type':'boolean','default':false},"  \
    "'contains':" SCHEMA ",'maxProperties':" SIZE ",'minProperties':" SIZE_0 ","                   \
    "'required':" NAMES ",'additionalProperties':" SCHEMA ","                                      \
    "'definitions':" MAP ",'properties':" MAP ","                                                  \
    "'patternProperties':{'type':'object','additionalProperties':{'$ref':'#'},"                    \
    "'propertyNames':{'format':'regex'},'default':{}},"                                            \
    "'dependencies':{'type':'object','additionalProperties':{'anyOf':[" SCHEMA "," NAMES "]}},"    \
    "'propertyNames':" SCHEMA ",'type':" TYPES ",'format':" TEXT ","                               \
    "'allOf':" SCHEMAS ",'anyOf':" SCHEMAS ",'oneOf':" SCHEMAS ",'not':" SCHEMA

const struct metaschema hf_metaschemas_draft[] = {
    {"http://json-schema.org/draft-07/schema",
     "{'$schema':'http://json-schema.org/draft-07/schema#',"
     "'$id':'http://json-schema.org/draft-07/schema#'," DEFINITIONS ",'type':['object','boolean'],"
     "'properties':{" PROPERTIES ",'$comment':" TEXT ","
     "'default':true,'const':true,'examples':{'type':'array','items':true},"
     "'readOnly':{'type':'boolean','default':false},'writeOnly':{'type':'boolean','default':false},"
     "'enum':{'type':'array','items':true},'contentMediaType':" TEXT ",'contentEncoding':" TEXT ","
     "'if':" SCHEMA ",'then':" SCHEMA ",'else':" SCHEMA "},'default':true}"},
    {"http://json-schema.org/draft-06/schema",
     "{'$schema':'http://json-schema.org/draft-06/schema#',"
     "'$id':'http://json-schema.org/draft-06/schema#'," DEFINITIONS ",'type':['object','boolean'],"
     "'properties':{" PROPERTIES ",'default':{},'const':{},'examples':{'type':'array','items':{}},"
     "'enum':{'type':'array','minItems':1,'uniqueItems':true}},'default':{}}"},
    {"http://json-schema.org/draft-04/schema",
     "{'$schema':'http://json-schema.org/draft-04/schema#',"
     "'id':'http://json-schema.org/draft-04/schema#','definitions':{"
     "'schemaArray':{'type':'array','minItems':1,'items':{'$ref':'#'}},"
     "'positiveInteger':{'type':'integer','minimum':0},"
     "'positiveIntegerDefault0':{'allOf':[{'$ref':'#/definitions/positiveInteger'},{'default':0}]},"
     "'simpleTypes':{'enum':['array','boolean','integer','null','number','object','string']},"
     "'stringArray':{'type':'array','items':{'type':'string'},'minItems':1,'uniqueItems':true}},"
     "'type':'object','properties':{'id':" TEXT ",'$schema':" TEXT ",'title':" TEXT ","
     "'description':" TEXT ",'default':{},"
     "'multipleOf':{'type':'number','minimum':0,'exclusiveMinimum':true},"
     "'maximum':" NUMBER ",'exclusiveMaximum':{'type':'boolean'},"
     "'minimum':" NUMBER ",'exclusiveMinimum':{'type':'boolean'},"
     "'maxLength':{'$ref':'#/definitions/positiveInteger'},"
     "'minLength':{'$ref':'#/definitions/positiveIntegerDefault0'},"
     "'pattern':{'type':'string','format':'regex'},"
     "'additionalItems':{'anyOf':[{'type':'boolean'}," SCHEMA "],'default':{}},"
     "'items':{'anyOf':[" SCHEMA "," SCHEMAS "],'default':{}},"
     "'maxItems':{'$ref':'#/definitions/positiveInteger'},"
     "'minItems':{'$ref':'#/definitions/positiveIntegerDefault0'},"
     "'uniqueItems':{'type':'boolean','default':false},"
     "'maxProperties':{'$ref':'#/definitions/positiveInteger'},"
     "'minProperties':{'$ref':'#/definitions/positiveIntegerDefault0'},"
     "'required':" NAMES ","
     "'additionalProperties':{'anyOf':[{'type':'boolean'}," SCHEMA "],'default':{}},"
     "'definitions':" MAP ",'properties':" MAP ",'patternProperties':" MAP ","
     "'dependencies':{'type':'object','additionalProperties':{'anyOf':[" SCHEMA "," NAMES "]}},"
     "'enum':{'type':'array','minItems':1,'uniqueItems':true},"
     "'type':" TYPES ",'format':" TEXT ","
     "'allOf':" SCHEMAS ",'anyOf':" SCHEMAS ",'oneOf':" SCHEMAS ",'not':" SCHEMA "},"
     "'dependencies':{'exclusiveMaximum':['maximum'],'exclusiveMinimum':['minimum']},"
     "'default':{}}"},
    {NULL, NULL},
};
