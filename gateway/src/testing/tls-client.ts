/** Connects to the Redis of the URL, as the gateway does, and prints "connected" or the reason. */
import { connected } from '@webkiln/runtime/testing/tls-client';
import { connectLimitedRedis } from '../admission/redis-limiter.ts';

const redis = connectLimitedRedis(process.argv[2] ?? '', 5_000);
redis.on('error', ({ message }) => process.stdout.write(`${message}\n`));
redis.on('ready', async () => process.stdout.write(`${(await redis.ping()) === 'PONG' ? connected : 'no answer'}\n`));
