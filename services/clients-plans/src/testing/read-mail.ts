/** The activation link in a mail's text, after decoding quoted-printable (RFC 2045 §6.7). */
export function linkIn(message: string): URL {
  const text = message.replace(/=\r?\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  const link = /https?:\/\/\S+\/activate\?\S+/.exec(text)?.[0];
  if (link === undefined) throw new Error(`no activation link in ${message}`);
  return new URL(link);
}

export const tokenIn = (message: string): string => linkIn(message).searchParams.get('token') ?? '';
