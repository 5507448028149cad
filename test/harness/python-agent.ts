import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Json } from './api.ts';
import type { OfficialAgent } from './official-agent.ts';
import { PythonProgram } from './python-program.ts';

/** A desktop agent on the official Python client, in a process of its own that keeps its tokens in a file. */
export class PythonAgent implements OfficialAgent {
  readonly #url: string;
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'webkiln-agent-'));
  #program: PythonProgram | undefined;
  /** True while its call waits for a person, and it reads no requests. */
  #isWaiting = false;

  private constructor(url: string) {
    this.#url = url;
  }

  /** `url` is the address of the MCP server. */
  static async start(url: string): Promise<PythonAgent> {
    const agent = new PythonAgent(url);
    await agent.restart();
    return agent;
  }

  async listTools(): Promise<string[]> {
    return resultOf(await this.#ask('list_tools'));
  }

  async call(): Promise<string | undefined> {
    const answer = await this.#ask('call');
    this.#isWaiting = answer.page !== undefined;
    if (this.#isWaiting) return answer.page;
    expectSuccess(answer);
    return undefined;
  }

  async finishSignIn(): Promise<void> {
    expectSuccess(await this.#running().next());
    this.#isWaiting = false;
  }

  refreshToken(): string | undefined {
    return existsSync(this.#file) ? JSON.parse(readFileSync(this.#file, 'utf8')).tokens?.refresh_token : undefined;
  }

  async expire(): Promise<void> {
    resultOf(await this.#ask('expire'));
  }

  async restart(): Promise<void> {
    await this.#program?.[Symbol.asyncDispose]();
    this.#isWaiting = false;
    this.#program = await PythonProgram.start('connected_agent.py', [this.#url, this.#file]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#program?.[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true });
  }

  get #file(): string {
    return path.join(this.#folder, 'kept.json');
  }

  #running(): PythonProgram {
    if (this.#program === undefined) throw new Error('the agent was not started');
    return this.#program;
  }

  async #ask(what: string): Promise<Json> {
    if (this.#isWaiting) throw new Error('the agent waits for its person to sign in');
    return this.#running().ask({ do: what });
  }
}

function resultOf({ result, error }: Json): Json {
  if (error !== undefined) throw new Error(error);
  return result;
}

function expectSuccess(answer: Json): void {
  if (resultOf(answer).is_error) throw new Error('the tool has failed');
}
