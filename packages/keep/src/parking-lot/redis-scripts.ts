/**
 * The Lua scripts of a RedisLot; Redis and Valkey run each of them at once, without anything between.
 *
 * A session is a hash: f fence, h holder, u ms until which it is held, d form. Beside it the lot has three keys of its own: "order" (sessions
 * with a form by the time they were parked), "sizes" (bytes of each form) and "fence" (the last fence). All keys of a lot share a hash tag,
 * so that a cluster keeps them together.
 */
const clock = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local function text(n) return string.format('%.0f', n) end
local function isHeld(key)
  local u = redis.call('HGET', key, 'u')
  return u and tonumber(u) > now
end`;

/** Takes the bytes of a form out of the count. */
const forget = `
local function forget(lot, name)
  redis.call('ZREM', lot .. 'order', name)
  local b = redis.call('HGET', lot .. 'sizes', name)
  if b then
    redis.call('HDEL', lot .. 'sizes', name)
    redis.call('DECRBY', lot .. 'bytes', b)
  end
end`;

/** Fences follow the clock of the server and never repeat, also after its data was lost. */
const nextFence = `
local function nextFence(lot)
  local fence = t[1] * 1000000 + t[2]
  local last = tonumber(redis.call('GET', lot .. 'fence') or '0')
  if last >= fence then fence = last + 1 end
  redis.call('SET', lot .. 'fence', text(fence))
  return text(fence)
end`;

/** Puts a form in, then makes room: expired ones go, and the longest parked above the bound, a hundred at most per call. */
const store = `
local function store(lot, name, form, keep, most)
  local key = lot .. 's:' .. name
  forget(lot, name)
  redis.call('HDEL', key, 'h', 'u')
  redis.call('HSET', key, 'd', form)
  redis.call('PEXPIRE', key, keep)
  redis.call('ZADD', lot .. 'order', now, name)
  redis.call('HSET', lot .. 'sizes', name, #form)
  local total = redis.call('INCRBY', lot .. 'bytes', #form)
  for _, other in ipairs(redis.call('ZRANGE', lot .. 'order', 0, 99)) do
    local place = lot .. 's:' .. other
    if redis.call('EXISTS', place) == 0 then
      forget(lot, other)
    elseif tonumber(redis.call('GET', lot .. 'bytes')) > tonumber(most) and other ~= name and not isHeld(place) then
      redis.call('DEL', place)
      forget(lot, other)
    end
  end
  return {1, redis.call('ZCARD', lot .. 'order'), redis.call('GET', lot .. 'bytes')}
end`;

/** KEYS: lot, session. ARGV: name, then as named in each script. Results begin with 1 (done) or 0 (refused). */
export const redisScripts = {
  /** form, keep ms, most bytes */
  put: `${clock}${forget}${nextFence}${store}
local key = KEYS[2]
if isHeld(key) then return {0} end
redis.call('HSET', key, 'f', nextFence(KEYS[1]))
return store(KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4])`,
  /** form, keep ms, most bytes, fence */
  putFenced: `${clock}${forget}${store}
if redis.call('HGET', KEYS[2], 'f') ~= ARGV[5] then return {0} end
return store(KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4])`,
  get: `return {1, redis.call('HGET', KEYS[2], 'd')}`,
  remove: `${clock}${forget}
if isHeld(KEYS[2]) then return {0} end
forget(KEYS[1], ARGV[1])
return {1, redis.call('DEL', KEYS[2])}`,
  /** fence */
  removeFenced: `${forget}
if redis.call('HGET', KEYS[2], 'f') ~= ARGV[2] then return {1, 0} end
forget(KEYS[1], ARGV[1])
return {1, redis.call('DEL', KEYS[2])}`,
  /** holder, claim ms, keep ms */
  claim: `${clock}${nextFence}
if isHeld(KEYS[2]) and redis.call('HGET', KEYS[2], 'h') ~= ARGV[2] then return {0} end
local fence = nextFence(KEYS[1])
redis.call('HSET', KEYS[2], 'f', fence, 'h', ARGV[2], 'u', text(now + ARGV[3]))
redis.call('PEXPIRE', KEYS[2], ARGV[4])
return {1, fence, redis.call('HGET', KEYS[2], 'd')}`,
  holder: `${clock}
if not isHeld(KEYS[2]) then return {0} end
return {1, redis.call('HGET', KEYS[2], 'h'), text(redis.call('HGET', KEYS[2], 'u') - now)}`,
  /** fence, claim ms, keep ms */
  renew: `${clock}
if redis.call('HGET', KEYS[2], 'f') ~= ARGV[2] or not redis.call('HGET', KEYS[2], 'h') then return {0} end
redis.call('HSET', KEYS[2], 'u', text(now + ARGV[3]))
redis.call('PEXPIRE', KEYS[2], ARGV[4])
return {1}`,
  /** fence */
  release: `
if redis.call('HGET', KEYS[2], 'f') ~= ARGV[2] then return {0} end
if redis.call('HEXISTS', KEYS[2], 'd') == 0 then redis.call('DEL', KEYS[2]) else redis.call('HDEL', KEYS[2], 'h', 'u') end
return {1}`,
} as const;
