-- Put a chunk in, all of it or nothing. Returns its last score, or false where it would not fit.
-- Own keys: the batch's flow. Own arguments: MAX_QUEUE_LENGTH, rank of the class, seconds of life for the
-- flow, then work id and payload of each item; a payload is JSON that lacks its timestamp.
local flow = KEYS[OWN + 1]
local max_length, rank, flow_lifetime_s = tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5]

-- Items that are here already are left alone, so that a chunk may be sent again when in doubt.
local ids = {}
for i = 6, #ARGV, 2 do
  ids[#ids + 1] = ARGV[i]
end
local new = {}
for i, payload in ipairs(hash_values(PAYLOADS, ids)) do
  if not payload then
    new[#new + 1] = i
  end
end

local length = #new
for i = 1, WAITING do
  length = length + redis.call('ZCARD', KEYS[i])
end
if length > max_length then
  return false
end

-- One position for each item, from the batch's latest or, for a new batch, from where the class is now.
-- So batches of one class take turns, item by item.
local reached = tonumber(redis.call('HGET', PROGRESS, rank) or 0)
local position = math.max(reached, tonumber(redis.call('GET', flow) or 0))
local timestamp = string.format('{"timestamp":%.6f,', now())
local payloads, places = {}, {}
for _, i in ipairs(new) do
  position = position + 1
  payloads[#payloads + 1] = ids[i]
  payloads[#payloads + 1] = timestamp .. string.sub(ARGV[5 + 2 * i], 2)
  places[#places + 1] = score_of(rank, position)
  places[#places + 1] = ids[i]
end
call_with_all('HSET', PAYLOADS, payloads)
call_with_all('ZADD', CLASSES[rank + 1], places)
redis.call('SET', flow, string.format('%.0f', position), 'EX', flow_lifetime_s)
keep_all()
wake()
return score_of(rank, position)
