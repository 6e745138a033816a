-- take.lua - a request with one operation, which counts a call.
local status, answer, write = take(KEYS[1], ARGV[2], ARGV[3], ARGV[4])
if status < 0 then return {status, 1} end
if write then write() end
return {status, answer}
