/**
 * Per credential the times of its accepted requests, oldest first, by Redis' own clock: exact over any window and over all gateways.
 * Takes the requests of one turn in one call: ARGV is the window (ms), then quota and cost of each key's request; a cost of 0 only looks.
 * Replies, for each in turn, accepted (0 or 1), remaining, and ms until the oldest leaves.
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
