/** What a model has seen: the brief, and the result of each tool that it called. */
export type Message =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'tool'; readonly name: string; readonly isError: boolean; readonly result: unknown };

interface Tool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: object;
}

/** What a model says next: a text for the person, or a tool to call. */
interface Turn {
  readonly text?: string;
  readonly call?: { readonly name: string; readonly arguments: Record<string, unknown> };
}

/**
 * A model that follows a script, so that the example runs without one. Yours sends the messages and the tools to its
 * provider, in the provider's form, and returns what comes back.
 */
export async function scriptedModel(messages: readonly Message[], tools: readonly Tool[]): Promise<Turn> {
  const [brief] = messages;
  const last = messages.at(-1);
  if (brief?.role !== 'user') throw new Error('the first message is the brief');
  if (last?.role === 'tool' && last.isError) return { text: `I cannot go on: ${JSON.stringify(last.result)}` };
  const resultOf = <T,>(name: string): T | undefined =>
    messages.flatMap((message) => (message.role === 'tool' && message.name === name ? [message.result as T] : []))[0];
  const call = (name: string, args: Record<string, unknown> = {}): Turn =>
    tools.some((tool) => tool.name === name) ? { call: { name, arguments: args } } : { text: `There is no tool ${name} for this key.` };

  const clients = resultOf<{ clients: { email: string; status: string }[] }>('list_clients');
  if (clients === undefined) return call('list_clients');
  const client = clients.clients.find(({ status }) => status === 'active');
  if (client === undefined) return { text: 'No client is active yet: invite one first.' };

  const templates = resultOf<{ templates: { id: string }[] }>('list_templates');
  if (templates === undefined) return call('list_templates');
  const made = resultOf<{ project: { id: string; name: string } }>('create_project');
  const template = templates.templates[0];
  if (made === undefined)
    return call('create_project', {
      name: brief.text,
      client_email: client.email,
      ...(template && { template_id: template.id }),
      idempotency_key: `site-agent: ${brief.text}`,
    });

  const links = resultOf<{ preview_url: string }>('get_preview_links');
  if (links === undefined) return call('get_preview_links', { project_id: made.project.id });
  return { text: `The site "${made.project.name}" is ready to be looked at: ${links.preview_url}` };
}
