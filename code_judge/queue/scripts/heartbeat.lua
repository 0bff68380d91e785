-- Register or renew a node. Returns items that it holds and should kill, items that it has leases on, dead
-- nodes, and whether an operator wants it to leave.
-- Own keys: what the node holds. Own arguments: node, NodeInfo as JSON, seconds between heartbeats, seconds
-- without one after which a node is dead.
local held = KEYS[OWN + 1]
local node, info, interval_s, dead_after_s = ARGV[3], ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6])
local time = now()

-- Where no node's heartbeat came for longer than any node pauses, Redis was away, or its clock was set:
-- each node then gets the full time anew before it counts as dead.
local latest, steady_since = unpack(redis.call('HMGET', PULSE, 'latest', 'steady_since'))
local pause = time - (latest or 0)
if pause < 0 or pause > 1.5 * interval_s then
  steady_since = time
end
redis.call('HSET', PULSE, 'latest', string.format('%.6f', time))
redis.call('HSET', PULSE, 'steady_since', string.format('%.6f', steady_since))

redis.call('ZADD', BEATS, string.format('%.6f', time), node)
redis.call('HSET', NODES, node, info)
keep_all()
keep(held)

local cancelled, leased = {}, {}
local ids = redis.call('SMEMBERS', held)
for i, lease in ipairs(hash_values(LEASES, ids)) do
  local _, _, holder = read_lease(lease)
  local list = holder == node and leased or cancelled
  list[#list + 1] = ids[i]
end
call_with_all('SREM', held, cancelled)

local dead = {}
if time - steady_since >= dead_after_s then
  dead = redis.call('ZRANGEBYSCORE', BEATS, '-inf', string.format('(%.6f', time - dead_after_s))
end

-- A token can be lost with the node that took it.
for i = 1, WAITING do
  if redis.call('ZCARD', KEYS[i]) > 0 then
    wake()
  end
end
return {cancelled, leased, dead, redis.call('SISMEMBER', DRAINING, node)}
