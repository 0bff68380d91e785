-- Where items are. Own arguments: work ids. Returns WorkState's values in their order.
local function state(id)
  for queue = 1, WAITING do
    if redis.call('ZSCORE', KEYS[queue], id) then
      return 'queued'
    end
  end
  return redis.call('HEXISTS', LEASES, id) == 1 and 'leased' or 'gone'
end

local states = {}
for i = 3, #ARGV do
  states[#states + 1] = state(ARGV[i])
end
return states
