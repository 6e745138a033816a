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

    hf_complaints_init(&complaints, NULL);
    haft_buffer_init(&text, NULL, 1 << 20);
    hf_option_put_settings_json(settings, &text);
    require(!text.status && !hf_settings_init(&again, program));
    require(!hf_settings_read_text(&again, "again", text.data, text.size, &complaints));
    require(!complaints.n);
    for (size_t i = 0; i < hf_option_count; i++)
        require(!hf_option_table[i].key || hf_option_equal(&hf_option_table[i], settings, &again));
    hf_settings_finish(&again);
    haft_buffer_finish(&text);
    hf_complaints_finish(&complaints);
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
    program = hf_program_settings_of(server);
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
