import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import type { BenchOrganization } from '../organization.ts';

/**
 * Runs `senders` callers that create clients one after the other, each named by the time of its request. Resolves
 * after `seconds` with the number of accepted requests.
 */
export async function createClients(
  baseUrl: string,
  { headers }: BenchOrganization,
  { senders, seconds }: { senders: number; seconds: number },
): Promise<number> {
  const { origin, pathname } = new URL(baseUrl);
  const pool = new Pool(origin, { connections: senders });
  const stopping = new AbortController();
  let [next, accepted] = [0, 0];
  const send = async () => {
    while (!stopping.signal.aborted) {
      const index = next++;
      const response = await pool.request({
        method: 'POST',
        path: `${pathname}/clients`,
        headers: { ...headers[index % headers.length], 'content-type': 'application/json' },
        body: JSON.stringify({ email: `${crypto.randomUUID()}@example.test`, name: String(process.hrtime.bigint()) }),
      });
      const answer = await response.body.text();
      if (response.statusCode !== 201) throw new Error(`POST /clients: ${response.statusCode} ${answer}`);
      accepted += 1;
    }
  };
  const sending = Promise.all(Array.from({ length: senders }, send));
  await Promise.race([sending, pause(seconds * 1000)]);
  stopping.abort();
  await sending;
  await pool.close();
  return accepted;
}
