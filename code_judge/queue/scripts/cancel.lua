-- Forget items. The node that holds one learns it with its next heartbeat: the item is then among those
-- it holds and has no lease. Own arguments: work ids.
for i = 3, #ARGV do
  for queue = 1, WAITING do
    redis.call('ZREM', KEYS[queue], ARGV[i])
  end
  forget(ARGV[i])
end
