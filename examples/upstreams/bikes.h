/* bikes.h - a small HTTP API, which `haft serve --demo=upstreams` calls: a rental of bikes.
 *
 * It is a gateway with its own HTTP server and thread, on a free port of loopback.  Clients need a
 * key.  bikes.json is its OpenAPI document. */
#ifndef HAFT_BIKES_H
#define HAFT_BIKES_H

#include <haft/gateway.h>

enum { BIKES_STATIONS = 8, BIKES_RENTALS = 200, BIKES_HOURS = 72, BIKES_CENTS_AN_HOUR = 150 };

struct bikes_station {
    const char *id, *name, *city;
    int64_t docks, free; /* places for bikes, and bikes that can be rented */
};

struct bikes_rental {
    uint64_t number;     /* from 1 */
    const char *station; /* where it began */
    int64_t hours, price;
    bool returned;
};

/* ---- bikes_store.c: memory of fixed size behind one lock ---- */

/* Copies a station; returns false past the last, or if there is none with that id. */
bool bikes_station_at(size_t i, struct bikes_station *ret_station);
bool bikes_station_of(const char *id, struct bikes_station *ret_station);

/* Takes a bike.  Returns 0, HAFT_ENOTFOUND without such a station, HAFT_EBUSY if it has no bike, or
 * HAFT_ETOOBIG if no more rentals are kept. */
int bikes_rent(const char *station, int64_t hours, struct bikes_rental *ret_rental);
bool bikes_rental_of(uint64_t number, struct bikes_rental *ret_rental);
/* Puts the bike back.  Returns 0, HAFT_ENOTFOUND without such a rental or station, HAFT_EEXISTS if it
 * has been returned, or HAFT_EBUSY if the station is full. */
int bikes_return(uint64_t number, const char *station, struct bikes_rental *ret_rental);

/* ---- bikes_routes.c ---- */

extern const haft_route *const bikes_routes[]; /* NULL-terminated */
/* Admits requests whose X-Api-Key is `data`. */
int bikes_check_key(haft_call *call, void *data);

/* ---- bikes_server.c ---- */

/* Serves the API, until it is stopped.  Returns 0 with its URL, which lives as long, or an error. */
int bikes_serve(const char *key, const char **ret_url);
void bikes_stop(void);

#endif
