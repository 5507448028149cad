/** `npm run eval`: how well agents do jobs in words, by the tools as they are. */
import '../test/eval/main.ts';
