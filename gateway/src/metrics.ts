import { histogram } from '@webkiln/runtime';

const duration = histogram({
  name: 'http_request_duration_seconds',
  help: 'Requests under /api/v1 by operation and status',
  labelNames: ['operation', 'status'],
  buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
});

const children = new Map<string, { observe(seconds: number): void }>();

/** One finished request. 499: the caller went away before the answer. */
export function observe(operation: string, status: number, ms: number): void {
  const name = `${operation} ${status}`;
  let child = children.get(name);
  if (child === undefined) {
    child = duration.labels({ operation, status: String(status) });
    children.set(name, child);
  }
  child.observe(ms / 1000);
}
