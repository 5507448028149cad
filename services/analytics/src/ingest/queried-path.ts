const start = /[?&]p=([^&#]*)/;

/** The parameter `p` of a request's target, decoded as forms write it; undefined where there is none, "" where it is malformed. */
export function queriedPath(url: string): string | undefined {
  const written = start.exec(url)?.[1];
  if (written === undefined || !/[%+]/.test(written)) return written;
  try {
    return decodeURIComponent(written.replaceAll('+', ' '));
  } catch {
    return ''; // no UTF-8
  }
}
