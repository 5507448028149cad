// npm install @modelcontextprotocol/client; WEBKILN_API_KEY=wk_… node agent.mts "A bakery in Lyon"
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type Message, scriptedModel } from './model.mts';

const maxTurns = 20;
const { WEBKILN_API_KEY, WEBKILN_BASE_URL = 'http://localhost:8080' } = process.env;
const [brief = 'A website for a bakery'] = process.argv.slice(2);

const client = new Client({ name: 'site-agent', version: '1.0.0' });
const headers = { Authorization: `Bearer ${WEBKILN_API_KEY}` };
await client.connect(new StreamableHTTPClientTransport(new URL('/api/mcp', WEBKILN_BASE_URL), { requestInit: { headers } }));
const { tools } = await client.listTools();

const messages: Message[] = [{ role: 'user', text: brief }];
for (let turn = 0; turn < maxTurns; turn++) {
  const { text, call } = await scriptedModel(messages, tools);
  if (call === undefined) {
    console.log(text);
    break;
  }
  console.error(`${call.name} ${JSON.stringify(call.arguments)}`);
  // Errors are results, too: they say what is wrong and what to do next, for the model to read.
  const { structuredContent, content, isError } = await client.callTool(call);
  messages.push({ role: 'tool', name: call.name, isError: isError === true, result: structuredContent ?? content });
}
await client.close();
