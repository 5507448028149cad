/** `npm run bench`: measures; nothing here passes or fails. */
import '../test/bench/main.ts';
