import type { KindWords } from '../words.ts';

export const bodyAndHealth = {
  hairdresser: {
    noun: 'Friseursalon',
    name: 'Der Stuhl am Fenster',
    heads: ['Haare, die auch am Montag sitzen.', 'Erst zuhören. Dann schneiden.', 'Leichter gehen, als man kam.'],
    leads: [
      'Schnitte und Farben, die zu Ihrem Haar passen, zu Ihrem Gesicht und zu den zehn Minuten am Morgen.',
      'Setzen Sie sich, sagen Sie uns, was Sie an Ihren Haaren stört, und überlassen Sie uns den Rest.',
    ],
    offersLabel: 'Leistungen',
    offersHead: 'Was wir machen',
    offers: [
      ['Schnitt', 'Eine Form, die schön herauswächst, für jede Länge und Struktur.'],
      ['Farbe', 'Vom Hauch Licht bis zum neuen Kapitel.'],
      ['Pflege', 'Für Haare, die einiges mitgemacht haben.'],
      ['Anlässe', 'Hochzeiten, Feste, Fotos: Frisuren, die bis zum letzten Tanz halten.'],
    ],
    about: [
      'Am Anfang steht eine Frage',
      'Wie viel Zeit nehmen Sie sich morgens? Das fragen wir, bevor wir zur Schere greifen. Gut ist ein Schnitt, mit dem Sie selbst zurechtkommen.',
    ],
    action: 'Termin anfragen',
    image: 'Zeichnung einer Schere',
  },

  spa: {
    noun: 'Spa',
    name: 'Stilles Wasser',
    heads: ['Eine Stunde, die Ihnen gehört.', 'Der Tag bleibt vor der Tür.', 'Ausatmen. Noch weiter.'],
    leads: [
      'Massagen, Gesichtsbehandlungen und ruhige Räume. Hier klingelt nichts, und niemand hat es eilig.',
      'Warme Hände, warme Tücher und so viel Stille, wie Sie mögen.',
    ],
    offersLabel: 'Behandlungen',
    offersHead: 'Zeit für Sie',
    offers: [
      ['Massage', 'Kräftig oder sanft: Sie sagen, wo es zieht, wir machen weiter.'],
      ['Gesicht', 'Pflege, die zu Ihrer Haut von heute passt.'],
      ['Körper', 'Peeling, Packung, Öl, und danach eine lange Ruhe.'],
      ['Zu zweit', 'Nebeneinander, mit einem Tee zum Schluss.'],
    ],
    about: [
      'Ruhe gehört zur Behandlung',
      'Wir planen lieber weniger Termine, damit Ihrer nicht mit einem Klopfen endet. Vorher fragen wir, wie es Ihnen geht. Danach müssen Sie gar nichts mehr sagen.',
    ],
    action: 'Behandlung anfragen',
    image: 'Zeichnung einer Lotusblüte über Wasser',
  },

  yoga: {
    noun: 'Yogastudio',
    name: 'Langsamer Morgen',
    heads: ['Komm, wie du bist. Geh ein Stück größer.', 'Nur deine Matte und du.', 'Stärker, weicher, langsamer.'],
    leads: [
      'Stunden für steife Rücken, volle Köpfe und alle, die denken, Yoga sei etwas für andere.',
      'Ruhige Stunden mit klaren Ansagen: Du weißt, was zu tun ist und warum es guttut.',
    ],
    offersLabel: 'Kurse',
    offersHead: 'Auf der Matte',
    offers: [
      ['Einstieg', 'Langsam, gut erklärt, ohne Kopfstand. Versprochen.'],
      ['Flow', 'Bewegung und Atem, bis der Kopf still wird.'],
      ['Ruhe', 'Decken, Kissen, lange Haltungen. Das Gegenteil von Anstrengung.'],
      ['Einzelstunden', 'Um deinen Körper und deine Woche herum geplant.'],
    ],
    about: [
      'Niemand schaut dich an',
      'Alle sind hier mit den eigenen Beinen beschäftigt. Wir gehen in kleinen Schritten vor und haben für jeden Körper eine Variante. Wackeln gehört dazu.',
    ],
    action: 'Probestunde anfragen',
    image: 'Zeichnung eines Menschen im Meditationssitz',
  },

  gym: {
    noun: 'Fitnessstudio',
    name: 'Eisen & Eiche',
    heads: ['Stark sein ist Gewohnheit.', 'Komm vorbei. Den Rest schaffen wir zusammen.', 'Du kannst mehr, als du denkst.'],
    leads: [
      'Training mit Plan, Trainer, die auf deine Technik achten, und Leute, die sich grüßen.',
      'Heben, laufen, dehnen, schwitzen. Und jemand, der merkt, dass du besser geworden bist.',
    ],
    offersLabel: 'Training',
    offersHead: 'So kannst du trainieren',
    offers: [
      ['Kraft', 'Erst die Technik, dann das Gewicht.'],
      ['Ausdauer', 'Kurze, ehrliche Einheiten. Du merkst es auf der Treppe.'],
      ['Coaching', 'Ein Plan nur für dich, und jemand, der dranbleibt.'],
      ['Gruppen', 'Gleich viel Schweiß, mehr Gelächter.'],
    ],
    about: [
      'Es geht auch ohne Spiegel',
      'Wie du dich bewegst, ist uns wichtiger als wie es aussieht. Jeder Anfang ist klein: ein Plan, ein erstes Training, ein zweites. Danach geht es vor allem ums Wiederkommen.',
    ],
    action: 'Probetraining anfragen',
    image: 'Zeichnung einer Langhantel',
  },

  dentist: {
    noun: 'Zahnarztpraxis',
    name: 'Zahnarztpraxis',
    heads: ['Gute Zähne. In guten Händen.', 'Zahnmedizin, ganz in Ruhe.', 'Wir erklären, bevor wir bohren.'],
    leads: [
      'Sanfte Behandlung, klare Worte und Zeit für die Frage, die Sie schon immer stellen wollten.',
      'Von der ersten Kontrolle bis zum Zahnersatz: Wir erklären jeden Schritt, bevor wir ihn gehen.',
    ],
    offersLabel: 'Behandlungen',
    offersHead: 'Was wir behandeln',
    offers: [
      ['Kontrolle', 'Wir sehen genau hin, damit Kleines klein bleibt.'],
      ['Prophylaxe', 'Gründliche Reinigung und Tipps, an die man sich halten kann.'],
      ['Zahnersatz', 'Füllungen, Kronen, Brücken: gemeinsam mit Ihnen geplant.'],
      ['Kinder', 'Erste Besuche, nach denen der zweite leichter fällt.'],
    ],
    about: [
      'Angst? Sagen Sie es uns.',
      'Damit sind Sie nicht allein. Wir machen Pausen, erklären, was Sie spüren werden, und hören auf, sobald Sie die Hand heben. Das Tempo bestimmen Sie.',
    ],
    action: 'Termin anfragen',
    image: 'Zeichnung eines Zahns',
  },

  physiotherapist: {
    noun: 'Physiotherapiepraxis',
    name: 'Physio in Bewegung',
    heads: ['Zurück in Bewegung.', 'Schmerz ist eine Nachricht. Wir lesen sie.', 'Gut bewegen, lange.'],
    leads: [
      'Wir finden heraus, woher es kommt, behandeln es mit den Händen und zeigen Ihnen, was zu Hause hilft.',
      'Behandlung nach Verletzungen und Operationen, und für Rücken, die zu lange gesessen haben.',
    ],
    offersLabel: 'Behandlungen',
    offersHead: 'Wie wir helfen',
    offers: [
      ['Manuelle Therapie', 'Geübte Hände für Gelenke und Muskeln, die genug haben.'],
      ['Rehabilitation', 'Schritt für Schritt zurück zur Kraft, in Ihrem Tempo.'],
      ['Rücken & Nacken', 'Für alle, die sitzen, tragen oder schlecht schlafen.'],
      ['Übungen', 'Sie passen in Ihren Alltag, damit Sie sie auch machen.'],
    ],
    about: [
      'Wir behandeln Menschen, keine Knie',
      'Ein Knie kann wegen der Hüfte schmerzen, wegen der Schuhe oder der Arbeit. Also fragen, schauen und testen wir, bevor wir behandeln. Sie gehen mit einem Plan nach Hause.',
    ],
    action: 'Termin anfragen',
    image: 'Zeichnung einer Wirbelsäule',
  },

  vet: {
    noun: 'Tierarztpraxis',
    name: 'Pfotenpraxis',
    heads: ['Für alle, die nicht sagen können, wo es wehtut.', 'Gut versorgt auf vier Pfoten.', 'Wir hören auch aufs Schnurren.'],
    leads: [
      'Medizin für Hunde, Katzen und kleine Tiere, mit ruhiger Stimme und warmer Hand.',
      'Von der ersten Impfung bis ins hohe Alter: Wir nehmen uns Zeit für das Tier und für Sie.',
    ],
    offersLabel: 'Leistungen',
    offersHead: 'Was wir für Tiere tun',
    offers: [
      ['Untersuchung', 'Einmal von der Nase bis zum Schwanz, bevor es ernst wird.'],
      ['Impfung', 'Was Ihr Tier braucht, und nicht mehr.'],
      ['Operationen', 'Sorgfältig geplant, klar erklärt, gut überwacht.'],
      ['Beratung', 'Futter, Gewicht, Verhalten: Fragen Sie uns vor dem Internet.'],
    ],
    about: [
      'Ruhe steckt an',
      'Tiere merken alles, vor allem uns. Deshalb sprechen wir leise, lassen sie schnuppern und fangen an, wenn sie so weit sind.',
    ],
    action: 'Termin anfragen',
    image: 'Zeichnung eines Pfotenabdrucks',
  },
} satisfies Record<string, KindWords>;
