/* bikes_store.c - the stations and rentals of the API. */
#include "bikes.h"

#include <pthread.h>
#include <string.h>

static struct {
    pthread_mutex_t lock; /* for the members below */
    struct bikes_station stations[BIKES_STATIONS];
    struct bikes_rental rentals[BIKES_RENTALS]; /* rental n is at n - 1 */
    uint64_t n_rentals;
} store = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .stations = {{"ut-1", "Central station", "Utrecht", 40, 31},
                 {"ut-2", "Botanic gardens", "Utrecht", 12, 1},
                 {"ut-3", "Cathedral square", "Utrecht", 16, 0},
                 {"li-1", "Cais do Sodre", "Lisbon", 24, 18},
                 {"li-2", "Harbour", "Lisbon", 30, 30}},
};

static struct bikes_station *find_station(const char *id)
{
    for (size_t i = 0; i < BIKES_STATIONS && store.stations[i].id; i++)
        if (!strcmp(store.stations[i].id, id))
            return &store.stations[i];
    return NULL;
}

bool bikes_station_at(size_t i, struct bikes_station *ret_station)
{
    pthread_mutex_lock(&store.lock);
    if (i < BIKES_STATIONS)
        *ret_station = store.stations[i];
    pthread_mutex_unlock(&store.lock);
    return i < BIKES_STATIONS && ret_station->id;
}

bool bikes_station_of(const char *id, struct bikes_station *ret_station)
{
    const struct bikes_station *station;

    pthread_mutex_lock(&store.lock);
    station = find_station(id);
    if (station)
        *ret_station = *station;
    pthread_mutex_unlock(&store.lock);
    return station;
}

static int rent(const char *id, int64_t hours, struct bikes_rental *ret_rental)
{
    struct bikes_station *station = find_station(id);
    struct bikes_rental *rental = &store.rentals[store.n_rentals];

    if (!station)
        return HAFT_ENOTFOUND;
    if (!station->free)
        return HAFT_EBUSY;
    if (store.n_rentals == BIKES_RENTALS)
        return HAFT_ETOOBIG;
    station->free--;
    *rental = (struct bikes_rental){.number = ++store.n_rentals,
                                    .station = station->id,
                                    .hours = hours,
                                    .price = hours * BIKES_CENTS_AN_HOUR};
    *ret_rental = *rental;
    return 0;
}

int bikes_rent(const char *station, int64_t hours, struct bikes_rental *ret_rental)
{
    int status;

    pthread_mutex_lock(&store.lock);
    status = rent(station, hours, ret_rental);
    pthread_mutex_unlock(&store.lock);
    return status;
}

bool bikes_rental_of(uint64_t number, struct bikes_rental *ret_rental)
{
    bool is_there;

    pthread_mutex_lock(&store.lock);
    is_there = number && number <= store.n_rentals;
    if (is_there)
        *ret_rental = store.rentals[number - 1];
    pthread_mutex_unlock(&store.lock);
    return is_there;
}

static int put_back(uint64_t number, const char *id, struct bikes_rental *ret_rental)
{
    struct bikes_station *station = find_station(id);
    struct bikes_rental *rental =
        number && number <= store.n_rentals ? &store.rentals[number - 1] : NULL;

    if (!station || !rental)
        return HAFT_ENOTFOUND;
    if (rental->returned)
        return HAFT_EEXISTS;
    if (station->free == station->docks)
        return HAFT_EBUSY;
    station->free++;
    rental->returned = true;
    *ret_rental = *rental;
    return 0;
}

int bikes_return(uint64_t number, const char *station, struct bikes_rental *ret_rental)
{
    int status;

    pthread_mutex_lock(&store.lock);
    status = put_back(number, station, ret_rental);
    pthread_mutex_unlock(&store.lock);
    return status;
}
