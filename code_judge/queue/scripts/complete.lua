-- Answer items of a node, as far as their leases are still its own.
-- Own keys: what the node holds, then the reply lists of the masters that asked.
-- Own arguments: node, seconds of life for the reply lists, then of each item: work id, attempt, which of
-- the reply lists, result as JSON.
local held = KEYS[OWN + 1]
local node, replies_lifetime_s = ARGV[3], ARGV[4]

local ids, replies = {}, {}
for i = 5, #ARGV, 4 do
  ids[#ids + 1] = ARGV[i]
end
for i = OWN + 2, #KEYS do
  replies[i] = {}
end

local answered, given_up = {}, {}
local done = {}
for i, lease in ipairs(hash_values(LEASES, ids)) do
  local id, at = ids[i], 4 * i + 1
  local _, attempt, holder = read_lease(lease)
  if holder == node and attempt == ARGV[at + 1] and not done[id] then
    done[id] = true
    answered[#answered + 1] = id
    local list = replies[OWN + 1 + ARGV[at + 2]]
    list[#list + 1] = id .. '\n' .. ARGV[at + 3]
  elseif holder ~= node then
    given_up[#given_up + 1] = id
  end
end

forget(answered)
call_with_all('SREM', held, answered)
call_with_all('SREM', held, given_up)
for i = OWN + 2, #KEYS do
  call_with_all('RPUSH', KEYS[i], replies[i])
  redis.call('EXPIRE', KEYS[i], replies_lifetime_s)
end
-- This node may have been the one that a suspect waits for.
if redis.call('ZCARD', SUSPECTS) > 0 then
  wake()
end
