/**
 * Sliding-window log: each key lists the times of its accepted requests, oldest first, by Redis' clock.
 * Exact over any window and over all gateways. One call serves a batch of requests, two keys each: the credential's and
 * its organization's. Both count a request, or neither does.
 * ARGV: the window in ms, then cost, quota and the organization's quota for each request. A cost of 0 only reads; a
 * quota of -1 is not asked.
 * Returns for each request: 1 accepted, 0 refused, -1 refused by the organization's quota; then of the quota that
 * refused, else of the credential's: remaining, and ms until the oldest request leaves the window.
 */
export const rateLimitScript = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local window = ARGV[1] * 1000
local function used(key)
  local oldest = redis.call('LINDEX', key, 0)
  while oldest and tonumber(oldest) <= now - window do
    redis.call('LPOP', key)
    oldest = redis.call('LINDEX', key, 0)
  end
  return redis.call('LLEN', key), oldest
end
local function count(key)
  redis.call('RPUSH', key, string.format('%.0f', now))
  redis.call('PEXPIRE', key, ARGV[1])
end
local replies = {}
for i = 1, #KEYS / 2 do
  local own, shared = KEYS[2 * i - 1], KEYS[2 * i]
  local cost, quota, sharedQuota = tonumber(ARGV[3 * i - 1]), tonumber(ARGV[3 * i]), tonumber(ARGV[3 * i + 1])
  local ownUsed, oldest = used(own)
  local accepted, remaining, since = 1, quota - ownUsed - cost, oldest or now
  if ownUsed + cost > quota then
    accepted, remaining, since = 0, math.max(quota - ownUsed, 0), redis.call('LINDEX', own, ownUsed - quota)
  elseif cost > 0 then
    if sharedQuota >= 0 then
      local sharedUsed = used(shared)
      if sharedUsed + cost > sharedQuota then
        accepted, remaining, since = -1, 0, redis.call('LINDEX', shared, sharedUsed - sharedQuota) or now
      else
        count(shared)
      end
    end
    if accepted == 1 then count(own) end
  end
  replies[3 * i - 2], replies[3 * i - 1], replies[3 * i] = accepted, remaining, math.ceil((since + window - now) / 1000)
end
return replies
`;
