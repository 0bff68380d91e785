-- How long the oldest waiting item of each class has waited, in microseconds; 0 where none waits.
-- Items of one class take turns batch by batch, so that the oldest is among the first of its queue, but need
-- not be the very first.
local time = now()
local waits = {}
for class, queue in ipairs(CLASSES) do
  waits[class] = 0
  for _, payload in ipairs(hash_values(PAYLOADS, redis.call('ZRANGE', queue, 0, 7))) do
    -- A payload begins with its timestamp: see submit.
    local timestamp = tonumber(payload and string.match(payload, '^{"timestamp":([%d.]+)') or time)
    waits[class] = math.max(waits[class], math.floor((time - timestamp) * 1e6))
  end
end
return waits
