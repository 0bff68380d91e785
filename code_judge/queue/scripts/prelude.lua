-- Stands before every script: names for the shared keys, and what several scripts do.
-- KEYS: those of SHARED in keys.py, then the script's own, from KEYS[OWN + 1] on.
-- ARGV: seconds of life for the shared keys, MAX_ATTEMPTS, then the script's own, from ARGV[3] on.

local CLASSES = {KEYS[1], KEYS[2], KEYS[3]} -- most urgent first
local SUSPECTS, PAYLOADS, LEASES, LOSSES, PROGRESS, WAKE = unpack(KEYS, 4, 9)
local BEATS, NODES, PULSE, DRAINING = unpack(KEYS, 10, 13)
local WAITING = 4 -- KEYS[1] to KEYS[WAITING] are where an unclaimed item can be
local OWN = 14
local LIFETIME_S, MAX_ATTEMPTS = ARGV[1], tonumber(ARGV[2])
local BAND = 1e15 -- a score is the class's rank times this, plus the position within the class

-- Seconds by Redis's clock. Those of masters and nodes are never compared with anything.
local function now()
  local time = redis.call('TIME')
  return time[1] + time[2] / 1e6
end

-- Whole, as Lua by itself would round to 14 digits.
local function score_of(rank, position)
  return string.format('%.0f', rank * BAND + position)
end

local function rank_of(score)
  return math.floor(score / BAND)
end

-- Whoever may bring a key into being gives it its lifetime.
local function keep(key)
  redis.call('EXPIRE', key, LIFETIME_S)
end

local function keep_all()
  for i = 1, OWN do
    keep(KEYS[i])
  end
end

-- One command for many arguments, a thousand at a time: Lua's stack holds no more than some thousands.
local function call_with_all(command, key, arguments)
  for first = 1, #arguments, 1000 do
    redis.call(command, key, unpack(arguments, first, math.min(first + 999, #arguments)))
  end
end

-- The values of many fields of a hash, in their order; false for those that are not there.
local function hash_values(key, fields)
  local values = {}
  for first = 1, #fields, 1000 do
    local some = redis.call('HMGET', key, unpack(fields, first, math.min(first + 999, #fields)))
    for i, value in ipairs(some) do
      values[first + i - 1] = value
    end
  end
  return values
end

-- See to it that a node looks for work. One token is enough: who takes it and leaves work lays it again.
local function wake()
  if redis.call('LLEN', WAKE) == 0 then
    redis.call('RPUSH', WAKE, '1')
    keep(WAKE)
  end
end

-- An item whose next lost node is its last waits apart: see claim.
local function is_suspect(losses)
  losses = tonumber(losses or 0)
  return losses > 0 and losses >= MAX_ATTEMPTS - 1
end

-- Put a once claimed item back where it was: its old score is at or before the head.
local function requeue(id, score)
  local queue = CLASSES[rank_of(score) + 1]
  if is_suspect(redis.call('HGET', LOSSES, id)) then
    queue = SUSPECTS
  end
  redis.call('ZADD', queue, score, id)
end

-- A lease as text, and what is in one: score, attempt and node, or nothing for false.
local function write_lease(score, attempt, node)
  return score .. ' ' .. attempt .. ' ' .. node
end

local function read_lease(lease)
  if lease then
    return string.match(lease, '^(%S+) (%S+) (.+)$')
  end
end

local function lease_of(id)
  return read_lease(redis.call('HGET', LEASES, id))
end

-- Everything of these items but their places in queues.
local function forget(ids)
  call_with_all('HDEL', PAYLOADS, ids)
  call_with_all('HDEL', LEASES, ids)
  call_with_all('HDEL', LOSSES, ids)
end

-- Take an item from a node that is done with it unanswered; it keeps its attempts.
local function give_back(held, node, id)
  local score, _, leased_node = lease_of(id)
  if leased_node == node then
    redis.call('HDEL', LEASES, id)
    requeue(id, score)
  end
  redis.call('SREM', held, id)
end

-- A node is no more: nothing that is said of it holds any longer.
local function forget_node(node)
  redis.call('ZREM', BEATS, node)
  redis.call('HDEL', NODES, node)
  redis.call('SREM', DRAINING, node)
end

