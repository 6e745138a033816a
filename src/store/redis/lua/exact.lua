-- exact.lua - counts calls against a rate limit, in a window as the times of its calls.
--
-- The window is a list with a head, "1wCALLS/MILLISECONDS", and microseconds that grow.  A call is allowed unless the
-- window contains the one that is CALLS before it.  Each command, and each function that is defined, costs Redis a part
-- of what an empty script does.  So what need not be done for every call, to set the time when the window expires and to
-- remove old times from it, is done in the first call of each eighth of that time.

-- What is due then: removes the times that are not in the window any more.
local function renew(key, head, at, span, expires)
  local old, size = 0, 16
  while size do
    local times, n = call('LRANGE', key, old + 1, old + size), 0
    while n < #times and at - times[n + 1] >= span do n = n + 1 end
    old = old + n
    size = n == size and math.min(size * 4, 256)
  end
  if old > 0 then
    call('LSET', key, old, head)
    call('LTRIM', key, old, -1)
  end
  call('PEXPIRE', key, format('%d', expires * 9 / 8 + 1))
end

-- Looks at a list whose head is that of this limit.  Returns 1, the time to count the call with and the time of the last
-- call; 0 and the negative time to wait in milliseconds; or nil if the entry is something else.  Numbers as text spare
-- Redis a conversion.
local function read_listed(key, calls, per)
  local span = per * 1000
  if tonumber(calls) > 10000 or redis.pcall('LINDEX', key, '0') ~= '1w' .. calls .. '/' .. per then return end
  local last = tonumber(call('LINDEX', key, '-1'))
  if not last or last > now + span then return end
  local at = max(now, last + 1)
  local bound = tonumber(call('LINDEX', key, '-' .. calls))
  if bound and at - bound < span then return 0, -math.ceil((bound + span - at) / 1000) end
  return 1, at, last
end

local function count_listed(key, calls, per, expires, at, last)
  local part = expires * 125
  call('RPUSH', key, format('%d', at))
  if floor(at / part) ~= floor(last / part) then renew(key, '1w' .. calls .. '/' .. per, at, per * 1000, expires) end
end
