-- Remove a node; what it still holds goes back, as not attempted.
-- Own keys: what the node holds. Own arguments: node.
local held, node = KEYS[OWN + 1], ARGV[3]

for _, id in ipairs(redis.call('SMEMBERS', held)) do
  give_back(held, node, id)
end
forget_node(node)
keep_all()
wake()
