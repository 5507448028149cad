import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { callerOf, connectTo, operatorOf, startReplica, transports, until } from '../testing/loopback.ts';
import { ReplicaProcess } from '../testing/replica-process.ts';
import { call } from './peers.ts';

/** The keepalive timeout: on a slow machine the stopped replica may be given up after it. */
const keepaliveTimeoutMs = 5000;

/** Bytes of buffers that are still referenced; runs the garbage collector first. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().arrayBuffers;
}

describe.each(transports)('calls (%s)', (transport) => {
  test.each(['caller', 'service'])('are refused as overloaded above maxInFlight of the %s, and accepted again below it', async (side) => {
    const held: (() => void)[] = [];
    await using replica = await startReplica(
      {
        'projects.GetProject': async () => {
          await new Promise<void>((resolve) => held.push(resolve));
          return {};
        },
      },
      side === 'service' ? { maxInFlight: 10 } : {},
    );
    await using _peers = connectTo(transport, [replica.port], side === 'caller' ? { maxInFlight: 10 } : {});
    const ask = () => call('projects.GetProject', { project_id: 'p' }, callerOf());
    const first = Array.from({ length: 10 }, ask);
    await until(() => held.length === 10);
    await expect(ask()).rejects.toMatchObject({ code: 'overloaded' });
    for (const answer of held.splice(0)) answer();
    await Promise.all(first);
    const again = ask();
    await until(() => held.length === 1);
    held[0]?.();
    await again;
  });

  test('to a stopped replica are held up to a limit, refused above it, and answered when the replica continues', async () => {
    await using replica = await ReplicaProcess.start();
    await using _peers = connectTo(transport, [replica.port]);
    const content = Buffer.alloc(900 * 1024);
    const ask = () => {
      return call('projects.WriteDraft', { project_id: 'p', files: [{ path: 'a', content }] }, operatorOf());
    };
    await ask();
    await replica.pause();
    const stoppedAt = performance.now();
    let refused = 0;
    const taken: Promise<unknown>[] = [];
    const before = heldBytes();
    for (let sent = 0; sent < 150; sent++) {
      const asked = ask().catch((error: { code: string }) => {
        if (error.code === 'overloaded') refused++;
        else if (error.code !== 'unavailable' || performance.now() - stoppedAt < keepaliveTimeoutMs) throw error;
      });
      taken.push(asked);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(refused).toBeGreaterThan(50);
    expect(heldBytes() - before).toBeLessThan(200 * 1024 * 1024);
    replica.kill('SIGCONT');
    await Promise.all(taken);
  });
});
