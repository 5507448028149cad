/** A service that does nothing, for tests of the process's life cycle. CASE selects a variant. */
import * as z from 'zod';
import { counter, logRequest, runService } from '../index.ts';

const special = process.env.CASE;
let broken = false;

const settings = z.object({ IDLE_SECRET: z.string().min(40, { error: 'must have 40 characters' }) });

await runService('idle', special === 'misconfigured' ? settings : z.object({}), async () => {
  if (special === 'cannot start') throw new Error('no disk');
  if (special === 'warns') {
    process.emitWarning('this goes away', 'DeprecationWarning');
    console.error('two\nlines of', { a: 'library' });
  }
  if (special === 'answers')
    for (const status of [200, 404, 500, 503])
      logRequest({ status, failure: status === 503 ? 'identity.GetSession: no answer' : undefined });
  if (special === 'crashes') setImmediate(() => Promise.reject(new Error('unforeseen')));
  process.on('message', () => {
    broken = true;
  });
  counter({ name: 'idle_starts_total', help: 'Starts' }).inc();
  const alive = setInterval(() => undefined, 1000);
  return {
    ports: { idle: 1 },
    checks: {
      disk() {
        if (broken) throw new Error('the disk is full');
      },
    },
    routes: { '/say': async (query) => ({ status: 202, text: query.get('word') ?? '' }) },
    async stop() {
      clearInterval(alive);
      if (process.connected) process.send?.({ stopped: true });
    },
  };
});
