import { AppError } from '@webkiln/contract';
import type { IncomingReply, OperatorMethod, RequestOf } from '@webkiln/rpc';
import { everyRecord } from './pages.ts';

/** Calls services for the exported organization. */
export type Asker = <M extends OperatorMethod>(method: M, request: RequestOf<M>) => Promise<IncomingReply<M>>;

export const everyProject = (ask: Asker) =>
  everyRecord(async (page) => {
    const { projects, next_cursor } = await ask('projects.ListProjects', page);
    return { records: projects, next: next_cursor };
  });

export const everyClient = (ask: Asker) =>
  everyRecord(async (page) => {
    const { clients, next_cursor } = await ask('clients.ListClients', page);
    return { records: clients, next: next_cursor };
  });

export const everyTemplate = (ask: Asker) =>
  everyRecord(async (page) => {
    const { templates, next_cursor } = await ask('templates.ListTemplates', page);
    return { records: templates, next: next_cursor };
  });

/** What `read` yields for each record; the rest of one that is deleted meanwhile is left out. */
export async function* ofEach<T>(records: AsyncIterable<{ id: string }>, read: (id: string) => AsyncIterable<T>): AsyncGenerator<T> {
  for await (const { id } of records) {
    try {
      yield* read(id);
    } catch (error) {
      if (!(error instanceof AppError && error.kind === 'not_found')) throw error;
    }
  }
}
