/** `npm run drill`: tests the documented guarantees at full scale. */
import '../test/drill/main.ts';
