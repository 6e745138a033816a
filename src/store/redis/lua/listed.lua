-- listed.lua - counts calls, each against its own limit: the windows that are lists, before the script has defined functions
-- for others.
--
-- KEYS has a key for each call, ARGV three arguments: calls, milliseconds, and when the window expires.  The answer is two
-- numbers for each: its status, and 1 or the negative time to wait.  An error is its number and 1.
local out, others = {}
for i = 1, #KEYS do
  local key, calls, per, expires = KEYS[i], ARGV[3 * i - 2], ARGV[3 * i - 1], ARGV[3 * i]
  local status, answer, last = read_listed(key, calls, per)
  if last then
    count_listed(key, calls, per, expires, answer, last)
    answer = 1
  elseif not status then
    others = others or {}
    others[#others + 1] = i
  end
  out[2 * i - 1], out[2 * i] = status or 0, answer or 0
end
if not others then return out end
