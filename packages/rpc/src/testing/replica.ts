/** A replica of projects-templates as a child process that tests stop and kill: `replica.ts <public key> <port>`. */
import { flushCompileCache } from 'node:module';
import { service, startReplica, trustingVerifier } from './loopback.ts';

const [publicKey = '', port] = process.argv.slice(2);

/** Reports the call to the parent process; never answers for the id "wait". */
async function answer(project_id: string): Promise<string> {
  process.send?.({ called: project_id });
  if (project_id === 'wait') await new Promise(() => undefined);
  return String(process.pid);
}

const serving = await startReplica(
  {
    'projects.GetProject': async ({ project_id }) => ({ etag: await answer(project_id) }),
    'projects.DeleteProject': async ({ project_id }) => ({ id: await answer(project_id) }),
    'projects.WriteDraft': async ({ files }) => ({ files: files.map(({ path, content }) => ({ path, size: content.length })) }),
  },
  { verifier: trustingVerifier(service, publicKey), port: Number(port) },
);
process.on('disconnect', () => process.exit());
process.send?.({ port: serving.port });
// Replicas are killed, and several suites start them.
flushCompileCache();
