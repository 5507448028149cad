const start = /[?&]p=([^&#]*)/;

/** The parameter `p` of a request's target, decoded as forms write it; undefined where there is none, "" where it is malformed. */
export function queriedPath(url: string): string | undefined {
  const written = start.exec(url)?.[1];
  if (written === undefined) return undefined;
  const spaced = written.includes('+') ? written.replaceAll('+', ' ') : written;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return ''; // no UTF-8
  }
}
