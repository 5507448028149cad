/** The DNS names that a certificate states, from Node's `subjectaltname`: "DNS:gateway, DNS:gateway.example". */
export const certificateNames = ({ subjectaltname = '' }: { readonly subjectaltname?: string }): string[] =>
  subjectaltname
    .split(', ')
    .filter((name) => name.startsWith('DNS:'))
    .map((name) => name.slice('DNS:'.length));
