/* metaschema_vocabulary.c - the metaschemas of 2019-09 and 2020-12, one for each vocabulary.
 *
 * As in metaschema.c, ' stands for ". The two drafts differ in how a vocabulary refers to the whole
 * (`$recursiveRef` or `$dynamicRef`) and in a few keywords, so the common parts are macros over a
 * SELF that the draft defines. */
#include "schema/document/dialect.h"

#define TEXT "{'type':'string'}"
#define NUMBER "{'type':'number'}"
#define BOOLEAN "{'type':'boolean','default':false}"
#define SIZE "{'$ref':'#/$defs/nonNegativeInteger'}"
#define SIZE_0 "{'$ref':'#/$defs/nonNegativeIntegerDefault0'}"
#define SCHEMAS "{'$ref':'#/$defs/schemaArray'}"
#define NAMES "{'$ref':'#/$defs/stringArray'}"
#define MAP(self) "{'type':'object','additionalProperties':" self ",'default':{}}"

#define OPENING_2020(name, title)                                                                  \
    "{'$schema':'https://json-schema.org/draft/2020-12/schema',"                                   \
    "'$id':'https://json-schema.org/draft/2020-12/" name "','$dynamicAnchor':'meta','title':'"     \
    title "','type':['object','boolean'],"
#define OPENING_2019(name, title)                                                                  \
    "{'$schema':'https://json-schema.org/draft/2019-09/schema',"                                   \
    "'$id':'https://json-schema.org/draft/2019-09/" name "','$recursiveAnchor':true,'title':'"     \
    title "','type':['object','boolean'],"
#define SELF_2020 "{'$dynamicRef':'#meta'}"
#define SELF_2019 "{'$recursiveRef':'#'}"

#define COMPATIBLE(self, names)                                                                    \
    "'definitions':" MAP(self) ",'dependencies':{'type':'object','additionalProperties':"          \
    "{'anyOf':[" self ",{'$ref':'" names "'}]},'default':{}}"

#define APPLICATOR(self)                                                                           \
    "'additionalProperties':" self ",'properties':" MAP(self) ","                                  \
    "'patternProperties':{'type':'object','additionalProperties':" self ","                        \
    "'propertyNames':{'format':'regex'},'default':{}},"                                            \
    "'dependentSchemas':{'type':'object','additionalProperties':" self "},"                        \
    "'propertyNames':" self ",'contains':" self ",'if':" self ",'then':" self ",'else':" self ","  \
    "'allOf':" SCHEMAS ",'anyOf':" SCHEMAS ",'oneOf':" SCHEMAS ",'not':" self
#define SCHEMA_ARRAY(self) "'$defs':{'schemaArray':{'type':'array','minItems':1,'items':" self "}}"

#define VALIDATION                                                                                 \
    "'properties':{'type':{'anyOf':[{'$ref':'#/$defs/simpleTypes'},{'type':'array',"               \
    "'items':{'$ref':'#/$defs/simpleTypes'},'minItems':1,'uniqueItems':true}]},"                   \
    "'const':true,'enum':{'type':'array','items':true},"                                           \
    "'multipleOf':{'type':'number','exclusiveMinimum':0},"                                         \
    "'maximum':" NUMBER ",'exclusiveMaximum':" NUMBER ","                                          \
    "'minimum':" NUMBER ",'exclusiveMinimum':" NUMBER ","                                          \
    "'maxLength':" SIZE ",'minLength':" SIZE_0 ","                                                 \
    "'pattern':{'type':'string','format':'regex'},"                                                \
    "'maxItems':" SIZE ",'minItems':" SIZE_0 ",'uniqueItems':" BOOLEAN ",'maxContains':" SIZE ","  \
    "'minContains':{'$ref':'#/$defs/nonNegativeInteger','default':1},"                             \
    "'maxProperties':" SIZE ",'minProperties':" SIZE_0 ",'required':" NAMES ","                    \
    "'dependentRequired':{'type':'object','additionalProperties':" NAMES "}},"                     \
    "'$defs':{'nonNegativeInteger':{'type':'integer','minimum':0},"                                \
    "'nonNegativeIntegerDefault0':{'$ref':'#/$defs/nonNegativeInteger','default':0},"              \
    "'simpleTypes':{'enum':['array','boolean','integer','null','number','object','string']},"      \
    "'stringArray':{'type':'array','items':{'type':'string'},'uniqueItems':true,'default':[]}}}"
