import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { Agent } from '../harness/agent.ts';

const run = promisify(execFile);
const program = path.resolve(__dirname, '../node_modules/@modelcontextprotocol/conformance/dist/index.js');

// docs/mcp.md lists the other scenarios, with the reason why they do not apply.
test.each(['server-initialize', 'ping', 'tools-list', 'resources-list', 'prompts-list', 'dns-rebinding-protection'])(
  'the scenario %s of the official conformance suite passes',
  async (scenario) => {
    const args = [program, 'server', '--url', new Agent(undefined).url, '--scenario', scenario];
    const { stdout } = await run(process.execPath, args).catch((error: { stdout?: string }) => Promise.reject(new Error(error.stdout)));
    expect(stdout).toMatch(/[1-9]\d* passed, 0 failed|Passed: ([1-9]\d*)\/\1/);
  },
);
