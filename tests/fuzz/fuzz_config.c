/* fuzz_config.c - any bytes as a configuration file: it is refused with a complaint, or what it
 * says comes back from the file that is printed of it. */
#include <stdlib.h>
#include <string.h>

#include "config/option.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void comes_back(const struct program_settings *program, const struct settings *settings)
{
    struct complaints complaints;
    struct settings again;
    haft_buffer text;

    complaints_init(&complaints, NULL);
    haft_buffer_init(&text, NULL, 1 << 20);
    option_put_settings_json(settings, &text);
    require(!text.status && !settings_init(&again, program));
    require(!settings_read_text(&again, "again", text.data, text.size, &complaints));
    require(!complaints.n);
    for (size_t i = 0; i < option_count; i++)
        require(!option_table[i].key || option_equal(&option_table[i], settings, &again));
    settings_finish(&again);
    haft_buffer_finish(&text);
    complaints_finish(&complaints);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    haft_server *server = haft_server_new("fuzz", "1");
    struct program_settings program;
    struct settings settings;
    struct complaints complaints;
    int status;

    if (!server)
        return 0;
    program = program_settings_of(server);
    complaints_init(&complaints, NULL);
    require(!settings_init(&settings, &program));
    status =
        settings_read_text(&settings, "file", size ? (const char *)data : "", size, &complaints);
    require(!status && !complaints.text.status);
    require((complaints.n > 0) == (complaints.text.size > 0));
    if (!complaints.n)
        comes_back(&program, &settings);
    settings_finish(&settings);
    complaints_finish(&complaints);
    haft_server_free(server);
    return 0;
}
