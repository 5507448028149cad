export default async function tearDown() {
  await globalThis.sharedTestPlatform?.[Symbol.asyncDispose]();
}
