import { hoursText, openingsIn } from './hours.ts';

test.each([
  ['en', 'We are open 7-19.', ['Every day 7:00–19:00']],
  ['en', 'Mon-Fri 9-5, Sat 10-14', ['Mon–Fri 9:00–17:00', 'Sat 10:00–14:00']],
  ['en', 'weekdays 8.30am-5.30pm and weekends 10 to 4', ['Mon–Fri 8:30–17:30', 'Sat, Sun 10:00–16:00']],
  ['en', 'closed Sundays and Mondays, otherwise 12-3 and 6-10', ['Sun closed', 'Mon closed', 'Tue–Sat 12:00–15:00, 18:00–22:00']],
  ['en', 'Mon, Wed and Fri 10-16', ['Mon, Wed, Fri 10:00–16:00']],
  ['de', 'täglich 7–19 Uhr', ['Täglich 7:00–19:00']],
  ['de', 'Mo-Fr 9-12, 14-18 Uhr, Sa 9–13, So geschlossen', ['Mo–Fr 9:00–12:00, 14:00–18:00', 'Sa 9:00–13:00', 'So geschlossen']],
  ['fr', 'ouvert du mardi au samedi de 7h à 19h30', ['mar–sam 7 h 00–19 h 30']],
  ['es', 'Abrimos de lunes a viernes de 9 a 20 y sábados de 10 a 14', ['lun–vie 9:00–20:00', 'sáb 10:00–14:00']],
])('in %s: %s', (locale, text, lines) => {
  expect(hoursText(openingsIn(text), locale)).toEqual(lines);
  expect(hoursText(openingsIn(lines.join(', ')), locale)).toEqual(lines);
});

test.each(['phone 0113 496 0123', 'call 0113-496-0123', 'Add event: 12 May, 10-12', 'room 9-5, second floor', 'open 30-45'])(
  '%s states no hours',
  (text) => expect(openingsIn(text)).toEqual([]),
);
