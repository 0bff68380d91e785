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
  for _, losses in ipairs(hash_values(LOSSES, redis.call('SMEMBERS', held))) do
    if is_suspect(losses) then
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
local progress = redis.call('HMGET', PROGRESS, 'turn', '0', '1', '2')
local turn = tonumber(progress[1] or 0)
for _ = 1, math.min(wanted, left[1] + left[2] + left[3]) do
  turn = turn + 1
  local class = (turn % 64 == 0 and 3) or (turn % 8 == 0 and 2) or 1
  if left[class] == 0 then
    class = (left[1] > 0 and 1) or (left[2] > 0 and 2) or 3
  end
  left[class] = left[class] - 1
  turns[class] = turns[class] + 1
end

local advance = {'turn', string.format('%.0f', turn)}
for class, count in ipairs(turns) do
  if count > 0 then
    take(CLASSES[class], count)
    local rank = class - 1
    local position = scores[#scores] - rank * BAND
    -- Items that came back have old positions: progress never goes back.
    if position > tonumber(progress[class + 1] or 0) then
      advance[#advance + 1] = rank
      advance[#advance + 1] = string.format('%.0f', position)
    end
  end
end

local answer = {string.format('%.6f', now())}
if #ids == 0 then
  return answer
end
local payloads, losses = hash_values(PAYLOADS, ids), hash_values(LOSSES, ids)
local leases, leased = {}, {}
for i, id in ipairs(ids) do
  if payloads[i] then
    local attempt = (losses[i] or 0) + 1
    leases[#leases + 1] = id
    leases[#leases + 1] = write_lease(scores[i], attempt, node)
    leased[#leased + 1] = id
    answer[#answer + 1] = payloads[i]
    answer[#answer + 1] = attempt
  end
end
call_with_all('HSET', PROGRESS, advance)
call_with_all('HSET', LEASES, leases)
call_with_all('SADD', held, leased)
keep(PROGRESS)
keep(LEASES)
keep(held)
if left[1] + left[2] + left[3] > 0 or (took_suspect and redis.call('ZCARD', SUSPECTS) > 0) then
  wake()
end
return answer
