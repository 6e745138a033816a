-- request.lua - applies a list of operations on one group.
--
-- KEYS has a key for each operation, ARGV five arguments: a letter and up to four others.  The first loop reads and
-- checks, the second writes.  The answer is the status of the request and what each operation answers; an error is
-- its number and the number of the operation.
-- Other operations: status of the operation, what it answers, and a function that writes.
local function get(key)
  local kind = look(key)
  if kind == 'v' then return 1, call('GET', key) end
  if kind == '?' then return -22 end
  if kind then return -2 end
  return 0, false
end

local function put(key, value, expected, expires)
  local kind, version = look(key)
  if kind == '?' then return -22 end
  if expected ~= '' and tonumber(expected) ~= version then return 0, 0 end
  version = max(now, version + 1)
  return 1, version, function()
    local bytes = '1' .. text(version) .. ':' .. value
    if expires == '0' then call('SET', key, bytes) else call('SET', key, bytes, 'PX', expires) end
  end
end

local function expire(key, expected, expires)
  local kind, version = look(key)
  if kind == '?' then return -22 end
  if not kind or (expected ~= '' and tonumber(expected) ~= version) then return 0, 0 end
  return 1, 1, function()
    if not expires then call('DEL', key)
    elseif expires == '0' then call('PERSIST', key)
    else call('PEXPIRE', key, expires) end
  end
end

-- A log: a stream whose records carry the bytes so far, a version and the number of the first record.
local function append(key, value, records, bytes, expires)
  local kind, version, last = look(key)
  if kind == '?' then return -22 end
  if kind and kind ~= 'l' then return -2 end
  local number = last and match(last[1], '^%d+') + 1 or now
  local total = (last and last[2][4] or 0) + #value
  local start = last and last[2][8] or text(now)
  return 1, number, function()
    call('XADD', key, text(number) .. '-0', '1', value, 'c', text(total), 'v',
         text(max(now, version + 1)), 's', start)
    call('XTRIM', key, 'MAXLEN', records)
    while true do
      local first = call('XRANGE', key, '-', '+', 'COUNT', 1)[1]
      if total - first[2][4] + #first[2][2] <= bytes then break end
      call('XDEL', key, first[1])
    end
    if expires ~= '0' then call('PEXPIRE', key, expires) end
  end
end

local function range(key, after, records, bytes)
  local kind, version, last = look(key)
  if kind == '?' then return -22 end
  if kind and kind ~= 'l' then return -2 end
  if not kind then return 0, false end
  local start, final = tonumber(last[2][8]), tonumber(match(last[1], '^%d+'))
  local number = after == 0 and start - 1 or after
  local out, left, from = {0}, bytes, number + 1
  if number < start - 1 or number > final then out[1] = 1 end
  while number <= final and records > 0 do
    local some = call('XRANGE', key, text(from), '+', 'COUNT', math.min(records, 64))
    for i = 1, #some do
      local record = tonumber(match(some[i][1], '^%d+'))
      if i == 1 and from == number + 1 and record > from then out[1] = 1 end
      left = left - #some[i][2][2]
      if left < 0 then return 1, out end
      out[#out + 1] = record
      out[#out + 1] = some[i][2][2]
      from = record + 1
    end
    records = records - #some
    if #some < 64 then break end
  end
  return 1, out
end

local at, out, writes = 1, {1}, {}
for i = 1, #KEYS do
  local op, key, a, b, c, d = ARGV[at], KEYS[i], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3], ARGV[at + 4]
  local status, answer, write
  at = at + 5
  if op == 'g' then status, answer = get(key)
  elseif op == 'p' then status, answer, write = put(key, a, b, c)
  elseif op == 'd' then status, answer, write = expire(key, b)
  elseif op == 'e' then status, answer, write = expire(key, b, c)
  elseif op == 't' then status, answer, write = take(key, a, b, c)
  elseif op == 'a' then status, answer, write = append(key, a, b, tonumber(c), d)
  elseif op == 'r' then status, answer = range(key, tonumber(a), tonumber(b), tonumber(c))
  else
    status, answer = 1, 1
    write = function() call('PUBLISH', a, b) end
  end
  if status < 0 then return {status, i} end
  out[i + 1] = answer
  if status == 0 and (op == 't' or (b ~= '' and (op == 'p' or op == 'd' or op == 'e'))) then
    out[1] = 0
    return out
  end
  if write then writes[#writes + 1] = write end
end
for i = 1, #writes do writes[i]() end
return out
