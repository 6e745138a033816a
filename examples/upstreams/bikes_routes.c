/* bikes_routes.c - the operations of the API. */
#include "bikes.h"

#include <string.h>

int bikes_check_key(haft_call *call, void *data)
{
    const char *key = haft_request_header(call, "x-api-key");

    if (key && !strcmp(key, data))
        return 0;
    haft_problem(call, 401, "The header X-Api-Key has no valid key.");
    return HAFT_STOP;
}

/* ---- stations ---- */

HAFT_STRUCT(station,
    HAFT_STRING(id, "Its id"),
    HAFT_STRING(name, "Its name"),
    HAFT_STRING(city, "Its city"),
    HAFT_INTEGER(docks, "Places for bikes"),
    HAFT_INTEGER(free, "Bikes that can be rented"));
HAFT_STRUCT(station_list,
    HAFT_ARRAY(stations, HAFT_OBJECT(one, station, "A station"), "The stations"));
HAFT_STRUCT(station_filter,
    HAFT_OPTIONAL(HAFT_STRING(city, "Only stations of this city")),
    HAFT_DEFAULT(HAFT_NAMED("minFree", HAFT_INTEGER(min_free, "Only stations with so many free bikes", .min = 0)), 0));
HAFT_STRUCT(station_key, HAFT_NAMED("stationId", HAFT_STRING(id, "Its id")));

static station show_station(const struct bikes_station *found)
{
    return (station){.id = found->id,
                     .name = found->name,
                     .city = found->city,
                     .docks = found->docks,
                     .free = found->free};
}

static int list_stations(haft_call *call, const station_filter *in, station_list *out)
{
    struct bikes_station found;

    out->stations = haft_call_alloc(call, BIKES_STATIONS * sizeof *out->stations);
    if (!out->stations)
        return HAFT_ENOMEM;
    for (size_t i = 0; bikes_station_at(i, &found); i++)
        if ((!in->city || !strcmp(in->city, found.city)) && found.free >= in->min_free)
            out->stations[out->n_stations++] = show_station(&found);
    return 0;
}
HAFT_ROUTE(list_stations, "GET", "/v1/stations", station_filter, station_list, "List stations",
           .policies = "key", .quick = true);

static int get_station(haft_call *call, const station_key *in, station *out)
{
    struct bikes_station found;

    if (!bikes_station_of(in->id, &found))
        return haft_problem(call, 404, "There is no station %s.", in->id);
    *out = show_station(&found);
    return 0;
}
HAFT_ROUTE(get_station, "GET", "/v1/stations/{stationId}", station_key, station, "Read a station",
           .policies = "key", .quick = true);

/* ---- rentals ---- */

HAFT_STRUCT(rental,
    HAFT_INTEGER(id, "Its number"),
    HAFT_NAMED("stationId", HAFT_STRING(from, "Where it began")),
    HAFT_INTEGER(hours, "For how long"),
    HAFT_INTEGER(price, "In cents"),
    HAFT_BOOLEAN(returned, "Whether the bike is back"));
HAFT_STRUCT(rental_order,
    HAFT_NAMED("stationId", HAFT_STRING(from, "Where to take a bike")),
    HAFT_DEFAULT(HAFT_INTEGER(hours, "For how long", .min = 1, .max = BIKES_HOURS), 1));
HAFT_STRUCT(rental_key, HAFT_NAMED("rentalId", HAFT_INTEGER(id, "Its number", .min = 1)));
HAFT_STRUCT(rental_end,
    HAFT_NAMED("rentalId", HAFT_INTEGER(id, "Its number", .min = 1)),
    HAFT_NAMED("returnTo", HAFT_STRING(to, "The station that gets the bike")));

static rental show_rental(const struct bikes_rental *found)
{
    return (rental){.id = (int64_t)found->number,
                    .from = found->station,
                    .hours = found->hours,
                    .price = found->price,
                    .returned = found->returned};
}

static int rent_bike(haft_call *call, const rental_order *in, rental *out)
{
    struct bikes_rental made;
    int status = bikes_rent(in->from, in->hours, &made);

    if (status == HAFT_ENOTFOUND)
        return haft_problem(call, 404, "There is no station %s.", in->from);
    if (status)
        return haft_problem(call, 409,
                            status == HAFT_EBUSY ? "Station %s has no free bike."
                                                 : "Station %s rents no more bikes today.",
                            in->from);
    haft_response_set_status(call, 201);
    *out = show_rental(&made);
    return 0;
}
HAFT_ROUTE(rent_bike, "POST", "/v1/rentals", rental_order, rental, "Rent a bike", .policies = "key",
           .quick = true);

static int get_rental(haft_call *call, const rental_key *in, rental *out)
{
    struct bikes_rental found;

    if (!bikes_rental_of((uint64_t)in->id, &found))
        return haft_problem(call, 404, "There is no rental %lld.", (long long)in->id);
    *out = show_rental(&found);
    return 0;
}
HAFT_ROUTE(get_rental, "GET", "/v1/rentals/{rentalId}", rental_key, rental, "Read a rental",
           .policies = "key", .quick = true);

static int return_bike(haft_call *call, const rental_end *in, rental *out)
{
    struct bikes_rental found;
    int status = bikes_return((uint64_t)in->id, in->to, &found);

    if (status == HAFT_ENOTFOUND)
        return haft_problem(call, 404, "There is no rental %lld, or no station %s.",
                            (long long)in->id, in->to);
    if (status)
        return haft_problem(call, 409,
                            status == HAFT_EEXISTS ? "The bike is back already."
                                                   : "That station is full.");
    *out = show_rental(&found);
    return 0;
}
HAFT_ROUTE(return_bike, "DELETE", "/v1/rentals/{rentalId}", rental_end, rental, "Return a bike",
           .policies = "key", .quick = true);

const haft_route *const bikes_routes[] = {
    &list_stations_route, &get_station_route, &rent_bike_route,
    &get_rental_route,    &return_bike_route, NULL,
};
