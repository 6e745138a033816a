-- entry.lua - what an entry is.
--
-- The first character of an entry, "1", is the version of its format; a script refuses entries of other versions (-22)
-- and changes nothing.

local function text(n) return format('%d', n) end

-- Type ('v', 'w', 'l', nil: no entry, '?': unknown format), version and first or last part of an entry.
local function look(key)
  local kind = call('TYPE', key).ok
  if kind == 'none' then return nil, 0 end
  if kind == 'string' then
    local version = match(call('GETRANGE', key, 0, 20), '^1(%d+):')
    if version then return 'v', tonumber(version) end
  elseif kind == 'list' then
    local head = call('LINDEX', key, 0)
    local last = tonumber(call('LINDEX', key, -1))
    if last and match(head, '^1w') then return 'w', last, head end
  elseif kind == 'hash' then
    local state = call('HMGET', key, 'h', 'v')
    local last = tonumber(state[2] or nil)
    if last and state[1] and match(state[1], '^1s') then return 'w', last, state[1] end
  elseif kind == 'stream' then
    local last = call('XREVRANGE', key, '+', '-', 'COUNT', 1)[1]
    if last and #last[2] == 8 and last[2][1] == '1' then return 'l', tonumber(last[2][6]), last end
  end
  return '?', 0
end
