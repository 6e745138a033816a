/* existing-struct.c - a tool for existing types.
 *
 * The struct and the enum represent those of a library that does not know haft: narrow integers, a
 * string inside the struct, an array of fixed size. HAFT_SCHEMA and HAFT_ENUM_NAMES describe them
 * as they are; values that do not fit a member are rejected before the handler is called, and
 * clients see the ranges. */
#include <haft.h>
#include <string.h>

/* ---- existing types ---- */

typedef enum sensor_unit { SENSOR_CELSIUS = 'C', SENSOR_KELVIN = 'K' } sensor_unit;

typedef struct sensor {
    char name[16];
    uint8_t channel;
    sensor_unit unit;
    float offset;
    uint16_t window[3]; /* low, usual, high */
} sensor;

static float sensor_read(const sensor *one)
{
    float raw = (float)one->window[1] + one->offset;

    return one->unit == SENSOR_KELVIN ? raw + 273.15F : raw;
}

/* ---- the tool ---- */

HAFT_ENUM_NAMES(sensor_unit, HAFT_VALUE(SENSOR_CELSIUS, "degrees-celsius"),
                HAFT_VALUE(SENSOR_KELVIN, "kelvin"));

HAFT_SCHEMA(sensor,
    HAFT_STRING(name, "What the sensor is called", .min = 1),
    HAFT_INTEGER(channel, "Where it is connected"),
    HAFT_DEFAULT(HAFT_ENUM(unit, sensor_unit, "What to measure in"), SENSOR_CELSIUS),
    HAFT_DEFAULT(HAFT_NUMBER(offset, "Added to what is measured"), 0),
    HAFT_FIXED(window, 3, HAFT_INTEGER(value, "A reading"), "The lowest, the usual and the highest reading"));

typedef struct sensor_report {
    char name[16];
    float value;
    sensor_unit unit;
} sensor_report;

HAFT_SCHEMA(sensor_report,
    HAFT_STRING(name, "The sensor"),
    HAFT_NUMBER(value, "What it reads"),
    HAFT_ENUM(unit, sensor_unit, "What that is measured in"));

static int read_sensor(haft_call *call, const sensor *in, sensor_report *out)
{
    (void)call;
    memcpy(out->name, in->name, sizeof out->name);
    out->value = sensor_read(in);
    out->unit = in->unit;
    return 0;
}
HAFT_TOOL(read_sensor, sensor, sensor_report, "Reads a sensor", .name = "read-sensor",
          .annotations = {.read_only = HAFT_YES});

int main(int argc, char **argv)
{
    haft_server *server = haft_server_new("sensors", "1.0.0");

    if (server)
        haft_add(server, &read_sensor_tool);
    return haft_main(server, argc, argv);
}
