-- Answer items of a node, as far as their leases are still its own. Returns how many were answered.
-- Own keys: what the node holds, then the reply lists of the masters that asked.
-- Own arguments: node, seconds of life for the reply lists, then of each item: work id, attempt, which of
-- the reply lists, result as JSON.
local held = KEYS[OWN + 1]
local node, replies_lifetime_s = ARGV[3], ARGV[4]

local answered = 0
for i = 5, #ARGV, 4 do
  local id, attempt, replies, result = ARGV[i], ARGV[i + 1], KEYS[OWN + 1 + ARGV[i + 2]], ARGV[i + 3]
  local _, leased_attempt, leased_node = lease_of(id)
  if leased_node == node and leased_attempt == attempt then
    forget(id)
    redis.call('SREM', held, id)
    redis.call('RPUSH', replies, id .. '\n' .. result)
    answered = answered + 1
  elseif leased_node ~= node then
    redis.call('SREM', held, id)
  end
end
for i = OWN + 2, #KEYS do
  redis.call('EXPIRE', KEYS[i], replies_lifetime_s)
end
renew()
-- This node may have been the one that a suspect waits for.
if redis.call('ZCARD', SUSPECTS) > 0 then
  wake()
end
return answered
