-- window.lua - counts calls against a rate limit.
--
-- take returns 1 and a function that counts the call; 0 and the negative time to wait in milliseconds; or an error.
-- A window as the times of its calls: a list with a head, and microseconds that grow.
-- `first` has its first three elements.
local function take_exact(key, calls, per, kind, last, head, first)
  local want = '1w' .. calls .. '/' .. per
  local span, at, drop, count, oldest = per * 1000, now, 0, 0, nil
  local same = head == want and last <= now + span
  if same then
    local from, size, times = 1, 2, {first[2], first[3]}
    at = max(now, last + 1)
    while true do
      for i = 1, #times do
        if at - times[i] < span then oldest = times[i]; break end
        drop = drop + 1
      end
      if oldest or #times < size then break end
      from = from + size
      size = math.min(size * 4, 256)
      times = call('LRANGE', key, from, from + size - 1)
    end
    count = call('LLEN', key) - 1 - drop
  end
  if count >= calls then return -math.ceil((oldest + span - at) / 1000) end
  return 1, function()
    if not same then
      if kind then call('DEL', key) end
      call('RPUSH', key, want, text(at))
      return
    end
    if drop > 0 then
      call('LSET', key, drop, want)
      call('LTRIM', key, drop, -1)
    end
    call('RPUSH', key, text(at))
  end
end

-- A window as the number of calls in each of 1,000 slices: a hash.
local function take_sliced(key, calls, per, kind, last, head)
  local want = '1s' .. calls .. '/' .. per
  local same = head == want and last <= now + per * 1000
  local at = same and max(now, last + 1) or now
  local ms = floor(at / 1000)
  local newest = floor(ms / per) * 1000 + floor(ms % per * 1000 / per)
  local count, oldest, gone = 0, newest, {}
  if same then
    local state = call('HMGET', key, 'n', 'c', 'o')
    local before = tonumber(state[1])
    count, oldest = tonumber(state[2]), tonumber(state[3])
    newest = max(newest, before)
    if newest - 1000 > before then
      same, count, oldest = false, 0, newest
    else
      for slice = oldest, newest - 1001 do gone[#gone + 1] = slice % 1001 end
      if #gone > 0 then
        local counts = call('HMGET', key, unpack(gone))
        for i = 1, #counts do count = count - (counts[i] or 0) end
        oldest = newest - 1000
      end
    end
  end
  if count >= calls then
    for slice = oldest, newest do
      if call('HGET', key, slice % 1001) then
        local first = slice + 1001
        local starts = floor(first / 1000) * per + math.ceil(first % 1000 * per / 1000)
        return -max(1, starts - ms)
      end
    end
    return -per
  end
  return 1, function()
    if not same and kind then call('DEL', key) end
    if same and #gone > 0 then call('HDEL', key, unpack(gone)) end
    call('HINCRBY', key, newest % 1001, 1)
    call('HSET', key, 'h', want, 'v', text(at), 'n', text(newest), 'c', text(count + 1), 'o',
         text(oldest))
  end
end

-- As look, with the first elements: most windows are lists, which need no question for their type.
local function look_at_window(key, calls)
  local first = calls <= 10000 and redis.pcall('LRANGE', key, 0, 2)
  if not first or first.err then return look(key) end
  if #first == 0 then return nil, 0 end
  local last = tonumber(call('LINDEX', key, -1))
  if last and match(first[1], '^1w') then return 'w', last, first[1], first end
  return '?', 0
end

local function take(key, calls, per, expires)
  local kind, last, head, first = look_at_window(key, calls)
  if kind == '?' then return -22 end
  if kind and kind ~= 'w' then return -2 end
  if calls == 0 then return 0, -per end
  local check = calls > 10000 and take_sliced or take_exact
  local allowed, count = check(key, calls, per, kind, last, head, first)
  if allowed ~= 1 then return 0, allowed end
  return 1, 1, function()
    count()
    call('PEXPIRE', key, expires)
  end
end
