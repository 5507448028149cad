import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { Webkiln, WebkilnError } from '@webkiln/sdk';
import type { Command } from 'commander';

/** What login stores. */
export interface Login {
  readonly base_url: string;
  readonly api_key: string;
}

/** What init stores beside a website's sources. */
export interface ProjectFile {
  readonly project: string;
  readonly folder?: string;
}

const loginFile = () => path.join(process.env.XDG_CONFIG_HOME ?? path.join(homedir(), '.config'), 'webkiln', 'login.json');
const projectFile = path.join('.webkiln', 'project.json');

async function read<T>(file: string): Promise<T | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new WebkilnError(`${file} cannot be read: ${error.message}`, { cause: error });
  });
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch (error) {
    throw new WebkilnError(`${file} is no JSON: remove it, or correct it.`, { cause: error });
  }
}

/** Stores a login where its user alone can read it. */
export async function storeLogin(login: Login): Promise<string> {
  const file = loginFile();
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  // The mode counts for new files alone.
  await rm(file, { force: true });
  await writeFile(file, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600 });
  return file;
}

export const removeLogin = (): Promise<void> => rm(loginFile(), { force: true });

export async function storeProject(project: ProjectFile): Promise<string> {
  await mkdir(path.dirname(projectFile), { recursive: true });
  await writeFile(projectFile, `${JSON.stringify(project, null, 2)}\n`);
  return projectFile;
}

export const storedProject = () => read<ProjectFile>(projectFile);

/** The address that the command, the environment or the login names. */
export async function baseUrlOf(command: Command): Promise<string> {
  const { url } = command.optsWithGlobals<{ url?: string }>();
  const login = await read<Login>(loginFile());
  const address = url ?? process.env.WEBKILN_BASE_URL ?? login?.base_url ?? 'http://localhost:8080';
  if (!URL.canParse(address) || !/^https?:/.test(new URL(address).protocol)) {
    throw new WebkilnError(`${address} is no address of a platform: it is like https://app.example.com.`);
  }
  return new URL(address).origin;
}

/** The API with the key of the environment, else of the login to the same platform. */
export async function webkilnOf(command: Command): Promise<Webkiln> {
  const baseUrl = await baseUrlOf(command);
  const login = await read<Login>(loginFile());
  // A key goes to the platform alone that it was given for.
  const apiKey = process.env.WEBKILN_API_KEY ?? (login?.base_url === baseUrl ? login.api_key : undefined);
  if (!apiKey) throw new WebkilnError(`No key for ${baseUrl}: set WEBKILN_API_KEY, or run "webkiln login".`);
  return new Webkiln({ apiKey, baseUrl });
}

/** The project that the command, the environment or the project file names. */
export async function projectOf({ project }: { project?: string }): Promise<string> {
  const id = project ?? process.env.WEBKILN_PROJECT ?? (await storedProject())?.project;
  if (!id) throw new WebkilnError('Which project? Name it by --project, or run "webkiln init" in this folder.');
  return id;
}
