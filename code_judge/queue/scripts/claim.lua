-- Lease items to a node. Returns Redis's time, then payload and attempt of each item.
-- Own keys: what the node holds. Own arguments: node, how many items at most.
local held = KEYS[OWN + 1]
local node, wanted = ARGV[3], tonumber(ARGV[4])

local ids, scores = {}, {}
local function take(queue, count)
  local popped = redis.call('ZPOPMIN', queue, count)
  for i = 1, #popped, 2 do
    ids[#ids + 1] = popped[i]
    scores[#scores + 1] = popped[i + 1]
  end
end

local function holds_suspect()
  for _, id in ipairs(redis.call('SMEMBERS', held)) do
    if is_suspect(redis.call('HGET', LOSSES, id)) then
      return true
    end
  end
  return false
end

-- Suspects go first, but one to a node at a time: items that went down together with the one to blame
-- part from it here, before it takes their last node from them.
local took_suspect = redis.call('ZCARD', SUSPECTS) > 0 and not holds_suspect()
if took_suspect then
  take(SUSPECTS, 1)
  wanted = wanted - 1
end

-- The most urgent class goes first, but every 8th turn is batch's and every 64th long-batch's.
local left, turns = {}, {0, 0, 0}
for class, queue in ipairs(CLASSES) do
  left[class] = redis.call('ZCARD', queue)
end
local turn = tonumber(redis.call('HGET', PROGRESS, 'turn') or 0)
for _ = 1, math.min(wanted, left[1] + left[2] + left[3]) do
  turn = turn + 1
  local class = (turn % 64 == 0 and 3) or (turn % 8 == 0 and 2) or 1
  if left[class] == 0 then
    class = (left[1] > 0 and 1) or (left[2] > 0 and 2) or 3
  end
  left[class] = left[class] - 1
  turns[class] = turns[class] + 1
end
for class, count in ipairs(turns) do
  if count > 0 then
    take(CLASSES[class], count)
    -- Items that came back have old positions: progress never goes back.
    local rank = class - 1
    local reached = tonumber(redis.call('HGET', PROGRESS, rank) or 0)
    local position = math.max(reached, scores[#scores] - rank * BAND)
    redis.call('HSET', PROGRESS, rank, string.format('%.0f', position))
  end
end

local answer = {string.format('%.6f', now())}
if #ids == 0 then
  return answer
end
redis.call('HSET', PROGRESS, 'turn', string.format('%.0f', turn))
local payloads = redis.call('HMGET', PAYLOADS, unpack(ids))
local losses = redis.call('HMGET', LOSSES, unpack(ids))
for i, id in ipairs(ids) do
  if payloads[i] then
    local attempt = (losses[i] or 0) + 1
    lease(id, scores[i], attempt, node)
    redis.call('SADD', held, id)
    answer[#answer + 1] = payloads[i]
    answer[#answer + 1] = attempt
  end
end
renew()
renew_own(held)
if left[1] + left[2] + left[3] > 0 or (took_suspect and redis.call('ZCARD', SUSPECTS) > 0) then
  wake()
end
return answer
