/**
 * Sliding-window log: each key lists the times of its accepted requests, oldest first, by Redis' clock.
 * Exact over any window and over all gateways. One call serves a batch of requests, one key each.
 * ARGV: the window in ms, then quota and cost for each key; a cost of 0 only reads.
 * Returns for each key: accepted (0 or 1), remaining, and ms until the oldest request leaves the window.
 */
export const rateLimitScript = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local window = ARGV[1] * 1000
local replies = {}
for i, key in ipairs(KEYS) do
  local quota, cost = tonumber(ARGV[2 * i]), tonumber(ARGV[2 * i + 1])
  local oldest = redis.call('LINDEX', key, 0)
  while oldest and tonumber(oldest) <= now - window do
    redis.call('LPOP', key)
    oldest = redis.call('LINDEX', key, 0)
  end
  local used = redis.call('LLEN', key)
  local accepted, remaining, since = 1, quota - used - cost, oldest or now
  if used + cost > quota then
    accepted, remaining, since = 0, math.max(quota - used, 0), redis.call('LINDEX', key, used - quota)
  elseif cost > 0 then
    redis.call('RPUSH', key, string.format('%.0f', now))
    redis.call('PEXPIRE', key, ARGV[1])
  end
  replies[3 * i - 2], replies[3 * i - 1], replies[3 * i] = accepted, remaining, math.ceil((since + window - now) / 1000)
end
return replies
`;
