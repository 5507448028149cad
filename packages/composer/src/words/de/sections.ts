import type { SectionName } from '../../sections/names.ts';
import type { SectionWords } from '../words.ts';

export const sections: Readonly<Record<SectionName, SectionWords>> = {
  hero: { names: 'aufmacher, einstieg, titelbereich, startbereich', heading: '', text: '' },
  pagehead: { names: 'seitenkopf, seitenüberschrift', heading: '', text: '' },
  offers: { names: 'leistungen, angebot, angebote, produkte, behandlungen, kurse, zimmer, arbeiten', heading: '', text: '' },
  menu: {
    names: 'speisekarte, karte, menü, getränkekarte, weinkarte, tageskarte',
    heading: 'Die Karte',
    text: 'Sie wechselt mit der Jahreszeit. [Frag|Fragen Sie] uns, was es heute gibt.',
    placeholder: 'Ergänzen Sie die Karte, zum Beispiel: „Ergänze auf der Karte: Zwiebelsuppe 7,50“.',
  },
  prices: {
    names: 'preise, preisliste, tarife, honorare, pakete, preistabelle',
    heading: 'Preise, klar gesagt',
    text: 'Was es kostet, hängt davon ab, was [du brauchst|Sie brauchen]. [Frag|Fragen Sie] uns: Der Preis steht fest, bevor wir anfangen.',
    action: 'Preis anfragen',
    placeholder: 'Ergänzen Sie Ihre Preise, zum Beispiel: „Ergänze einen Preis: Haarschnitt 35 €“.',
  },
  about: { names: 'über uns, über mich, wer wir sind', heading: '', text: '' },
  story: {
    names: 'geschichte, unsere geschichte',
    heading: 'Warum wir das machen',
    text: '',
    placeholder: 'Erzählen Sie Ihre eigene Geschichte: wann und wie alles begann, in drei Sätzen.',
  },
  values: {
    names: 'werte, grundsätze, was uns wichtig ist, versprechen',
    heading: 'Was uns wichtig ist',
    text: '',
    items: [
      ['Sorgfalt', 'Lieber weniger, und das richtig.'],
      ['Klarheit', 'Klare Worte dazu, was wir tun, was es kostet und wie lange es dauert.'],
      ['Nähe', '[Du sprichst|Sie sprechen] mit den Menschen, die die Arbeit machen.'],
    ],
  },
  steps: {
    names: 'ablauf, schritte, so funktioniert es, so geht es, vorgehen',
    heading: 'So läuft es ab',
    text: '',
    items: [
      ['Erzählen', '[Schreib uns oder ruf|Schreiben Sie uns oder rufen Sie] an. Ein, zwei Sätze genügen.'],
      ['Gemeinsam hinschauen', 'Wir fragen, was wir wissen müssen, und sagen, was wir tun würden.'],
      ['Loslegen', '[Du weißt|Sie wissen] immer, was als Nächstes kommt und wer es macht.'],
    ],
  },
  team: {
    names: 'team, mitarbeiter, mannschaft, menschen',
    heading: 'Die Menschen hinter {name}',
    text: 'Am besten lernt man uns persönlich kennen.',
    placeholder: 'Stellen Sie Ihr Team vor, zum Beispiel: „Ergänze im Team Ana Ruiz, Bäckerin“.',
  },
  gallery: { names: 'galerie, fotos, bilder, bildergalerie, fotogalerie', heading: 'Ein Blick hinein', text: '' },
  hours: {
    names: 'öffnungszeiten, sprechzeiten, geschäftszeiten, zeiten',
    heading: 'Öffnungszeiten',
    text: '[Frag|Fragen Sie] einfach, wann es gut passt.',
    placeholder: 'Ergänzen Sie Ihre Öffnungszeiten, zum Beispiel: „Öffnungszeiten: Di–Sa 7–18 Uhr“.',
  },
  visit: {
    names: 'anfahrt, lage, standort, stadtplan, wegbeschreibung, adresse',
    heading: 'So [findest du|finden Sie] uns',
    text: '[Melde dich|Melden Sie sich] kurz, bevor [du kommst|Sie kommen]. Wir sagen, wie es am besten geht.',
    placeholder: 'Ergänzen Sie Ihre Adresse, zum Beispiel: „Unsere Adresse ist Hafenstraße 12“.',
  },
  contact: {
    names: 'kontakt, kontaktformular, anfrageformular',
    heading: '[Schreib|Schreiben Sie] uns',
    text: 'Ein Satz genügt. Wir lesen jede Nachricht selbst.',
  },
  faq: {
    names: 'fragen, häufige fragen, faq, fragen und antworten',
    heading: 'Gut zu wissen',
    text: '',
    items: [
      [
        'Wie erreiche ich [euch|Sie]?',
        'Über das Formular auf dieser Seite. [Schreib|Schreiben Sie], worum es geht und wie wir [dich|Sie] erreichen.',
      ],
      ['Darf ich erst einmal nur fragen?', 'Gern. Eine Frage verpflichtet zu nichts.'],
      ['Was sollte ich vorbereiten?', 'Nur das, was [du wissen möchtest|Sie wissen möchten]. Alles andere fragen wir.'],
    ],
  },
  banner: {
    names: 'aufruf, banner, handlungsaufforderung',
    heading: '',
    text: '[Schreib uns oder komm|Schreiben Sie uns oder kommen Sie] vorbei. Wir freuen uns.',
  },
  statement: { names: 'leitsatz, motto, slogan, leitspruch', heading: '', text: '' },
  quotes: {
    names: 'kundenstimmen, bewertungen, rezensionen, referenzen, stimmen',
    heading: 'Was andere sagen',
    text: '',
    placeholder: 'Ergänzen Sie die Stimme eines echten Kunden, zum Beispiel: Ergänze Zitat: „Wunderbares Brot“ von Ana.',
  },
  news: {
    names: 'neuigkeiten, aktuelles, nachrichten, blog',
    heading: 'Aktuelles',
    text: 'Im Moment gibt es nichts Neues. Sobald sich das ändert, steht es hier.',
    placeholder: 'Ergänzen Sie eine Neuigkeit: „Ändere den Text von Aktuelles in …“.',
  },
  dates: {
    names: 'termine, veranstaltungen, kalender, programm',
    heading: 'Termine',
    text: 'Zurzeit sind keine Termine angekündigt. [Frag|Fragen Sie] uns, was geplant ist.',
    placeholder: 'Ergänzen Sie einen Termin, zum Beispiel: „Ergänze Termin: 12. Mai, Weinabend“.',
  },
  newsletter: {
    names: 'newsletter, rundbrief, mailingliste',
    heading: 'Ab und zu ein Brief',
    text: 'Neues von {name} per E-Mail. Abmelden geht jederzeit.',
  },
  booking: {
    names: 'reservierung, buchung, terminanfrage, buchungsformular, tischreservierung',
    heading: 'Termin anfragen',
    text: '[Sag|Sagen Sie] uns, wann es passt. Fest ist der Termin, sobald wir ihn bestätigt haben.',
  },
  features: {
    names: 'vorteile, merkmale, funktionen, warum wir',
    heading: 'Warum {name}',
    text: '',
    items: [
      ['Feste Ansprechpartner', '[Du erklärst|Sie erklären] alles nur einmal, und zwar jemandem, der dabeibleibt.'],
      ['Keine Überraschungen', 'Wenn sich etwas ändert, [erfährst du|erfahren Sie] es zuerst von uns.'],
      ['Auf Dauer gedacht', 'Wir bevorzugen die Lösung, die auch nächstes Jahr noch trägt.'],
      ['Offen für Fragen', 'Zu früh fragen kann man nicht.'],
    ],
  },
  area: {
    names: 'einzugsgebiet, einsatzgebiet, region, umkreis',
    heading: 'Wo wir arbeiten',
    text: 'In {place} und Umgebung. Nicht sicher, ob das passt? Einfach fragen.',
    placeholder: 'Nennen Sie die Orte, in denen Sie arbeiten.',
  },
  jobs: {
    names: 'jobs, stellen, stellenangebote, karriere',
    heading: 'Mitarbeiten',
    text: '[Dir|Ihnen] gefällt, was wir machen? Dann [erzähl uns, wer du bist|erzählen Sie uns, wer Sie sind].',
    action: 'Vorstellen',
  },
  vouchers: {
    names: 'gutscheine, gutschein, geschenke',
    heading: 'Ein Geschenk von {name}',
    text: '[Du suchst|Sie suchen] etwas für einen lieben Menschen? [Frag|Fragen Sie] uns nach einem Gutschein.',
    action: 'Nach Gutscheinen fragen',
  },
  season: {
    names: 'saison, saisonales, saisonangebot',
    heading: 'Gerade Saison',
    text: 'Das Jahr gibt den Takt vor. [Frag|Fragen Sie] uns, was jetzt am besten ist.',
    placeholder: 'Sagen Sie, was gerade Saison hat.',
  },
  emergency: {
    names: 'notfall, notdienst, hotline, notruf',
    heading: 'Ist es dringend?',
    text: 'Dann bitte nicht schreiben, sondern anrufen: Wo ist es, und was ist passiert?',
    placeholder: 'Ergänzen Sie die Telefonnummer für dringende Fälle.',
  },
  firstvisit: {
    names: 'erster besuch, erstes mal, vor dem besuch, neue patienten, einsteiger',
    heading: '[Dein|Ihr] erster Besuch',
    text: '',
    items: [
      ['Termin vereinbaren', '[Schreib|Schreiben Sie] uns, wann es [dir|Ihnen] passt.'],
      ['In Ruhe ankommen', '[Komm|Kommen Sie] ein paar Minuten früher und [bring|bringen Sie] mit, was nützlich sein könnte.'],
      ['Alles fragen', 'Wir nehmen uns Zeit, zu erklären, was wir tun und warum.'],
    ],
  },
  links: {
    names: 'links, soziale medien, social media',
    heading: 'Anderswo',
    text: '',
    placeholder: 'Ergänzen Sie einen Link: „Ergänze Link https://instagram.com/ihrname“.',
  },
  custom: {
    names: 'textabschnitt, textblock, absatz',
    heading: 'Ein neuer Abschnitt',
    text: 'Hier ist Platz für etwas, das gesagt werden sollte.',
    placeholder: 'Schreiben Sie den Text des neuen Abschnitts.',
  },
  imprint: {
    names: 'impressum, rechtliches',
    heading: 'Impressum',
    text: 'Verantwortlich für diese Website: {name}.',
    placeholder:
      'Vervollständigen Sie das Impressum (§ 5 DDG): Rechtsform, Anschrift, Vertretungsberechtigte, Register, Umsatzsteuer-ID, E-Mail.',
  },
  privacy: {
    names: 'datenschutz, datenschutzerklärung',
    heading: 'Datenschutz',
    text: 'Diese Website setzt keine eigenen Cookies und lädt nichts von Dritten. Was [du|Sie] über ein Formular [sendest|senden], verwenden wir nur, um zu antworten.',
    items: [
      ['Rechte', 'Auskunft, Berichtigung, Löschung: Eine Nachricht genügt. Beschwerden nimmt die zuständige Aufsichtsbehörde entgegen.'],
    ],
    placeholder: 'Lassen Sie die Datenschutzerklärung prüfen: Verantwortlicher, Hosting, Speicherdauer.',
  },
  thanks: { names: 'dankeseite', heading: 'Vielen Dank.', text: 'Die Nachricht ist angekommen.' },
  notfound: {
    names: '404-seite, fehlerseite',
    heading: 'Diese Seite gibt es hier nicht.',
    text: 'Vielleicht ist sie umgezogen, oder in der Adresse steckt ein Tippfehler. Alles andere ist noch da.',
  },
};
