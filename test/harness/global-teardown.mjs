export default async function tearDown() {
  await globalThis.sharedTestBrowser?.close();
  await globalThis.sharedTestPlatform?.[Symbol.asyncDispose]();
  await globalThis.sharedTestStripe?.stop();
}
