import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Json } from './api.ts';
import { PythonProgram } from './python-program.ts';

/** A program that calls tools on an official client. */
export interface ToolCaller extends AsyncDisposable {
  /** The structured content of a tool's success; throws what it refused. */
  use(name: string, args?: object): Promise<Json>;
}

/** Starts callers by the language of the client, at the address of an MCP server, with a key or a token. */
export const toolCallers = {
  async TypeScript(url: string, credential: string): Promise<ToolCaller> {
    const client = new Client({ name: 'tool-caller', version: '1.0.0' });
    const requestInit = { headers: { authorization: `Bearer ${credential}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    return {
      async use(name, args = {}) {
        const { isError, content, structuredContent } = await client.callTool({ name, arguments: { ...args } });
        if (isError) throw new Error(`${name}: ${JSON.stringify(content)}`);
        return structuredContent;
      },
      [Symbol.asyncDispose]: () => client.close(),
    };
  },

  async Python(url: string, credential: string): Promise<ToolCaller> {
    const program = await PythonProgram.start('tool_calls.py', [url, credential]);
    return {
      async use(name, args = {}) {
        const { error, content } = await program.ask({ name, arguments: args });
        if (error !== undefined) throw new Error(`${name}: ${error}`);
        return content;
      },
      [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
    };
  },
} as const;
