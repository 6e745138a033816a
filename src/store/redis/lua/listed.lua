-- listed.lua - the most frequent end of the script for one take, before it has defined functions for others.
local listed, left, count = take_listed(KEYS[1], ARGV[2], ARGV[3], ARGV[4])
if listed then
  if count then count() end
  return {listed, left}
end
