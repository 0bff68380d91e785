-- The queue and its nodes at one moment. Own arguments: seconds without a heartbeat after which a node is
-- dead. Returns items waiting by class, items leased, NodeInfo of each live node.
local alive_since = string.format('%.6f', now() - ARGV[3])

local waiting = {}
for class, queue in ipairs(CLASSES) do
  waiting[class] = redis.call('ZCARD', queue)
end
local suspects = redis.call('ZRANGE', SUSPECTS, 0, -1, 'WITHSCORES')
for i = 2, #suspects, 2 do
  local class = rank_of(suspects[i]) + 1
  waiting[class] = waiting[class] + 1
end

local nodes = redis.call('ZRANGEBYSCORE', BEATS, alive_since, '+inf')
local infos = {}
if #nodes > 0 then
  infos = redis.call('HMGET', NODES, unpack(nodes))
end
return {waiting, redis.call('HLEN', LEASES), infos}