#define METADATA                                                                                   \
    "'properties':{'title':" TEXT ",'description':" TEXT ",'default':true,'deprecated':" BOOLEAN   \
    ",'readOnly':" BOOLEAN ",'writeOnly':" BOOLEAN ",'examples':{'type':'array','items':true}}}"
#define FORMAT "'properties':{'format':" TEXT "}}"
#define CONTENT(self)                                                                              \
    "'properties':{'contentMediaType':" TEXT ",'contentEncoding':" TEXT ",'contentSchema':" self   \
    "}}"

const struct metaschema hf_metaschemas_vocabulary[] = {
#define ROW(name) "https://json-schema.org/draft/2020-12/" name
#define VOCABULARY(name) "'https://json-schema.org/draft/2020-12/vocab/" name "'"
    {ROW("schema"),
     OPENING_2020("schema", "Core and Validation specifications meta-schema")
     "'$vocabulary':{" VOCABULARY("core") ":true," VOCABULARY("applicator") ":true,"
     VOCABULARY("unevaluated") ":true," VOCABULARY("validation") ":true,"
     VOCABULARY("meta-data") ":true," VOCABULARY("format-annotation") ":true,"
     VOCABULARY("content") ":true},"
     "'allOf':[{'$ref':'meta/core'},{'$ref':'meta/applicator'},{'$ref':'meta/unevaluated'},"
     "{'$ref':'meta/validation'},{'$ref':'meta/meta-data'},{'$ref':'meta/format-annotation'},"
     "{'$ref':'meta/content'}],"
     "'properties':{" COMPATIBLE(SELF_2020, "meta/validation#/$defs/stringArray") ","
     "'$recursiveAnchor':{'$ref':'meta/core#/$defs/anchorString','deprecated':true},"
     "'$recursiveRef':{'$ref':'meta/core#/$defs/uriReferenceString','deprecated':true}}}"},
    {ROW("meta/core"),
     OPENING_2020("meta/core", "Core vocabulary meta-schema")
     "'properties':{'$id':{'$ref':'#/$defs/uriReferenceString','pattern':'^[^#]*#?$'},"
     "'$schema':{'$ref':'#/$defs/uriString'},'$ref':{'$ref':'#/$defs/uriReferenceString'},"
     "'$anchor':{'$ref':'#/$defs/anchorString'},"
     "'$dynamicRef':{'$ref':'#/$defs/uriReferenceString'},"
     "'$dynamicAnchor':{'$ref':'#/$defs/anchorString'},"
     "'$vocabulary':{'type':'object','propertyNames':{'$ref':'#/$defs/uriString'},"
     "'additionalProperties':{'type':'boolean'}},'$comment':" TEXT ",'$defs':{'type':'object',"
     "'additionalProperties':" SELF_2020 "}},"
     "'$defs':{'anchorString':{'type':'string','pattern':'^[A-Za-z_][-A-Za-z0-9._]*$'},"
     "'uriString':{'type':'string','format':'uri'},"
     "'uriReferenceString':{'type':'string','format':'uri-reference'}}}"},
    {ROW("meta/applicator"),
     OPENING_2020("meta/applicator", "Applicator vocabulary meta-schema")
     "'properties':{'prefixItems':" SCHEMAS ",'items':" SELF_2020 "," APPLICATOR(SELF_2020) "},"
     SCHEMA_ARRAY(SELF_2020) "}"},
    {ROW("meta/unevaluated"),
     OPENING_2020("meta/unevaluated", "Unevaluated applicator vocabulary meta-schema")
     "'properties':{'unevaluatedItems':" SELF_2020 ",'unevaluatedProperties':" SELF_2020 "}}"},
    {ROW("meta/validation"),
     OPENING_2020("meta/validation", "Validation vocabulary meta-schema") VALIDATION},
    {ROW("meta/meta-data"),
     OPENING_2020("meta/meta-data", "Meta-data vocabulary meta-schema") METADATA},
    {ROW("meta/format-annotation"),
     OPENING_2020("meta/format-annotation", "Format annotation vocabulary meta-schema") FORMAT},
    {ROW("meta/format-assertion"),
     OPENING_2020("meta/format-assertion", "Format assertion vocabulary meta-schema") FORMAT},
    {ROW("meta/content"),
     OPENING_2020("meta/content", "Content vocabulary meta-schema") CONTENT(SELF_2020)},
#undef ROW
#undef VOCABULARY
#define ROW(name) "https://json-schema.org/draft/2019-09/" name
#define VOCABULARY(name) "'https://json-schema.org/draft/2019-09/vocab/" name "'"
    {ROW("schema"),
     OPENING_2019("schema", "Core and Validation specifications meta-schema")
     "'$vocabulary':{" VOCABULARY("core") ":true," VOCABULARY("applicator") ":true,"
     VOCABULARY("validation") ":true," VOCABULARY("meta-data") ":true,"
     VOCABULARY("format") ":false," VOCABULARY("content") ":true},"
     "'allOf':[{'$ref':'meta/core'},{'$ref':'meta/applicator'},{'$ref':'meta/validation'},"
     "{'$ref':'meta/meta-data'},{'$ref':'meta/format'},{'$ref':'meta/content'}],"
     "'properties':{" COMPATIBLE(SELF_2019, "meta/validation#/$defs/stringArray") "}}"},
    {ROW("meta/core"),
     OPENING_2019("meta/core", "Core vocabulary meta-schema")
     "'properties':{'$id':{'type':'string','format':'uri-reference','pattern':'^[^#]*#?$'},"
     "'$schema':{'type':'string','format':'uri'},"
     "'$anchor':{'type':'string','pattern':'^[A-Za-z][-A-Za-z0-9.:_]*$'},"
     "'$ref':{'type':'string','format':'uri-reference'},"
     "'$recursiveRef':{'type':'string','format':'uri-reference'},'$recursiveAnchor':" BOOLEAN ","
     "'$vocabulary':{'type':'object','propertyNames':{'type':'string','format':'uri'},"
     "'additionalProperties':{'type':'boolean'}},'$comment':" TEXT ","
     "'$defs':" MAP(SELF_2019) "}}"},
    {ROW("meta/applicator"),
     OPENING_2019("meta/applicator", "Applicator vocabulary meta-schema")
     "'properties':{'additionalItems':" SELF_2019 ",'unevaluatedItems':" SELF_2019 ","
     "'unevaluatedProperties':" SELF_2019 ","
     "'items':{'anyOf':[" SELF_2019 "," SCHEMAS "]}," APPLICATOR(SELF_2019) "},"
     SCHEMA_ARRAY(SELF_2019) "}"},
    {ROW("meta/validation"),
     OPENING_2019("meta/validation", "Validation vocabulary meta-schema") VALIDATION},
    {ROW("meta/meta-data"),
     OPENING_2019("meta/meta-data", "Meta-data vocabulary meta-schema") METADATA},
    {ROW("meta/format"), OPENING_2019("meta/format", "Format vocabulary meta-schema") FORMAT},
    {ROW("meta/content"),
     OPENING_2019("meta/content", "Content vocabulary meta-schema") CONTENT(SELF_2019)},
#undef ROW
#undef VOCABULARY
    {NULL, NULL},
};
