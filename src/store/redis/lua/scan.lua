-- scan.lua - one step of a scan: the cursor of the next, and key, version and value of each entry.
local step = call('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', ARGV[3])
local out = {step[1]}
for i = 1, #step[2] do
  local key = step[2][i]
  local kind, version = look(key)
  if kind and kind ~= '?' then
    out[#out + 1] = key
    out[#out + 1] = version
    out[#out + 1] = kind == 'v' and call('GET', key) or false
  end
end
return out
