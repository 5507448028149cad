import { assignPartition } from './partition.ts';

test('a site always has the same partition, and sites are evenly distributed', () => {
  expect(['shop', 'harbour-bakery', 'a', ''].map((site) => assignPartition(site, 8))).toEqual([1, 3, 4, 5]);
  const sites = Array.from({ length: 8000 }, (_, index) => assignPartition(`site-${index}`, 8));
  for (let partition = 0; partition < 8; partition++) {
    const share = sites.filter((used) => used === partition).length;
    expect(share).toBeGreaterThan(800);
    expect(share).toBeLessThan(1200);
  }
});
