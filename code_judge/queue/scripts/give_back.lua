-- Return items of a node to where they waited, as not attempted.
-- Own keys: what the node holds. Own arguments: node, work ids.
for i = 4, #ARGV do
  give_back(KEYS[OWN + 1], ARGV[3], ARGV[i])
end
keep_all()
wake()
