-- Take a dead node's items from it. Those that may have another node wait again. Those that have taken
-- MAX_ATTEMPTS nodes down stay with the dead node until they are answered in its name; only then is it
-- forgotten, so that a caller that fails meanwhile leaves nothing behind. Returns whether it is, how many
-- items wait again, payload and attempt of each item to be answered.
-- Own keys: what the dead node holds. Own arguments: dead node, seconds without a heartbeat after which a
-- node is dead.
local held = KEYS[OWN + 1]
local node, dead_after_s = ARGV[3], tonumber(ARGV[4])

local answer = {0, 0} -- forgotten, returned, then what is condemned
local beat = redis.call('ZSCORE', BEATS, node)
if not beat or now() - beat < dead_after_s then
  return answer -- another node was faster, or it is back
end
for _, id in ipairs(redis.call('SMEMBERS', held)) do
  local _, attempt, leased_node = lease_of(id)
  if leased_node == node and tonumber(attempt) >= MAX_ATTEMPTS then
    answer[#answer + 1] = redis.call('HGET', PAYLOADS, id)
    answer[#answer + 1] = tonumber(attempt)
  else
    if leased_node == node then
      redis.call('HSET', LOSSES, id, attempt)
      answer[2] = answer[2] + 1
    end
    give_back(held, node, id)
  end
end
if #answer == 2 then
  answer[1] = 1
  forget_node(node)
end
keep_all()
wake()
return answer
