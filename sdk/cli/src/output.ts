import type { Command } from 'commander';

const asJson = (command: Command): boolean => command.optsWithGlobals().json === true;

/** Prints a result: as JSON if requested, else as `text` formats it. */
export function print(command: Command, result: object, text: string): void {
  console.log(asJson(command) ? JSON.stringify(result, null, 2) : text);
}

/** Prints one entry of a stream: as one line of JSON if requested. */
export function printLine(command: Command, entry: object, text: string): void {
  console.log(asJson(command) ? JSON.stringify(entry) : text);
}

/** Shows how far something is: in place on a terminal, else each new text once. */
export function progress(): (text: string) => void {
  let shown = '';
  return (text) => {
    if (text === shown) return;
    if (process.stderr.isTTY) process.stderr.write(`${shown === '' ? '' : '\r\u001b[K'}${text}`);
    else console.error(text);
    shown = text;
  };
}

export const size = (bytes: number): string => (bytes < 100_000 ? `${Math.ceil(bytes / 1000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`);
