-- time.lua - the beginning of every script: the time in microseconds, by the clock of the server.
--
-- Redis applies a script as a whole.  Numbers are at most 2^53, so they are exact.
local call, match, format, floor, max = redis.call, string.match, string.format, math.floor, math.max
local time = call('TIME')
local now = time[1] * 1000000 + time[2]
