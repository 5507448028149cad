import type { Json } from '../harness/api.ts';
import type { World } from './world.ts';

/** Calls a tool; returns the structured content of its success, and throws what it refused. */
export type Use = (name: string, args?: object) => Promise<Json>;

/** Something that a person asks an agent for, and how to see that it is done. */
export interface Job {
  readonly name: string;
  /** What the person says. */
  words(world: World): string;
  /** What a sensible model calls, with values from earlier results; returns what it answers. */
  script(use: Use, world: World): Promise<string>;
  /** What the answer must say. */
  answer?(world: World): RegExp;
  /**
   * Everything that is to be different in the organization, by the keys of `World.state`: what it is now, null for
   * what is gone. Whatever else is different fails the job.
   */
  changes?(world: World): Readonly<Record<string, RegExp | null>>;
}

/** The first record of a list in a result that has this name. */
export function named(records: readonly Json[], name: string): Json {
  const found = records.find((record) => record.name === name);
  if (found === undefined) throw new Error(`nothing is called ${name}`);
  return found;
}

/** The project with this name, as an agent finds it. */
export const findProject = async (use: Use, name: string): Promise<Json> => named((await use('list_projects', { q: name })).projects, name);
