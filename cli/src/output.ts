import type { Command } from 'commander';

/** Prints an answer: as JSON where that is asked for, else as `text` puts it. */
export function print(command: Command, answer: unknown, text: () => string): void {
  console.log(command.optsWithGlobals().json === true ? JSON.stringify(answer, null, 2) : text());
}

/** Prints one of many things that happen: as one line of JSON where that is asked for, else as `text` puts it. */
export function printLine<T>(command: Command, happened: T, text: (happened: T) => string): void {
  console.log(command.optsWithGlobals().json === true ? JSON.stringify(happened) : text(happened));
}

/** Prints an answer that holds a new key: the key alone on standard output, so that a script can keep it; the rest beside it. */
export function printSecret(command: Command, answer: { secret: string }, note: string): void {
  print(command, answer, () => answer.secret);
  console.error(`${note}\nThe key is shown this once and never again: keep it where you keep passwords.`);
}

/** Rows of text under their headings, columns as wide as what stands in them. */
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
