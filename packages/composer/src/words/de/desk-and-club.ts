import type { KindWords } from '../words.ts';

export const deskAndClub = {
  lawyer: {
    noun: 'Anwaltskanzlei',
    name: 'Anwaltskanzlei',
    heads: ['Recht in Worten, die man versteht.', 'Klarer Rat. An Ihrer Seite.', 'Erst die Fakten, dann das Recht, dann ein Plan.'],
    leads: [
      'Wir sagen Ihnen, wo Sie stehen, was es kosten kann und was wir an Ihrer Stelle täten.',
      'Beratung und Vertretung für Menschen und Unternehmen, die wissen wollen, woran sie sind.',
    ],
    offersLabel: 'Rechtsgebiete',
    offersHead: 'Wobei wir beraten',
    offers: [
      ['Arbeitsrecht', 'Verträge, Kündigungen, Aufhebung: auf beiden Seiten des Schreibtischs.'],
      ['Familie & Erbe', 'Schwierige Fragen, diskret behandelt.'],
      ['Verträge & Wirtschaft', 'Vereinbarungen, die auch im Streit noch tragen.'],
      ['Immobilien & Miete', 'Vom Mietvertrag bis zum Mangel, den keiner gewesen sein will.'],
    ],
    about: [
      'Rat beginnt mit Zuhören',
      'Die meisten Fälle sehen anders aus, wenn man die ganze Geschichte kennt. Wir hören zu, ordnen, was zählt, und sagen ehrlich, wie es steht. Manchmal lautet der Rat: nicht klagen.',
    ],
    action: 'Fall schildern',
    image: 'Zeichnung einer Waage',
  },

  tax: {
    noun: 'Steuerkanzlei',
    name: 'Steuerkanzlei',
    heads: ['Zahlen, mit denen man ruhig schläft.', 'Ihre Zahlen, in Ordnung.', 'Steuern, erklärt und erledigt.'],
    leads: [
      'Buchhaltung, Erklärungen und Rat für Selbstständige, Familien und Betriebe, vor der Frist.',
      'Wir halten Ihre Bücher in Ordnung und sagen, was sie für Ihre nächste Entscheidung bedeuten.',
    ],
    offersLabel: 'Leistungen',
    offersHead: 'Was wir Ihnen abnehmen',
    offers: [
      ['Steuererklärung', 'Vollständig, pünktlich und mit allem, was Ihnen zusteht.'],
      ['Buchhaltung', 'Belege hinein, klare Zahlen heraus.'],
      ['Lohn', 'Richtige Beträge, richtige Formulare, jeden Monat.'],
      ['Beratung', 'Gründen, wachsen, übergeben: Wir rechnen mit Ihnen.'],
    ],
    about: [
      'Zahlen erzählen etwas',
      'Wir lesen Ihre Zahlen mit Ihnen, nicht nur für Sie. Dann wissen Sie, was übrig bleibt und warum. Gute Entscheidungen folgen meist von selbst.',
    ],
    action: 'Erstgespräch anfragen',
    image: 'Zeichnung eines Taschenrechners',
  },

  architect: {
    noun: 'Architekturbüro',
    name: 'Büro Nordlicht',
    heads: ['Räume, die wissen, wofür sie da sind.', 'Gebaut um Ihr Leben herum.', 'Licht, Grundriss, Detail.'],
    leads: [
      'Häuser, Umbauten und kleine öffentliche Gebäude, durchdacht vom Grundstück bis zur Türklinke.',
      'Wir entwerfen mit dem, was da ist: dem Hang, dem Baum des Nachbarn, dem Budget.',
    ],
    offersLabel: 'Arbeiten',
    offersHead: 'Was wir planen',
    offers: [
      ['Neubau', 'Von der ersten Skizze bis zur Schlüsselübergabe.'],
      ['Umbau', 'Alte Mauern, neues Leben. Wir mögen beides.'],
      ['Innenräume', 'Stauraum, Licht und Material als Teil des Hauses.'],
      ['Machbarkeit', 'Was geht hier? Eine Antwort vor dem Kauf.'],
    ],
    about: [
      'Jedes Grundstück hat eine Antwort',
      'Wir gehen es ab, bevor wir zeichnen, zu verschiedenen Tageszeiten. Dann bauen wir Modelle, werfen einige weg und behalten das, das stimmt. Schönheit ist meistens eine Frage der Ordnung.',
    ],
    action: 'Vorhaben besprechen',
    image: 'Zeichnung eines Hauses im Schnitt',
  },

  photographer: {
    noun: 'Fotografie',
    name: 'Halb nach Licht',
    heads: ['Schau. Jetzt ist es ein Bild.', 'Der Moment nach der Pose.', 'Fotos, die man wieder ansieht.'],
    leads: [
      'Porträts, Hochzeiten und Geschichten in echtem Licht, mit so wenig Aufwand wie möglich.',
      'Bilder von Menschen, die sagen, sie seien nicht fotogen. Sie sind es immer.',
    ],
    offersLabel: 'Arbeiten',
    offersHead: 'Was ich fotografiere',
    offers: [
      ['Porträts', 'Ein Spaziergang, ein Gespräch, und dazwischen ein Bild, das Sie zeigt.'],
      ['Hochzeiten', 'Der ganze Tag, fast unbemerkt.'],
      ['Unternehmen', 'Gesichter und Orte, wie sie sind, nicht wie im Katalog.'],
      ['Abzüge', 'Die besten Bilder gehören an die Wand.'],
    ],
    about: [
      'Ich warte darauf',
      'Das gute Bild entsteht, wenn niemand darauf wartet, außer mir. Also rede ich, gehe umher und halte mich zurück. Sie merken die Kamera kaum.',
    ],
    action: 'Termin anfragen',
    image: 'Zeichnung einer Kamera',
  },

  software: {
    noun: 'Software',
    name: 'Schlichtwerk',
    heads: ['Weniger klicken. Mehr schaffen.', 'Das Werkzeug, das nicht im Weg steht.', 'Software, die man einfach versteht.'],
    leads: [
      'Ein Ort für die Arbeit, die heute in fünf Tabellen und drei Postfächern steckt.',
      'Schnell eingerichtet, vom ganzen Team verstanden, leise im Hintergrund.',
    ],
    offersLabel: 'Funktionen',
    offersHead: 'Was es kann',
    offers: [
      ['Alles an einem Ort', 'Aufgaben, Dateien und Entscheidungen, wo alle sie finden.'],
      ['Automatisch', 'Was sich wiederholt, ist erledigt, bevor man daran denkt.'],
      ['Verbunden', 'Gemacht, um neben den Werkzeugen zu stehen, die es schon gibt.'],
      ['Anpassbar', 'Es richtet sich nach Ihrer Arbeit, nicht umgekehrt.'],
    ],
    about: [
      'Für die langweiligen Teile',
      'Der spannende Teil der Arbeit gehört Ihnen. Wir kümmern uns um Listen, Erinnerungen und das Kopieren von hier nach dort. Am besten vergessen Sie, dass es uns gibt.',
    ],
    action: 'Vorführung anfragen',
    image: 'Zeichnung eines Fensters mit Code',
  },

  association: {
    noun: 'Verein',
    name: 'Gute Nachbarschaft',
    heads: ['Zusammen kommen wir weiter.', 'Ein paar Stunden, die etwas ändern.', 'Mitmachen kann jeder.'],
    leads: [
      'Wir bringen Menschen zusammen, die hier etwas verändern wollen: mit Händen, Zeit oder Ideen.',
      'Freiwillige, Mitglieder und Freunde einer guten Sache. Ein Platz ist noch frei.',
    ],
    offersLabel: 'Was wir tun',
    offersHead: 'Was wir gemeinsam tun',
    offers: [
      ['Treffen', 'Abende, an denen aus Fremden Nachbarn werden.'],
      ['Helfen', 'Unterstützung, wo sie gebraucht wird, ohne lange Formulare.'],
      ['Lernen', 'Vorträge und Kurse von Mitgliedern, für alle.'],
      ['Feiern', 'Denn gute Arbeit hat Kuchen verdient.'],
    ],
    about: [
      'Am Anfang stand ein Gespräch',
      'Jemand sagte, man müsste etwas tun, und jemand anderes: Dann tun wir es. So arbeiten wir noch heute. Erfahrung braucht es nicht, nur ein wenig Zeit.',
    ],
    action: 'Mitmachen',
    image: 'Zeichnung von drei Menschen',
  },

  business: {
    noun: 'Unternehmen',
    name: 'Ihr Unternehmen',
    heads: ['Gute Arbeit, ohne Umwege.', 'Sagen Sie uns, was Sie brauchen.', 'Ab hier übernehmen wir.'],
    leads: [
      'Wir hören zu, wir denken nach, und dann tun wir, was wir gesagt haben.',
      'Eine klare Vorstellung von guter Arbeit, und die Geduld dafür.',
    ],
    offersLabel: 'Leistungen',
    offersHead: 'Was wir tun',
    offers: [
      ['Beratung', 'Wir sehen uns Ihre Frage von mehr als einer Seite an.'],
      ['Planung', 'Ein klarer Weg von der Idee zum Ergebnis.'],
      ['Umsetzung', 'Sorgfältig, und von den Menschen, die Sie kennen.'],
      ['Betreuung', 'Wir bleiben erreichbar, wenn die Arbeit getan ist.'],
    ],
    about: [
      'Mit wem Sie arbeiten',
      'Sie sprechen mit denen, die die Arbeit machen. Wir sagen, was wir können und was andere besser können. Das spart beiden Seiten Zeit.',
    ],
    action: 'Kontakt aufnehmen',
    image: 'Zeichnung von Gebäuden',
  },
} satisfies Record<string, KindWords>;
