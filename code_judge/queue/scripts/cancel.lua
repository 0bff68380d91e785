-- Forget items. The node that holds one learns it with its next heartbeat: the item is then among those
-- it holds and has no lease. Own arguments: work ids.
local ids = {}
for i = 3, #ARGV do
  ids[#ids + 1] = ARGV[i]
end
for queue = 1, WAITING do
  call_with_all('ZREM', KEYS[queue], ids)
end
forget(ids)
