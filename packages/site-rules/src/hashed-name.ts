/** What bundlers write, and people seldom do with a hash of their own making. */
const bundled = /\.(?:js|mjs|cjs|css|map|wasm)$/i;
const builtFolder = /(?:^|\/)(?:assets|static|build|dist|chunks|js|css|_[a-z]+)\//i;

/**
 * True if the name of a file has a hash of its content, as bundlers write it: `app-BmZ3xk9L.js`, `main.4f3e2a1b.css`,
 * `main-5QFLYYGJ.js`. Its bytes never change then. Words, versions and dates are none: a name that is taken for a hash
 * wrongly would keep an old picture in browsers for a year, one that is missed costs a request that says "unchanged".
 */
export function isHashedName(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (/\.html?$/i.test(name)) return false;
  const stem = name.slice(0, name.lastIndexOf('.'));
  const isBundled = bundled.test(name);
  const isBuilt = isBundled && builtFolder.test(path);
  const tokens = stem.split(/[-._~]/);
  const [first = '', ...others] = tokens;
  // Base64url has the separators in it: Rollup's eight characters are taken as they stand.
  const ending = /[-.]$/.test(stem.slice(0, -8)) ? [stem.slice(-8)] : [];
  return isLongHex(first) || [...others, ...ending].some((token) => isHash(token, isBundled, isBuilt));
}

const isLongHex = (token: string) => /^[0-9a-f]{16,}$/.test(token) && /[a-f]/.test(token) && /\d/.test(token);

function isHash(token: string, isBundled: boolean, isBuilt: boolean): boolean {
  if (token.length < 8) return false;
  const [hasDigit, hasLower, hasUpper] = [/\d/, /[a-z]/, /[A-Z]/].map((kind) => kind.test(token));
  if (!hasLower && !hasUpper) return false;
  if (!hasDigit) return token.length === 8 && ((isBuilt && hasLower && hasUpper) || (isBundled && !hasLower));
  if (/^[0-9a-f]+$/.test(token)) return true;
  const isInterleaved = /[A-Za-z]\d+[A-Za-z]|\d[A-Za-z]+\d/.test(token);
  // Words with a number, as "base64url" and "SUMMER2024".
  return hasUpper ? isInterleaved || isBundled : /\d[a-z]+\d+[a-z]|[a-z]\d+[a-z]+\d/.test(token);
}
