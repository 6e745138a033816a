-- take.lua - the calls that remain, in their order.
for n = 1, #others do
  local i = others[n]
  local status, answer, write = take(KEYS[i], ARGV[3 * i - 2], ARGV[3 * i - 1], ARGV[3 * i])
  if write then write() end
  out[2 * i - 1], out[2 * i] = status, answer or 1
end
return out
