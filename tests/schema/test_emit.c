/* test_emit.c - the JSON Schema of declared types, to the letter, in both dialects. */
#include "reading.h"
#include "shapes.h"

static void writes_the_whole_schema(void **state)
{
    static const struct {
        const haft_type *type;
        haft_emit_options options;
        const char *expected;
    } rows[] = {
        {&point_type,
         {.with_dialect = true},
         "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"type\":\"object\",\"pro"
         "perties\":{\"x\":{\"type\":\"number\",\"minimum\":-100,\"maximum\":100,\"description\":"
         "\"To the right\"},\"y\":{\"type\":\"number\",\"description\":\"Upwards\"}},\"required\""
         ":[\"x\",\"y\"],\"additionalProperties\":false}"},
        {&point_type,
         {.with_dialect = true, .dialect = HAFT_DRAFT_07},
         "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"type\":\"object\",\"properti"
         "es\":{\"x\":{\"type\":\"number\",\"minimum\":-100,\"maximum\":100,\"description\":\"To "
         "the right\"},\"y\":{\"type\":\"number\",\"description\":\"Upwards\"}},\"required\":[\"x"
         "\",\"y\"],\"additionalProperties\":false}"},
        {&point_type,
         {.use_defs = true},
         "{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"number\",\"minimum\":-100,\"maxi"
         "mum\":100,\"description\":\"To the right\"},\"y\":{\"type\":\"number\",\"description\":"
         "\"Upwards\"}},\"required\":[\"x\",\"y\"],\"additionalProperties\":false}"},
        {&ruled_type,
         {0},
         "{\"type\":\"object\",\"properties\":{\"whole\":{\"type\":\"integer\",\"minimum\":2,\"ma"
         "ximum\":10,\"multipleOf\":2,\"description\":\"An integer\"},\"between\":{\"type\":\"int"
         "eger\",\"exclusiveMinimum\":2,\"exclusiveMaximum\":10,\"description\":\"Another\"},\"re"
         "al\":{\"type\":\"number\",\"minimum\":0.5,\"maximum\":2.5,\"multipleOf\":0.5,\"descript"
         "ion\":\"A number\"},\"within\":{\"type\":\"number\",\"exclusiveMinimum\":0,\"exclusiveM"
         "aximum\":1,\"description\":\"Another\"},\"sized\":{\"type\":\"string\",\"minLength\":2,"
         "\"maxLength\":3,\"description\":\"A short one\"},\"patterned\":{\"type\":\"string\",\"p"
         "attern\":\"^[a-z]+$\",\"description\":\"Letters\"},\"mail\":{\"type\":\"string\",\"form"
         "at\":\"email\",\"pattern\":\"^(?:[A-Za-z0-9_'+\\\\-]+\\\\.)*[A-Za-z0-9_'+\\\\-]*[A-Za-z"
         "0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9\\\\-]*\\\\.)+[A-Za-z]{2,}$\",\"description\":\"An addr"
         "ess\"},\"parted\":{\"type\":\"string\",\"pattern\":\"^a\",\"allOf\":[{\"pattern\":\"z$"
         "\"},{\"pattern\":\"-\"}],\"description\":\"Parts\"},\"list\":{\"type\":\"array\",\"minI"
         "tems\":1,\"maxItems\":2,\"items\":{\"type\":\"integer\",\"description\":\"One\"},\"desc"
         "ription\":\"Some\"},\"set\":{\"type\":\"array\",\"uniqueItems\":true,\"items\":{\"type"
         "\":\"integer\",\"maximum\":9,\"description\":\"One\"},\"description\":\"Some\"},\"map\""
         ":{\"type\":\"object\",\"minProperties\":1,\"maxProperties\":2,\"propertyNames\":{\"type"
         "\":\"string\",\"pattern\":\"^[a-z]+$\"},\"additionalProperties\":{\"type\":\"integer\","
         "\"description\":\"One\"},\"description\":\"Some\"}},\"additionalProperties\":false}"},
        {&blank_type,
         {0},
         "{\"type\":\"object\",\"properties\":{\"flag\":{\"type\":[\"boolean\",\"null\"],\"descri"
         "ption\":\"Yes or no\"},\"count\":{\"type\":[\"integer\",\"null\"],\"description\":\"How"
         " many\"},\"ratio\":{\"type\":[\"number\",\"null\"],\"description\":\"How much\"},\"name"
         "\":{\"type\":[\"string\",\"null\"],\"description\":\"What it is called\"},\"blob\":{\"t"
         "ype\":[\"string\",\"null\"],\"format\":\"base64\",\"contentEncoding\":\"base64\",\"patt"
         "ern\":\"^$|^(?:[0-9a-zA-Z+/]{4})*(?:(?:[0-9a-zA-Z+/]{2}==)|(?:[0-9a-zA-Z+/]{3}=))?$\","
         "\"description\":\"Some bytes\"},\"paint\":{\"type\":[\"string\",\"null\"],\"enum\":[\"r"
         "ed\",\"green\",\"blue\",null],\"description\":\"Its colour\"},\"at\":{\"type\":[\"objec"
         "t\",\"null\"],\"properties\":{\"x\":{\"type\":\"number\",\"minimum\":-100,\"maximum\":1"
         "00,\"description\":\"To the right\"},\"y\":{\"type\":\"number\",\"description\":\"Upwar"
         "ds\"}},\"required\":[\"x\",\"y\"],\"additionalProperties\":false,\"description\":\"Wher"
         "e it is\"},\"shape\":{\"oneOf\":[{\"type\":\"object\",\"properties\":{\"kind\":{\"type"
         "\":\"string\",\"const\":\"circle\"},\"radius\":{\"type\":\"number\",\"exclusiveMinimum"
         "\":0,\"description\":\"In metres\"}},\"required\":[\"kind\",\"radius\"],\"additionalPro"
         "perties\":false},{\"type\":\"object\",\"properties\":{\"kind\":{\"type\":\"string\",\"c"
         "onst\":\"label\"},\"text\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":5,\"descr"
         "iption\":\"What it says\"}},\"required\":[\"kind\",\"text\"],\"additionalProperties\":f"
         "alse},{\"type\":\"null\"}],\"description\":\"What it looks like\"},\"link\":{\"type\":["
         "\"object\",\"null\"],\"properties\":{\"x\":{\"type\":\"number\",\"minimum\":-100,\"maxi"
         "mum\":100,\"description\":\"To the right\"},\"y\":{\"type\":\"number\",\"description\":"
         "\"Upwards\"}},\"required\":[\"x\",\"y\"],\"additionalProperties\":false,\"description\""
         ":\"Where it points\"},\"names\":{\"type\":[\"array\",\"null\"],\"items\":{\"type\":\"st"
         "ring\",\"description\":\"A name\"},\"description\":\"Other names\"},\"limits\":{\"type"
         "\":[\"object\",\"null\"],\"additionalProperties"
         "\":{\"type\":\"integer\",\"description\":\"A limit\"},\"description\":\"Limits by name"
         "\"},\"table\":{\"type\":[\"array\",\"null\"],\"items\":{\"type\":\"array\",\"maxItems\""
         ":3,\"items\":{\"type\":\"integer\",\"description\":\"A number\"},\"description\":\"A ro"
         "w\"},\"description\":\"A table\"},\"any\":{\"description\":\"Anything\"}},\"required\":"
         "[\"flag\",\"count\",\"ratio\",\"name\",\"blob\",\"paint\",\"at\",\"shape\",\"link\",\"n"
         "ames\",\"limits\",\"table\",\"any\"],\"additionalProperties\":false}"},
        {&settled_type,
         {0},
         "{\"type\":\"object\",\"properties\":{\"flag\":{\"type\":\"boolean\",\"default\":true,\""
         "description\":\"Yes or no\"},\"count\":{\"type\":\"integer\",\"minimum\":1,\"default\":"
         "7,\"description\":\"How many\"},\"ratio\":{\"type\":\"number\",\"default\":0.25,\"descr"
         "iption\":\"How much\"},\"name\":{\"type\":\"string\",\"default\":\"none\",\"description"
         "\":\"What it is called\"},\"blob\":{\"type\":\"string\",\"format\":\"base64\",\"content"
         "Encoding\":\"base64\",\"pattern\":\"^$|^(?:[0-9a-zA-Z+/]{4})*(?:(?:[0-9a-zA-Z+/]{2}==)|"
         "(?:[0-9a-zA-Z+/]{3}=))?$\",\"default\":\"aGk=\",\"description\":\"Some bytes\"},\"paint"
         "\":{\"type\":\"string\",\"enum\":[\"red\",\"green\",\"blue\"],\"default\":\"blue\",\"de"
         "scription\":\"Its colour\"},\"at\":{\"type\":\"object\",\"properties\":{\"x\":{\"type\""
         ":\"number\",\"minimum\":-100,\"maximum\":100,\"description\":\"To the right\"},\"y\":{"
         "\"type\":\"number\",\"description\":\"Upwards\"}},\"required\":[\"x\",\"y\"],\"addition"
         "alProperties\":false,\"default\":{\"x\":1,\"y\":2},\"description\":\"Where it is\"},\"s"
         "hape\":{\"type\":\"object\",\"oneOf\":[{\"type\":\"object\",\"properties\":{\"kind\":{"
         "\"type\":\"string\",\"const\":\"circle\"},\"radius\":{\"type\":\"number\",\"exclusiveMi"
         "nimum\":0,\"description\":\"In metres\"}},\"required\":[\"kind\",\"radius\"],\"addition"
         "alProperties\":false},{\"type\":\"object\",\"properties\":{\"kind\":{\"type\":\"string"
         "\",\"const\":\"label\"},\"text\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":5,"
         "\"description\":\"What it says\"}},\"required\":[\"kind\",\"text\"],\"additionalPropert"
         "ies\":false}],\"default\":{\"kind\":\"label\",\"text\":\"hi\"},\"description\":\"What i"
         "t looks like\"},\"link\":{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"number"
         "\",\"minimum\":-100,\"maximum\":100,\"description\":\"To the right\"},\"y\":{\"type\":"
         "\"number\",\"description\":\"Upwards\"}},\"required\":[\"x\",\"y\"],\"additionalPropert"
         "ies\":false,\"default\":{\"x\":3,\"y\":4},\"description\":\"Where it points\"},\"names"
         "\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"description\":\"A name\"},\"def"
         "ault\":[\"a\",\"b\"],\"description\":\"Other names\"},\"limits\":{\"type\":\"object\","
         "\"additionalProperties\":{\"type\":\"integer\","
         "\"description\":\"A limit\"},\"default\":{\"k\":1},\"description\":\"Limits by name\"},"
         "\"table\":{\"type\":\"array\",\"items\":{\"type\":\"array\",\"maxItems\":3,\"items\":{"
         "\"type\":\"integer\",\"description\":\"A number\"},\"description\":\"A row\"},\"default"
         "\":[[1],[]],\"description\":\"A table\"},\"any\":{\"default\":[null],\"description\":\""
         "Anything\"}},\"additionalProperties\":false}"},
        {&settled_type,
         {.use_defs = true, .dialect = HAFT_DRAFT_07},
         "{\"type\":\"object\",\"properties\":{\"flag\":{\"type\":\"boolean\",\"default\":true,\""
         "description\":\"Yes or no\"},\"count\":{\"type\":\"integer\",\"minimum\":1,\"default\":"
         "7,\"description\":\"How many\"},\"ratio\":{\"type\":\"number\",\"default\":0.25,\"descr"
         "iption\":\"How much\"},\"name\":{\"type\":\"string\",\"default\":\"none\",\"description"
         "\":\"What it is called\"},\"blob\":{\"type\":\"string\",\"format\":\"base64\",\"content"
         "Encoding\":\"base64\",\"pattern\":\"^$|^(?:[0-9a-zA-Z+/]{4})*(?:(?:[0-9a-zA-Z+/]{2}==)|"
         "(?:[0-9a-zA-Z+/]{3}=))?$\",\"default\":\"aGk=\",\"description\":\"Some bytes\"},\"paint"
         "\":{\"type\":\"string\",\"enum\":[\"red\",\"green\",\"blue\"],\"default\":\"blue\",\"de"
         "scription\":\"Its colour\"},\"at\":{\"allOf\":[{\"$ref\":\"#/definitions/point\"}],\"de"
         "fault\":{\"x\":1,\"y\":2},\"description\":\"Where it is\"},\"shape\":{\"type\":\"object"
         "\",\"oneOf\":[{\"type\":\"object\",\"properties\":{\"kind\":{\"type\":\"string\",\"cons"
         "t\":\"circle\"},\"radius\":{\"type\":\"number\",\"exclusiveMinimum\":0,\"description\":"
         "\"In metres\"}},\"required\":[\"kind\",\"radius\"],\"additionalProperties\":false},{\"t"
         "ype\":\"object\",\"properties\":{\"kind\":{\"type\":\"string\",\"const\":\"label\"},\"t"
         "ext\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":5,\"description\":\"What it sa"
         "ys\"}},\"required\":[\"kind\",\"text\"],\"additionalProperties\":false}],\"default\":{"
         "\"kind\":\"label\",\"text\":\"hi\"},\"description\":\"What it looks like\"},\"link\":{"
         "\"allOf\":[{\"$ref\":\"#/definitions/point\"}],\"default\":{\"x\":3,\"y\":4},\"descript"
         "ion\":\"Where it points\"},\"names\":{\"type\":\"array\",\"items\":{\"type\":\"string\""
         ",\"description\":\"A name\"},\"default\":[\"a\",\"b\"],\"description\":\"Other names\"}"
         ",\"limits\":{\"type\":\"object\",\"additionalPr"
         "operties\":{\"type\":\"integer\",\"description\":\"A limit\"},\"default\":{\"k\":1},\"d"
         "escription\":\"Limits by name\"},\"table\":{\"type\":\"array\",\"items\":{\"type\":\"ar"
         "ray\",\"maxItems\":3,\"items\":{\"type\":\"integer\",\"description\":\"A number\"},\"de"
         "scription\":\"A row\"},\"default\":[[1],[]],\"description\":\"A table\"},\"any\":{\"def"
         "ault\":[null],\"description\":\"Anything\"}},\"additionalProperties\":false,\"definitio"
         "ns\":{\"point\":{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"number\",\"minim"
         "um\":-100,\"maximum\":100,\"description\":\"To the right\"},\"y\":{\"type\":\"number\","
         "\"description\":\"Upwards\"}},\"required\":[\"x\",\"y\"],\"additionalProperties\":false"
         "}}}"},
        {&everything_type,
         {.use_defs = true},
         "{\"type\":\"object\",\"properties\":{\"flag\":{\"type\":\"boolean\",\"description\":\"Y"
         "es or no\"},\"count\":{\"type\":\"integer\",\"description\":\"How many\"},\"ratio\":{\""
         "type\":\"number\",\"description\":\"How much\"},\"name\":{\"type\":\"string\",\"descrip"
         "tion\":\"What it is called\"},\"blob\":{\"type\":\"string\",\"format\":\"base64\",\"con"
         "tentEncoding\":\"base64\",\"pattern\":\"^$|^(?:[0-9a-zA-Z+/]{4})*(?:(?:[0-9a-zA-Z+/]{2}"
         "==)|(?:[0-9a-zA-Z+/]{3}=))?$\",\"description\":\"Some bytes\"},\"paint\":{\"type\":\"st"
         "ring\",\"enum\":[\"red\",\"green\",\"blue\"],\"description\":\"Its colour\"},\"at\":{\""
         "$ref\":\"#/$defs/point\",\"description\":\"Where it is\"},\"shape\":{\"type\":\"object"
         "\",\"oneOf\":[{\"type\":\"object\",\"properties\":{\"kind\":{\"type\":\"string\",\"cons"
         "t\":\"circle\"},\"radius\":{\"type\":\"number\",\"exclusiveMinimum\":0,\"description\":"
         "\"In metres\"}},\"required\":[\"kind\",\"radius\"],\"additionalProperties\":false},{\"t"
         "ype\":\"object\",\"properties\":{\"kind\":{\"type\":\"string\",\"const\":\"label\"},\"t"
         "ext\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":5,\"description\":\"What it sa"
         "ys\"}},\"required\":[\"kind\",\"text\"],\"additionalProperties\":false}],\"description"
         "\":\"What it looks like\"},\"link\":{\"$ref\":\"#/$defs/point\",\"description\":\"Where"
         " it points\"},\"names\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"descriptio"
         "n\":\"A name\"},\"description\":\"Other names\"},\"path\":{\"type\":\"array\",\"items\""
         ":{\"$ref\":\"#/$defs/point\",\"description\":\"A step\"},\"description\":\"The way ther"
         "e\"},\"limits\":{\"type\":\"object\",\"addition"
         "alProperties\":{\"type\":\"integer\",\"description\":\"A limit\"},\"description\":\"Lim"
         "its by name\"},\"table\":{\"type\":\"array\",\"items\":{\"type\":\"array\",\"maxItems\""
         ":3,\"items\":{\"type\":\"integer\",\"description\":\"A number\"},\"description\":\"A ro"
         "w\"},\"description\":\"A table\"},\"any\":{\"description\":\"Anything\"}},\"required\":"
         "[\"flag\",\"count\",\"ratio\",\"name\",\"blob\",\"paint\",\"at\",\"shape\",\"link\",\"n"
         "ames\",\"path\",\"limits\",\"table\",\"any\"],\"additionalProperties\":false,\"$defs\":"
         "{\"point\":{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"number\",\"minimum\":"
         "-100,\"maximum\":100,\"description\":\"To the right\"},\"y\":{\"type\":\"number\",\"des"
         "cription\":\"Upwards\"}},\"required\":[\"x\",\"y\"],\"additionalProperties\":false}}}"},
        {&tree_type,
         {0},
         "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\",\"description\":\"It"
         "s name\"},\"next\":{\"$ref\":\"#\",\"description\":\"The one after it\"},\"children\":{"
         "\"type\":\"array\",\"items\":{\"$ref\":\"#\",\"description\":\"One below\"},\"descripti"
         "on\":\"Those below it\"}},\"required\":[\"name\"],\"additionalProperties\":false}"},
        {&tree_type,
         {.dialect = HAFT_DRAFT_07},
         "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\",\"description\":\"It"
         "s name\"},\"next\":{\"allOf\":[{\"$ref\":\"#\"}],\"description\":\"The one after it\"},"
         "\"children\":{\"type\":\"array\",\"items\":{\"allOf\":[{\"$ref\":\"#\"}],\"description"
         "\":\"One below\"},\"description\":\"Those below it\"}},\"required\":[\"name\"],\"additi"
         "onalProperties\":false}"},
        {&person_type,
         {0},
         "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\",\"description\":\"Th"
         "eir name\"},\"firm\":{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\""
         ",\"description\":\"Its name\"},\"owner\":{\"$ref\":\"#\",\"description\":\"Whose it is"
         "\"}},\"required\":[\"name\"],\"additionalProperties\":false,\"description\":\"Where the"
         "y work\"}},\"required\":[\"name\"],\"additionalProperties\":false}"},
        {&person_type,
         {.use_defs = true},
         "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\",\"description\":\"Th"
         "eir name\"},\"firm\":{\"$ref\":\"#/$defs/company\",\"description\":\"Where they work\"}"
         "},\"required\":[\"name\"],\"additionalProperties\":false,\"$defs\":{\"company\":{\"type"
         "\":\"object\",\"properties\":{\"name\":{\"type\":\"string\",\"description\":\"Its name"
         "\"},\"owner\":{\"$ref\":\"#\",\"description\":\"Whose it is\"}},\"required\":[\"name\"]"
         ",\"additionalProperties\":false}}}"},
        {&person_type,
         {.use_defs = true, .dialect = HAFT_DRAFT_07},
         "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\",\"description\":\"Th"
         "eir name\"},\"firm\":{\"allOf\":[{\"$ref\":\"#/definitions/company\"}],\"description\":"
         "\"Where they work\"}},\"required\":[\"name\"],\"additionalProperties\":false,\"definiti"
         "ons\":{\"company\":{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\","
         "\"description\":\"Its name\"},\"owner\":{\"allOf\":[{\"$ref\":\"#\"}],\"description\":"
         "\"Whose it is\"}},\"required\":[\"name\"],\"additionalProperties\":false}}}"},
        {&nest_type,
         {0},
         "{\"type\":\"array\",\"items\":{\"$ref\":\"#\",\"description\":\"A nest inside\"},\"desc"
         "ription\":\"Nests\"}"},
        {&expression_type,
         {0},
         "{\"type\":\"object\",\"oneOf\":[{\"type\":\"object\",\"properties\":{\"op\":{\"type\":"
         "\"string\",\"const\":\"literal\"},\"value\":{\"type\":\"number\",\"description\":\"The "
         "number\"}},\"required\":[\"op\",\"value\"],\"additionalProperties\":false},{\"type\":\""
         "object\",\"properties\":{\"op\":{\"type\":\"string\",\"const\":\"sum\"},\"left\":{\"$re"
         "f\":\"#\",\"description\":\"What is added to\"},\"right\":{\"$ref\":\"#\",\"description"
         "\":\"What is added\"}},\"required\":[\"op\",\"left\",\"right\"],\"additionalProperties"
         "\":false}]}"},
        {&expression_type,
         {.use_defs = true, .dialect = HAFT_DRAFT_07},
         "{\"type\":\"object\",\"oneOf\":[{\"type\":\"object\",\"properties\":{\"op\":{\"type\":"
         "\"string\",\"const\":\"literal\"},\"value\":{\"type\":\"number\",\"description\":\"The "
         "number\"}},\"required\":[\"op\",\"value\"],\"additionalProperties\":false},{\"type\":\""
         "object\",\"properties\":{\"op\":{\"type\":\"string\",\"const\":\"sum\"},\"left\":{\"all"
         "Of\":[{\"$ref\":\"#\"}],\"description\":\"What is added to\"},\"right\":{\"allOf\":[{\""
         "$ref\":\"#\"}],\"description\":\"What is added\"}},\"required\":[\"op\",\"left\",\"righ"
         "t\"],\"additionalProperties\":false}]}"},
        {&cat_type,
         {0},
         "{\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"integer\",\"minimum\":1,\"descr"
         "iption\":\"Its number\"},\"sound\":{\"type\":\"string\",\"description\":\"What it says"
         "\"},\"tame\":{\"type\":\"boolean\",\"default\":true,\"description\":\"Used to people\"}"
         "},\"required\":[\"id\",\"sound\"],\"additionalProperties\":false}"},
        {&grid_type,
         {0},
         "{\"type\":\"array\",\"items\":{\"type\":\"array\",\"maxItems\":3,\"items\":{\"type\":\""
         "integer\",\"description\":\"A number\"},\"description\":\"A row\"},\"description\":\"Ro"
         "ws of numbers\"}"},
        {&colour_type, {0}, "{\"type\":\"string\",\"enum\":[\"red\",\"green\",\"blue\"]}"},
        {&figure_type,
         {0},
         "{\"type\":\"object\",\"oneOf\":[{\"type\":\"object\",\"properties\":{\"kind\":{\"type\""
         ":\"string\",\"const\":\"circle\"},\"radius\":{\"type\":\"number\",\"exclusiveMinimum\":"
         "0,\"description\":\"In metres\"}},\"required\":[\"kind\",\"radius\"],\"additionalProper"
         "ties\":false},{\"type\":\"object\",\"properties\":{\"kind\":{\"type\":\"string\",\"cons"
         "t\":\"label\"},\"text\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":5,\"descript"
         "ion\":\"What it says\"}},\"required\":[\"kind\",\"text\"],\"additionalProperties\":fals"
         "e}]}"},
        {&open_minded_type,
         {0},
         "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\",\"description\":\"It"
         "s name\"}},\"additionalProperties\":true,\"title\":\"Open\",\"description\":\"Takes mor"
         "e\"}"},
        {&range_type,
         {0},
         "{\"type\":\"object\",\"properties\":{\"low\":{\"type\":\"integer\",\"minimum\":0,\"desc"
         "ription\":\"From\"},\"high\":{\"type\":\"integer\",\"description\":\"To\"}},\"required"
         "\":[\"low\",\"high\"],\"additionalProperties\":false}"},
        {&wordy_type,
         {0},
         "{\"type\":\"object\",\"properties\":{\"s\":{\"type\":\"string\",\"title\":\"T\",\"descr"
         "iption\":\"A \\\"text\\\"\\nof two lines\",\"examples\":[\"a\"],\"deprecated\":true},\""
         "a-b\":{\"type\":\"string\",\"x-mcp-header\":\"Region\",\"description\":\"Named\"},\"i\""
         ":{\"type\":\"integer\",\"minimum\":-9223372036854775807,\"maximum\":9223372036854775806"
         ",\"description\":\"Exact\"},\"extra\":{\"type\":\"object\","
         "\"additionalProperties\":{\"description\":\"Anything\"},\"description\":\"M"
         "ore\"}},\"required\":[\"s\"],\"additionalProperties\":false}"},
        {&journey_type,
         {.use_defs = true},
         "{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#/$defs/point\",\"description\":"
         "\"First\"},\"b\":{\"anyOf\":[{\"$ref\":\"#/$defs/point\"},{\"type\":\"null\"}],\"descri"
         "ption\":\"Second\"},\"c\":{\"$ref\":\"#/$defs/point\",\"default\":{\"x\":1,\"y\":2},\"d"
         "escription\":\"Third\"},\"more\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/poin"
         "t\",\"description\":\"One\"},\"description\":\"Others\"}},\"required\":[\"a\",\"b\",\"m"
         "ore\"],\"additionalProperties\":false,\"$defs\":{\"point\":{\"type\":\"object\",\"prope"
         "rties\":{\"x\":{\"type\":\"number\",\"minimum\":-100,\"maximum\":100,\"description\":\""
         "To the right\"},\"y\":{\"type\":\"number\",\"description\":\"Upwards\"}},\"required\":["
         "\"x\",\"y\"],\"additionalProperties\":false}}}"},
        {&journey_type,
         {.use_defs = true, .dialect = HAFT_DRAFT_07},
         "{\"type\":\"object\",\"properties\":{\"a\":{\"allOf\":[{\"$ref\":\"#/definitions/point"
         "\"}],\"description\":\"First\"},\"b\":{\"anyOf\":[{\"$ref\":\"#/definitions/point\"},{"
         "\"type\":\"null\"}],\"description\":\"Second\"},\"c\":{\"allOf\":[{\"$ref\":\"#/definit"
         "ions/point\"}],\"default\":{\"x\":1,\"y\":2},\"description\":\"Third\"},\"more\":{\"typ"
         "e\":\"array\",\"items\":{\"allOf\":[{\"$ref\":\"#/definitions/point\"}],\"description\""
         ":\"One\"},\"description\":\"Others\"}},\"required\":[\"a\",\"b\",\"more\"],\"additional"
         "Properties\":false,\"definitions\":{\"point\":{\"type\":\"object\",\"properties\":{\"x"
         "\":{\"type\":\"number\",\"minimum\":-100,\"maximum\":100,\"description\":\"To the right"
         "\"},\"y\":{\"type\":\"number\",\"description\":\"Upwards\"}},\"required\":[\"x\",\"y\"]"
         ",\"additionalProperties\":false}}}"},
        {&holder_type,
         {0},
         "{\"type\":\"object\",\"properties\":{\"t\":{\"$ref\":\"#/$defs/tree\",\"description\":"
         "\"A tree\"},\"p\":{\"anyOf\":[{\"$ref\":\"#/$defs/person\"},{\"type\":\"null\"}],\"desc"
         "ription\":\"A person\"}},\"required\":[\"t\",\"p\"],\"additionalProperties\":false,\"$d"
         "efs\":{\"tree\":{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\",\"de"
         "scription\":\"Its name\"},\"next\":{\"$ref\":\"#/$defs/tree\",\"description\":\"The one"
         " after it\"},\"children\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/tree\",\"de"
         "scription\":\"One below\"},\"description\":\"Those below it\"}},\"required\":[\"name\"]"
         ",\"additionalProperties\":false},\"person\":{\"type\":\"object\",\"properties\":{\"name"
         "\":{\"type\":\"string\",\"description\":\"Their name\"},\"firm\":{\"type\":\"object\","
         "\"properties\":{\"name\":{\"type\":\"string\",\"description\":\"Its name\"},\"owner\":{"
         "\"$ref\":\"#/$defs/person\",\"description\":\"Whose it is\"}},\"required\":[\"name\"],"
         "\"additionalProperties\":false,\"description\":\"Where they work\"}},\"required\":[\"na"
         "me\"],\"additionalProperties\":false}}}"},
        {&holder_type,
         {.use_defs = true, .dialect = HAFT_DRAFT_07},
         "{\"type\":\"object\",\"properties\":{\"t\":{\"allOf\":[{\"$ref\":\"#/definitions/tree\""
         "}],\"description\":\"A tree\"},\"p\":{\"anyOf\":[{\"$ref\":\"#/definitions/person\"},{"
         "\"type\":\"null\"}],\"description\":\"A person\"}},\"required\":[\"t\",\"p\"],\"additio"
         "nalProperties\":false,\"definitions\":{\"tree\":{\"type\":\"object\",\"properties\":{\""
         "name\":{\"type\":\"string\",\"description\":\"Its name\"},\"next\":{\"allOf\":[{\"$ref"
         "\":\"#/definitions/tree\"}],\"description\":\"The one after it\"},\"children\":{\"type"
         "\":\"array\",\"items\":{\"allOf\":[{\"$ref\":\"#/definitions/tree\"}],\"description\":"
         "\"One below\"},\"description\":\"Those below it\"}},\"required\":[\"name\"],\"additiona"
         "lProperties\":false},\"person\":{\"type\":\"object\",\"properties\":{\"name\":{\"type\""
         ":\"string\",\"description\":\"Their name\"},\"firm\":{\"allOf\":[{\"$ref\":\"#/definiti"
         "ons/company\"}],\"description\":\"Where they work\"}},\"required\":[\"name\"],\"additio"
         "nalProperties\":false},\"company\":{\"type\":\"object\",\"properties\":{\"name\":{\"typ"
         "e\":\"string\",\"description\":\"Its name\"},\"owner\":{\"allOf\":[{\"$ref\":\"#/defini"
         "tions/person\"}],\"description\":\"Whose it is\"}},\"required\":[\"name\"],\"additional"
         "Properties\":false}}}"},
    };
    size_t wrong = 0;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_emit_options options = rows[i].options;
        struct reading r;

        reading_open(&r, rows[i].type, NULL);
        options.struct_size = sizeof options;
        assert_int_equal(haft_schema_emit(r.schema, &options, &r.text), 0);
        if (strcmp(reading_text(&r), rows[i].expected)) {
            print_message("row %zu\n  expected %s\n  found    %s\n", i, rows[i].expected,
                          r.text.data);
            wrong++;
        }
        reading_close(&r);
    }
    assert_int_equal(wrong, 0);
}

