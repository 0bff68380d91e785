-- Items that wait.
local length = 0
for queue = 1, WAITING do
  length = length + redis.call('ZCARD', KEYS[queue])
end
return length
