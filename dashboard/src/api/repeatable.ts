import type { Middleware } from 'openapi-fetch';

/** Keys of POSTs whose outcome is not known yet, by what they asked for. */
const open = new Map<string, string>();
const asked = new WeakMap<Request, string>();

/** Gives each POST an Idempotency-Key: the same again when the one before did not come to an answer, so that trying once more is safe. */
export const repeatablePosts: Middleware = {
  async onRequest({ request }) {
    if (request.method !== 'POST') return;
    const question = `${request.url} ${await request.clone().text()}`;
    const key = open.get(question) ?? crypto.randomUUID();
    open.set(question, key);
    request.headers.set('Idempotency-Key', key);
    asked.set(request, question);
  },
  onResponse({ request, response }) {
    const question = asked.get(request);
    if (question !== undefined && response.status < 500) open.delete(question);
  },
};