/* What is written is a schema that decides the same. */
static void decides_the_same_when_read_again(void **state)
{
    static const struct {
        const haft_type *type;
        const char *json;
        int status;
    } rows[] = {
        {&ruled_type, "{\"whole\":4,\"parted\":\"a-z\",\"map\":{\"a\":1}}", 0},
        {&ruled_type, "{\"whole\":5}", HAFT_EISSUES},
        {&ruled_type, "{\"parted\":\"a-\"}", HAFT_EISSUES},
        {&ruled_type, "{\"map\":{\"A\":1}}", HAFT_EISSUES},
        {&ruled_type, "{\"mail\":\"x\"}", HAFT_EISSUES},
        {&ruled_type, "{\"set\":[1,1]}", HAFT_EISSUES},
        {&settled_type, "{}", 0},
        {&settled_type, "{\"shape\":{\"kind\":\"label\"}}", HAFT_EISSUES},
        {&tree_type, "{\"name\":\"a\",\"children\":[{\"name\":\"b\"}]}", 0},
        {&tree_type, "{\"name\":\"a\",\"children\":[{\"name\":1}]}", HAFT_EISSUES},
        {&person_type, "{\"name\":\"a\",\"firm\":{\"name\":\"b\",\"owner\":{}}}", HAFT_EISSUES},
        {&expression_type, "{\"op\":\"literal\",\"value\":1}", 0},
        {&expression_type, "{\"op\":\"sum\",\"left\":1,\"right\":2}", HAFT_EISSUES},
        {&nest_type, "[[],[[]]]", 0},
        {&nest_type, "[[],[0]]", HAFT_EISSUES},
        {&holder_type, "{\"t\":{\"name\":\"a\"},\"p\":null}", 0},
        {&holder_type, "{\"t\":{\"name\":\"a\"},\"p\":{\"firm\":0}}", HAFT_EISSUES},
        {&open_minded_type, "{\"other\":1}", 0},
        {&point_type, "{\"x\":1,\"y\":1,\"z\":1}", HAFT_EISSUES},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows) * 4; i++) {
        const haft_emit_options options =
            HAFT_INIT(haft_emit_options, .dialect = i & 1 ? HAFT_DRAFT_07 : HAFT_2020_12,
                      .with_dialect = true, .use_defs = i & 2);
        const char *json = rows[i / 4].json;
        haft_schema *again = NULL;
        haft_reason error = {0};
        struct reading r;

        reading_open(&r, rows[i / 4].type, NULL);
        assert_int_equal(haft_schema_emit(r.schema, &options, &r.text), 0);
        if (haft_schema_parse(r.text.data, r.text.size, NULL, &again, &error))
            fail_msg("%s: %s", error.path, error.text);
        assert_int_equal(
            haft_schema_validate_text(r.schema, json, strlen(json), r.arena, &r.issues),
            rows[i / 4].status);
        assert_int_equal(haft_schema_validate_text(again, json, strlen(json), r.arena, &r.issues),
                         rows[i / 4].status);
        haft_schema_free(again);
        reading_close(&r);
    }
}

