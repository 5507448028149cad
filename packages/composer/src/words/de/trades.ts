import type { KindWords } from '../words.ts';

export const trades = {
  plumber: {
    noun: 'Sanitär- und Heizungsbetrieb',
    name: 'Klarwasser Haustechnik',
    heads: ['Es tropft? Nicht mehr lange.', 'Wasser, wo es hingehört. Wärme, wann Sie wollen.', 'Rohre, ordentlich gemacht.'],
    leads: [
      'Reparaturen, Bäder und Heizungen von Leuten, die sich die Schuhe abputzen und die Rechnung erklären.',
      'Wir dichten ab, erneuern, was verschlissen ist, und sagen ehrlich, was noch warten kann.',
    ],
    offersLabel: 'Leistungen',
    offersHead: 'Worum wir uns kümmern',
    offers: [
      ['Reparaturen', 'Hahn, Rohr, Abfluss: gefunden, behoben, aufgeräumt.'],
      ['Bäder', 'Vom neuen Waschbecken bis zum ganzen Raum.'],
      ['Heizung', 'Wartung, Reparatur und Rat, was nach dem alten Kessel kommt.'],
      ['Lecksuche', 'Wir suchen die Ursache, bevor wir die Wand öffnen.'],
    ],
    about: [
      'Eine gute Reparatur vergisst man',
      'Erst schauen wir, dann sagen wir, was nötig ist, dann fangen wir an. Sie bekommen klare Worte und einen sauberen Boden. Was warten kann, darf warten.',
    ],
    action: 'Problem schildern',
    image: 'Zeichnung eines Wasserhahns mit Tropfen',
  },

  electrician: {
    noun: 'Elektrobetrieb',
    name: 'Lichtblick Elektro',
    heads: ['Unter Strom. Mit Sicherheit.', 'Leitungen, an die man nicht denken muss.', 'Es werde Steckdose.'],
    leads: [
      'Installation, Reparatur und Prüfung für Wohnungen und kleine Betriebe, ordentlich auch hinter der Wand.',
      'Von der zusätzlichen Steckdose bis zum ganzen Haus: gut geplant, gemessen, beschriftet.',
    ],
    offersLabel: 'Leistungen',
    offersHead: 'Was wir anschließen',
    offers: [
      ['Installation', 'Neue Leitungen, neue Räume, alte Häuser mit Überraschungen.'],
      ['Reparatur', 'Wenn das Licht flackert oder die Sicherung fliegt.'],
      ['Beleuchtung', 'Licht, wo Sie lesen, kochen und nach Hause kommen.'],
      ['Laden & Solar', 'Vorbereitet für das Auto und für das Dach.'],
    ],
    about: [
      'Ordnung hinter der Wand',
      'Sie sehen den Schalter, uns kümmert, was dahinterliegt. Jeder Stromkreis bekommt sein Schild, jede Änderung ihre Notiz. Wer nach uns kommt, wird es danken.',
    ],
    action: 'Auftrag schildern',
    image: 'Zeichnung eines Blitzes',
  },

  carpenter: {
    noun: 'Tischlerei',
    name: 'Eiche & Kante',
    heads: ['Aus Holz. Zum Bleiben.', 'Möbel, die passen. Genau.', 'Zweimal messen, einmal sägen, lange behalten.'],
    leads: [
      'Tische, Küchen, Treppen und Regale, gebaut für einen Ort und einen Menschen: Sie.',
      'Wir zeichnen mit Ihnen, wählen das Holz und bauen es in unserer Werkstatt.',
    ],
    offersLabel: 'Arbeiten',
    offersHead: 'Was wir bauen',
    offers: [
      ['Möbel', 'Tische, Betten und Schränke, die jeden Umzug mitmachen.'],
      ['Küchen', 'Um Ihr Kochen herum geplant, bis zur letzten Schublade.'],
      ['Türen & Treppen', 'Was man täglich anfasst, soll sich gut anfühlen.'],
      ['Reparaturen', 'Gute alte Stücke haben ein zweites Leben verdient.'],
    ],
    about: [
      'Holz vergisst nichts',
      'Es arbeitet, dunkelt nach und zeigt, wie man mit ihm umgegangen ist. Wir arbeiten mit ihm, nicht dagegen. Eine gute Verbindung hält ohne Versprechen.',
    ],
    action: 'Idee besprechen',
    image: 'Zeichnung einer Säge und eines Balkens',
  },

  gardener: {
    noun: 'Gartenbaubetrieb',
    name: 'Grüne Stunde',
    heads: ['Gärten, die sich fast von selbst pflegen.', 'Grün, das ganze Jahr.', 'Ihr Garten hat schon gewartet.'],
    leads: [
      'Wir planen, pflanzen und pflegen Gärten: für Bienen, für Kinder, für lange Abende draußen.',
      'Vom Balkon bis zur Obstwiese: Pflanzen, die sich wohlfühlen, und Pflege, die bleibt.',
    ],
    offersLabel: 'Leistungen',
    offersHead: 'Was wir draußen tun',
    offers: [
      ['Planung', 'Ein Plan, der Sonne, Boden und Ihren Samstag kennt.'],
      ['Pflanzung', 'Die richtige Pflanze am richtigen Ort, und kaum noch Unkraut.'],
      ['Pflege', 'Schneiden, mähen, düngen: im richtigen Moment.'],
      ['Terrassen & Wege', 'Stein, Holz und Kies, verlegt, um eben zu bleiben.'],
    ],
    about: [
      'Wir fangen beim Boden an',
      'Bevor wir pflanzen, schauen wir auf Licht, Wasser und Erde. Was an den Ort passt, wächst von selbst. Der Rest ist eine Bank in der richtigen Ecke.',
    ],
    action: 'Garten zeigen',
    image: 'Zeichnung einer keimenden Pflanze',
  },

  garage: {
    noun: 'Werkstatt',
    name: 'Die ehrliche Werkstatt',
    heads: ['Wir hören, was Ihr Auto sagt.', 'Repariert. Nicht nur ausgetauscht.', 'Zurück auf die Straße.'],
    leads: [
      'Wartung, Reparatur und Diagnose für alle Marken, mit Kostenvoranschlag vor der ersten Schraube.',
      'Wir zeigen Ihnen das verschlissene Teil, erklären, wozu es da ist, und Sie entscheiden.',
    ],
    offersLabel: 'Leistungen',
    offersHead: 'In der Werkstatt',
    offers: [
      ['Inspektion', 'Öl, Filter, Bremsen: kleine Arbeiten, die große ersparen.'],
      ['Diagnose', 'Wir lesen den Fehlerspeicher, und dann denken wir nach.'],
      ['Reifen', 'Gewechselt, gewuchtet, gut verstaut bis zur nächsten Saison.'],
      ['Hauptuntersuchung', 'Wir bereiten Ihr Auto vor, damit es keine Überraschung gibt.'],
    ],
    about: [
      'Keine Geheimnisse unter der Haube',
      'Sie dürfen uns über die Schulter schauen. Wir sagen, was dringend ist, was warten kann und was nur schöner aussieht. Alte Teile liegen zum Ansehen bereit.',
    ],
    action: 'Termin anfragen',
    image: 'Zeichnung eines Autos',
  },
} satisfies Record<string, KindWords>;
