const chrome = (version: number) =>
  `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version}.0.0.0 Safari/537.36`;

const agents = [
  ...Array.from({ length: 12 }, (_, step) => chrome(131 + step)),
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (iPad; CPU OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0',
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
];

/** The fractional parts of its multiples are evenly spread between 0 and 1. */
const goldenRatio = 0.618_034;

/** Headers of `count` visitors, each with its own address. Visits per site follow Zipf's law. */
export function visitors(hosts: readonly string[], count: number): Record<string, string>[] {
  let total = 0;
  /** Cumulative share of visits per host. */
  const cumulativeShares = hosts.map((_, rank) => {
    total += 1 / (rank + 1);
    return total;
  });
  const hostAt = (share: number) => hosts[cumulativeShares.findIndex((reach) => share * total <= reach)] ?? '';
  return Array.from({ length: count }, (_, visitor) => ({
    Host: hostAt((visitor * goldenRatio) % 1), // capitalised, so that wrk does not add its own
    'user-agent': agents[visitor % agents.length] ?? '',
    'x-webkiln-client-address': `10.${visitor >> 16}.${(visitor >> 8) & 255}.${visitor & 255}`,
  }));
}
