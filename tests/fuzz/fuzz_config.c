/* fuzz_config.c - any bytes as a configuration file: it is refused with a complaint, or what it
 * says comes back from the file that is printed of it. */
#include <stdlib.h>
#include <string.h>

#include "config/program_options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

HAFT_ENUMERATION(fuzz_mode, one, two);
HAFT_OPTION_STRUCT(
    fuzzed, HAFT_OPTION_FLAG(flag, "--flag", "a"), HAFT_OPTION_INTEGER(integer, "--integer", "b"),
    HAFT_OPTION_INTEGER(narrow, "--narrow", "c", .min = -9, .max = 9),
    HAFT_OPTION_NUMBER(number, "--number", "d"), HAFT_OPTION_DURATION(duration, "--duration", "e"),
    HAFT_OPTION_SIZE(size, "--size", "f"), HAFT_OPTION_ENUM(mode, fuzz_mode, "--mode", "g"),
    HAFT_OPTION_STRING(text, "--text", "h"), HAFT_OPTION_ADDRESS(address, "--address", "i"),
    HAFT_OPTION_LIST(list, "--list-of", "j"));

static bool fuzz_taken(const char *name, int version)
{
    (void)name;
    (void)version;
    return false;
}

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void comes_back(const struct program_settings *program, const struct settings *settings)
{
    struct complaints complaints;
    struct settings again;
    const struct option *option;
    haft_buffer text;

    hf_complaints_init(&complaints, NULL);
    haft_buffer_init(&text, NULL, 1 << 20);
    hf_option_put_settings_json(settings, &text);
    require(!text.status && !hf_settings_init(&again, program));
    require(!hf_settings_read_text(&again, "again", text.data, text.size, &complaints));
    require(!complaints.n);
    for (size_t i = 0; (option = hf_settings_option(program, i)); i++)
        require(!option->key || hf_option_equal(option, settings, &again));
    hf_settings_finish(&again);
    haft_buffer_finish(&text);
    hf_complaints_finish(&complaints);
}

/* Any text as the value of any option: what is taken comes back from what is printed. */
static void values_come_back(const struct program_settings *program, const char *text)
{
    struct settings first, again;
    const struct option *option;
    haft_buffer printed;

    require(!hf_settings_init(&first, program) && !hf_settings_init(&again, program));
    for (size_t i = 0; (option = hf_settings_option(program, i)); i++) {
        haft_buffer_init(&printed, NULL, 1 << 20);
        if (!hf_option_read(option, text, &first)) {
            hf_option_put(option, &first, &printed);
            haft_buffer_add(&printed, "", 1);
            require(!printed.status && !hf_option_read(option, printed.data, &again));
            require(hf_option_equal(option, &first, &again));
        }
        haft_buffer_finish(&printed);
    }
    hf_settings_finish(&first);
    hf_settings_finish(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    haft_server *server = haft_server_new("fuzz", "1");
    static fuzzed values;
    char *text;
    struct program_settings program;
    struct settings settings;
    struct complaints complaints;
    int status;

    if (!server)
        return 0;
    require(!hf_program_options_make(server, &fuzzed_table, &values, fuzz_taken));
    require(!hf_program_settings_init(&program, server));
    text = calloc(1, size + 1);
    if (text && size)
        memcpy(text, data, size);
    if (text)
        values_come_back(&program, text);
    free(text);
    hf_complaints_init(&complaints, NULL);
    require(!hf_settings_init(&settings, &program));
    status =
        hf_settings_read_text(&settings, "file", size ? (const char *)data : "", size, &complaints);
    require(!status && !complaints.text.status);
    require((complaints.n > 0) == (complaints.text.size > 0));
    if (!complaints.n)
        comes_back(&program, &settings);
    hf_settings_finish(&settings);
    hf_complaints_finish(&complaints);
    haft_server_free(server);
    return 0;
}
