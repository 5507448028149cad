import { type ToolSet, tool } from 'ai';
import * as z from 'zod';
import { WorkRefusal } from '../failures.ts';
import type { TurnSite } from './turn-site.ts';

const maxListed = 1_000;
const maxReadCharacters = 60_000;
const maxHits = 50;
const maxHitCharacters = 200;

const path = z.string().min(1).max(500).describe('Path of the file below the root of the site, such as about.html or images/logo.svg');

function edited(text: string, passage: string, replacement: string): string {
  const at = text.indexOf(passage);
  if (at === -1)
    throw new WorkRefusal('The passage does not occur in the file: read the file and copy it exactly, with its spaces and line breaks.');
  if (text.indexOf(passage, at + 1) !== -1)
    throw new WorkRefusal('The passage occurs more than once: add lines before or after it until it occurs once.');
  return text.slice(0, at) + replacement + text.slice(at + passage.length);
}

function hits(site: TurnSite, words: string): string[] {
  const wanted = words.toLowerCase();
  const found: string[] = [];
  for (const file of site.list()) {
    for (const [index, line] of site.lines(file.path).entries()) {
      const at = line.toLowerCase().indexOf(wanted);
      if (at === -1) continue;
      found.push(
        `${file.path}:${index + 1}: ${line
          .slice(Math.max(0, at - 60))
          .trim()
          .slice(0, maxHitCharacters)}`,
      );
      if (found.length === maxHits) return [...found, `Only the first ${maxHits} lines are shown.`];
    }
  }
  return found.length > 0 ? found : ['Nothing was found.'];
}

/** The tools of a model. They reach the files of the turn's site and nothing else. */
export function fileTools(site: TurnSite): ToolSet {
  return {
    list_files: tool({
      description: 'Lists the files of the site with their sizes in bytes.',
      inputSchema: z.object({}),
      execute: () => {
        const files = site.list().map(({ path, size }) => `${path} (${size})`);
        if (files.length === 0) return 'The site has no files yet.';
        return [...files.slice(0, maxListed), ...(files.length > maxListed ? [`and ${files.length - maxListed} more`] : [])].join('\n');
      },
    }),
    read_file: tool({
      description: `Reads a text file, ${maxReadCharacters} characters at most; offset continues a longer one.`,
      inputSchema: z.object({ path, offset: z.int().min(0).optional() }),
      execute: ({ path, offset = 0 }) => {
        const text = site.read(path);
        const end = offset + maxReadCharacters;
        return text.length <= end
          ? text.slice(offset)
          : `${text.slice(offset, end)}\n[The file has ${text.length} characters: read on with offset ${end}.]`;
      },
    }),
    search_files: tool({
      description: 'Finds lines that contain a text, whatever its case.',
      inputSchema: z.object({ text: z.string().min(1).max(500) }),
      execute: ({ text }) => hits(site, text).join('\n'),
    }),
    write_file: tool({
      description: 'Writes a whole text file, a new one or over the one that is there.',
      inputSchema: z.object({ path, content: z.string() }),
      execute: ({ path, content }) => {
        site.write(path, content);
        return `Wrote ${path}.`;
      },
    }),
    edit_file: tool({
      description: 'Replaces a passage of a text file. The passage must occur exactly once, copied exactly.',
      inputSchema: z.object({ path, passage: z.string().min(1), replacement: z.string() }),
      execute: ({ path, passage, replacement }) => {
        site.write(path, edited(site.read(path), passage, replacement));
        return `Changed ${path}.`;
      },
    }),
    delete_file: tool({
      description: 'Deletes a file.',
      inputSchema: z.object({ path }),
      execute: ({ path }) => {
        site.delete(path);
        return `Deleted ${path}.`;
      },
    }),
    check_site: tool({
      description: 'Checks pages, links, images, labels and origins of the site as it is now.',
      inputSchema: z.object({}),
      execute: () => site.newFindings().join('\n') || 'Nothing is wrong.',
    }),
  };
}
