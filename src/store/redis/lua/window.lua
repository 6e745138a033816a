-- window.lua - counts calls against a rate limit, whatever the entry is.

-- A window as the number of calls in each of 1,000 slices: a hash.
local function take_sliced(key, calls, per, expires, kind, last, head)
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
        return 0, -max(1, starts - ms)
      end
    end
    return 0, -per
  end
  return 1, 1, function()
    if not same and kind then call('DEL', key) end
    if same and #gone > 0 then call('HDEL', key, unpack(gone)) end
    call('HINCRBY', key, newest % 1001, 1)
    call('HSET', key, 'h', want, 'v', text(at), 'n', text(newest), 'c', text(count + 1), 'o',
         text(oldest))
    call('PEXPIRE', key, expires)
  end
end

-- Begins a window as the times of its calls.
local function take_first(key, calls, per, expires, kind)
  return 1, 1, function()
    if kind then call('DEL', key) end
    call('RPUSH', key, '1w' .. calls .. '/' .. per, text(now))
    call('PEXPIRE', key, format('%d', expires * 9 / 8 + 1))
  end
end

-- The limit is text, as in the heads.  Returns 1, 1 and a function that counts the call; 0 and the negative time to wait in
-- milliseconds; or an error.
local function take(key, limit, period, expires)
  local status, answer, last = read_listed(key, limit, period)
  if last then return 1, 1, function() count_listed(key, limit, period, expires, answer, last) end end
  if status then return status, answer end
  local calls, per = tonumber(limit), tonumber(period)
  local kind, version, head = look(key)
  if kind == '?' then return -22 end
  if kind and kind ~= 'w' then return -2 end
  if calls == 0 then return 0, -per end
  if calls <= 10000 then return take_first(key, limit, period, expires, kind) end
  return take_sliced(key, calls, per, expires, kind, version, head)
end
