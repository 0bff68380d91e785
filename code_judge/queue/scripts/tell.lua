-- Add one packet of a process's counts to the cluster's. A packet that is here already is not added again, so
-- that it may be sent again when in doubt.
-- Own keys: the counts, the number of this process's latest packet. Own arguments: number of the packet,
-- seconds for which that is remembered, then key and increment of each count.
local counts, told = KEYS[OWN + 1], KEYS[OWN + 2]
local number, lifetime_s = tonumber(ARGV[3]), ARGV[4]

if number > tonumber(redis.call('GET', told) or 0) then
  for i = 5, #ARGV, 2 do
    redis.call('HINCRBYFLOAT', counts, ARGV[i], ARGV[i + 1])
  end
  keep(counts)
end
redis.call('SET', told, number, 'EX', lifetime_s)
