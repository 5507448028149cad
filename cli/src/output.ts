import type { Command } from 'commander';

/** Prints a result: as JSON if requested, else as `text` formats it. */
export function print(command: Command, answer: unknown, text: () => string): void {
  console.log(command.optsWithGlobals().json === true ? JSON.stringify(answer, null, 2) : text());
}

/** Prints one entry of a stream: as one line of JSON if requested, else as `text` formats it. */
export function printLine<T>(command: Command, happened: T, text: (happened: T) => string): void {
  console.log(command.optsWithGlobals().json === true ? JSON.stringify(happened) : text(happened));
}

/** Prints a new key to standard output, so that a script can capture it, and everything else to standard error. */
export function printSecret(command: Command, answer: { secret: string }, note: string): void {
  print(command, answer, () => answer.secret);
  console.error(`${note}\nThe key is shown this once and never again: keep it where you keep passwords.`);
}

/** Rows of text below their headings; a column is as wide as its longest cell. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