static void documents_come_out_as_they_came(void **state)
{
    static const struct {
        const char *document;
        int status_2020, status_07;
    } rows[] = {
        {"{\"type\": \"string\"}", 0, HAFT_EDIALECT},
        {"true", 0, HAFT_EDIALECT},
        {"{\"$schema\":\"http://json-schema.org/draft-07/schema#\"}", HAFT_EDIALECT, 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        static const haft_emit_options d2020 = {.struct_size = sizeof(haft_emit_options)},
                                       d07 = HAFT_INIT(haft_emit_options, .dialect = HAFT_DRAFT_07);
        haft_schema *schema = NULL;
        haft_buffer buffer;

        haft_buffer_init(&buffer, NULL, 1000);
        assert_int_equal(
            haft_schema_parse(rows[i].document, strlen(rows[i].document), NULL, &schema, NULL), 0);
        assert_int_equal(haft_schema_emit(schema, &d2020, &buffer), rows[i].status_2020);
        haft_buffer_clear(&buffer);
        assert_int_equal(haft_schema_emit(schema, &d07, &buffer), rows[i].status_07);
        haft_buffer_clear(&buffer);
        assert_int_equal(haft_schema_emit(schema, NULL, &buffer), 0);
        haft_buffer_add(&buffer, "", 1);
        assert_string_equal(buffer.data, rows[i].document);
        haft_buffer_finish(&buffer);
        haft_schema_free(schema);
    }
}

static void stops_at_the_limit(void **state)
{
    struct reading r;
    haft_buffer small;

    (void)state;
    reading_open(&r, &everything_type, NULL);
    haft_buffer_init(&small, NULL, 100);
    assert_int_equal(haft_schema_emit(r.schema, NULL, &small), HAFT_ETOOBIG);
    assert_int_equal(haft_schema_emit(r.schema, NULL, &small), HAFT_ETOOBIG);
    haft_buffer_finish(&small);
    reading_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_the_whole_schema),
        cmocka_unit_test(decides_the_same_when_read_again),
        cmocka_unit_test(documents_come_out_as_they_came),
        cmocka_unit_test(stops_at_the_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
