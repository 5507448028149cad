import { config } from 'zod/v4/core';

// The AI SDK's schemas would try `new Function` as they are made, which the page's policy forbids.
config({ jitless: true });
