import { chatStream } from './chat-stream.ts';
import { providerFetch } from './provider-fetch.ts';
import { adapted, askedFor, type ChatRequest, type QuirkName, type ServerQuirks } from './request-quirks.ts';

/** Statuses that no other form of the request changes. */
const final = new Set([401, 402, 403, 408, 429]);
const maxComplaintCharacters = 4_000;

/**
 * A fetch for chat completions. It sends requests as the server of the model wants them: where one is refused with
 * words that ask for another form, it is sent in that form. A form that was taken is remembered in `quirks`. Answers
 * come as the stream that the SDK reads.
 */
export const chatFetch =
  (quirks: ServerQuirks): typeof fetch =>
  async (input, init) => {
    const body = JSON.parse(String(init?.body)) as ChatRequest;
    const wanted: QuirkName[] = [];
    for (;;) {
      const sent = adapted(body, quirks, wanted);
      const response = await providerFetch(input, { ...init, body: JSON.stringify(sent) });
      if (response.ok) {
        for (const name of wanted) quirks.names.add(name);
        return chatStream(response, quirks);
      }
      if (final.has(response.status)) return response;
      const complaint = await response.text();
      const asked = askedFor(complaint.slice(0, maxComplaintCharacters), sent, [...quirks.names, ...wanted], quirks);
      if (asked === undefined) return new Response(complaint, response);
      wanted.push(asked);
    }
  };
