-- Remember failures of the judge's own, the latest of them.
-- Own keys: the failures. Own arguments: how many are kept, then each as JSON that lacks its time.
local failures, kept = KEYS[OWN + 1], tonumber(ARGV[3])
local time = string.format('%.6f', now())

for i = 4, #ARGV do
  redis.call('ZADD', failures, time, '{"at":' .. time .. ',' .. string.sub(ARGV[i], 2))
end
redis.call('ZREMRANGEBYRANK', failures, 0, -kept - 1)
keep(failures)
