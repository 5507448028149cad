import { randomUUID } from 'node:crypto';
import { AppError } from '@webkiln/contract';
import { Change, type IncomingCaller } from '@webkiln/messages';
import { idempotencyGuard, newId } from '../idempotency/idempotency.ts';
import { defineModel } from '../model/define-model.ts';
import { scoped } from '../scoped.ts';
import { insertChange } from '../write/change.ts';
import { testCaller } from './index.ts';

const Projects = defineModel<{ name: string }>('projects', { name: String });

/** How an attempt ends after it created its project. */
export type Ending = 'answers' | 'dies' | AppError | Promise<'answers' | AppError>;

/** A client that repeats one request; each attempt creates a project, then ends as specified. */
export function repeatingClient(explicit: boolean) {
  const org_id = randomUUID();
  const id = randomUUID();
  const begun: string[] = [];
  const never = new Promise<never>(() => {});

  async function makeProject(caller: IncomingCaller, ending: Ending): Promise<Uint8Array> {
    const made = await insertChange(Projects, caller, new Change({ _id: newId(caller), name: 'Bakery' }, []));
    begun.push(made._id);
    const end = await ending;
    if (end === 'dies') return never;
    if (end instanceof AppError) throw end;
    return Buffer.from(made._id);
  }

  /** A request as it arrives: each has its own caller. */
  function send(ending: Ending = 'answers', { body = 'body', leaseMs = 120_000, signal = new AbortController().signal } = {}) {
    const caller = testCaller(org_id, { idempotency: { id, body, explicit }, deadlineAt: Date.now() + leaseMs, signal });
    return idempotencyGuard('projects.CreateProject', caller, () => makeProject(caller, ending));
  }
  const projects = () => scoped(Projects, { org_id }).count({});
  return { send, begun, projects, id };
}

/** The content of a reply, and whether it was replayed. */
export const text = (reply: Awaited<ReturnType<typeof idempotencyGuard>>) =>
  reply instanceof Uint8Array
    ? { text: Buffer.from(reply).toString(), replayed: false }
    : { ...reply, text: Buffer.from(reply.bytes).toString() };
