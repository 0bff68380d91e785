-- The score of the head of the most urgent class that waits, or false.
for _, queue in ipairs(CLASSES) do
  local head = redis.call('ZRANGE', queue, 0, 0, 'WITHSCORES')
  if head[2] then
    return head[2]
  end
end
return false
