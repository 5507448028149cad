/** `npm run drill`: what is promised, tried in full. */
import '../test/drill/main.ts';
