import { type GetPromptResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

const startSite = {
  name: 'start_site',
  title: 'Start a site from a brief',
  description: 'Turns a brief into a client, a project from a fitting template, and links to show it.',
  arguments: [
    { name: 'brief', description: 'What the site is for, for whom, and what it should contain', required: true },
    { name: 'client_email', description: 'The email of the client, if known', required: false },
  ],
};

const maxArgumentLength = 10_000;

const steps = (brief: string, email: string) => `Start a website on Webkiln from this brief:

<brief>
${brief}
</brief>

1. ${email === '' ? 'Ask me for the email of the client' : `The client is ${email}`}. Look for it with list_clients; if it does not exist, propose to invite it with create_client and wait for my yes. For a site of the agency itself, or until the client is active, take my own email if I am a member: I can hand the project over later.
2. List the templates with list_templates, choose the one that fits the brief best, and say why. Without a fitting one, start empty.
3. Create the project with create_project: a short name from the brief, a description of one or two sentences, an idempotency_key.
4. Show me preview_url and builder_url from get_preview_links.

If a tool refuses, follow the sentence in its error.`;

/** The prompts that a person picks in its agent. */
export const prompts = {
  list: { prompts: [startSite] },

  /** Throws -32602 for an unknown prompt or a missing argument. */
  get({ name, arguments: given = {} }: { name: string; arguments?: Readonly<Record<string, string>> | undefined }): GetPromptResult {
    if (name !== startSite.name) throw refused(`There is no prompt ${name.slice(0, 100)}: prompts/list shows those that exist.`);
    const { brief = '', client_email: email = '' } = given;
    if (brief.trim() === '') throw refused('brief is required: say what the site is for.');
    if (brief.length + email.length > maxArgumentLength)
      throw refused(`The arguments have at most ${maxArgumentLength} characters together.`);
    return { description: startSite.description, messages: [{ role: 'user', content: { type: 'text', text: steps(brief, email) } }] };
  },
};

const refused = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message);
