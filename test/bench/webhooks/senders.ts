import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import type { BenchOrganization } from '../organization.ts';

/**
 * So many callers that create clients one after the other, each with the moment of its request as its name. Resolves with how many were
 * accepted after `seconds`.
 */
export async function createClients(
  baseUrl: string,
  { headers }: BenchOrganization,
  { senders, seconds }: { senders: number; seconds: number },
): Promise<number> {
  const { origin, pathname } = new URL(baseUrl);
  const pool = new Pool(origin, { connections: senders });
  const over = new AbortController();
  let [turn, accepted] = [0, 0];
  const send = async () => {
    while (!over.signal.aborted) {
      const mine = turn++;
      const response = await pool.request({
        method: 'POST',
        path: `${pathname}/clients`,
        headers: { ...headers[mine % headers.length], 'content-type': 'application/json' },
        body: JSON.stringify({ email: `${crypto.randomUUID()}@example.test`, name: String(process.hrtime.bigint()) }),
      });
      const answer = await response.body.text();
      if (response.statusCode !== 201) throw new Error(`POST /clients: ${response.statusCode} ${answer}`);
      accepted += 1;
    }
  };
  const sending = Promise.all(Array.from({ length: senders }, send));
  await Promise.race([sending, pause(seconds * 1000)]);
  over.abort();
  await sending;
  await pool.close();
  return accepted;
}
