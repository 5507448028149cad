import type { KindWords } from '../words.ts';

export const foodAndStay = {
  bakery: {
    noun: 'Bäckerei',
    name: 'Backstube am Eck',
    heads: ['Brot, für das man gern aufsteht.', 'Mehl, Wasser, Salz, Geduld.', 'Ein guter Morgen hat Kruste.'],
    leads: [
      'Brot mit Kruste, Gebäck, das knistert, und ein Duft, für den man die Straßenseite wechselt.',
      'Wir backen mit Händen und Augenmaß: Brot für jeden Tag und Süßes für die Tage, die es brauchen.',
    ],
    offersLabel: 'Brot & Gebäck',
    offersHead: 'Aus dem Ofen',
    offers: [
      ['Brot', 'Dunkle Kruste, saftige Krume. Schmeckt auch ohne alles.'],
      ['Gebäck', 'Gefaltet, geruht, noch einmal gefaltet. Am besten, solange es knistert.'],
      ['Kuchen', 'Für Geburtstage, Sonntage und einfach so.'],
      ['Auf Bestellung', 'Sagen Sie uns, wie viele am Tisch sitzen.'],
    ],
    about: [
      'Backen heißt warten können',
      'Teig hat seine eigene Zeit, und wir streiten nicht mit ihm. Er ruht, so lange er will, dann formen wir ihn von Hand. Den Rest machen Hitze und jemand, der den Ofen im Blick hat.',
    ],
    action: 'Brot bestellen',
    image: 'Zeichnung eines Brotlaibs',
  },

  restaurant: {
    noun: 'Restaurant',
    name: 'Zur langen Tafel',
    heads: ['Setzen Sie sich. Wir kochen.', 'Ein Tisch, gute Leute, etwas auf dem Herd.', 'Kommen Sie hungrig, bleiben Sie lange.'],
    leads: [
      'Eine Küche, die dem Markt und der Jahreszeit folgt, und ein Raum, in dem niemand auf die Uhr schaut.',
      'Wenige Gerichte, gut gemacht, und der Wein dazu. Der restliche Abend gehört Ihnen.',
    ],
    offersLabel: 'Karte',
    offersHead: 'Was auf den Tisch kommt',
    offers: [
      ['Vorspeisen', 'Kleine Teller zum Teilen, für den ersten Hunger.'],
      ['Hauptgerichte', 'Was der Markt hergab, so gekocht, dass man es noch schmeckt.'],
      ['Desserts', 'Etwas Süßes geht immer. Dafür sorgen wir.'],
      ['Wein & Getränke', 'Fragen Sie, was zu Ihrem Teller passt. Wir mögen diese Frage.'],
    ],
    about: [
      'Eine Küche mit offener Tür',
      'Wir kaufen, was gut ist, und entscheiden dann, was wir kochen. So bleibt die Karte kurz, und jeder Abend ist anders. Man hört die Pfannen bis zum Tisch, und das soll so sein.',
    ],
    action: 'Tisch reservieren',
    image: 'Zeichnung eines Tellers mit Besteck',
  },

  cafe: {
    noun: 'Café',
    name: 'Café Zweite Tasse',
    heads: ['Erst Kaffee. Dann der Rest.', 'Der beste Platz im Viertel.', 'Bleib noch auf einen.'],
    leads: [
      'Kaffee mit Sorgfalt, Kuchen unter Glas und eine Ecke für dein Buch, deinen Laptop oder deine Gedanken.',
      'Eine gute Tasse, ein guter Stuhl, und niemand drängelt.',
    ],
    offersLabel: 'Karte',
    offersHead: 'Auf der Theke',
    offers: [
      ['Kaffee', 'Vom kurzen Espresso bis zum langen Gespräch beim Filterkaffee.'],
      ['Tee & mehr', 'Lose Blätter, heiße Schokolade und Kaltes, wenn es draußen warm ist.'],
      ['Frühstück', 'Für Frühaufsteher und für alle, denen elf Uhr früh genug ist.'],
      ['Kuchen', 'Schau unter die Glasglocke. Danach ist die Wahl auch nicht leichter.'],
    ],
    about: [
      'Ein Wohnzimmer mit besserem Kaffee',
      'Manche kommen für zehn Minuten, manche für den ganzen Nachmittag. Beides ist richtig. Den Kaffee nehmen wir ernst, uns selbst etwas weniger.',
    ],
    action: 'Sag Hallo',
    image: 'Zeichnung einer dampfenden Tasse',
  },

  bar: {
    noun: 'Bar',
    name: 'Nach Acht',
    heads: ['Hier fängt der Abend an.', 'Noch einen? Noch einen.', 'Wenig Licht, gute Gläser.'],
    leads: [
      'Klassiker, richtig gemixt, ein paar eigene Ideen und jemand hinter der Theke, der sich dein Gesicht merkt.',
      'Drinks mit Verstand, Musik in Gesprächslautstärke und ein Hocker, der auf dich wartet.',
    ],
    offersLabel: 'Drinks',
    offersHead: 'Ins Glas',
    offers: [
      ['Cocktails', 'Die Klassiker, wie sie gemeint waren, und ein paar von uns.'],
      ['Wein', 'Glasweise, damit du es dir anders überlegen kannst.'],
      ['Bier', 'Kalt, gut gezapft und nicht nur das Übliche.'],
      ['Ohne Alkohol', 'Gleich viel Arbeit, gleich viel Geschmack, besserer Morgen.'],
    ],
    about: [
      'Auf das Einschenken kommt es an',
      'Ein guter Drink sind wenige gute Dinge in der richtigen Reihenfolge. Eine gute Bar ist dasselbe, nur mit Menschen. Wir kümmern uns um beides.',
    ],
    action: 'Platz reservieren',
    image: 'Zeichnung eines Cocktailglases',
  },

  hotel: {
    noun: 'Hotel',
    name: 'Das stille Haus',
    heads: ['Ankommen. Abstellen. Durchatmen.', 'Eine gute Nacht und der Morgen dazu.', 'Weit genug weg, nah genug dran.'],
    leads: [
      'Zimmer, in denen man gut schläft, ein Frühstück, für das man gern aufsteht, und Menschen, die den Weg kennen.',
      'Ein Haus für Reisende, die es einfach und gut mögen: ein gutes Bett, ein ruhiges Fenster, ein herzlicher Empfang.',
    ],
    offersLabel: 'Zimmer',
    offersHead: 'Wo Sie schlafen',
    offers: [
      ['Einzelzimmer', 'Alles in Reichweite, und eine gute Leselampe.'],
      ['Doppelzimmer', 'Platz für zwei und für zwei Koffer, die offen bleiben dürfen.'],
      ['Familienzimmer', 'Betten für alle, und eine Tür, wenn die Kleinen schlafen.'],
      ['Frühstück', 'Der Teil der Reise, der keine Eile verträgt.'],
    ],
    about: [
      'Gastgeber, keine Rezeption',
      'Wir freuen uns, wenn Gäste später zum Frühstück kommen als geplant. Fragen Sie uns, wo wir selbst spazieren, essen und in die Ferne schauen würden. Dafür sind Gastgeber da.',
    ],
    action: 'Zimmer anfragen',
    image: 'Zeichnung eines Hauses mit Fenstern',
  },

  winery: {
    noun: 'Weingut',
    name: 'Weingut Oberer Hang',
    heads: ['Wein ist Geduld in Flaschen.', 'Von diesem Hang, von keinem anderen.', 'Was das Jahr uns gab.'],
    leads: [
      'Weine, die schmecken, wo sie wachsen: im Weinberg gemacht, im Keller mit leichter Hand begleitet.',
      'Jeder Jahrgang ist ein Brief aus dem Jahr davor. Wir füllen ihn nur ab.',
    ],
    offersLabel: 'Weine',
    offersHead: 'Im Keller',
    offers: [
      ['Weiß', 'Klar, lebendig und ohne Eile, zu gefallen.'],
      ['Rot', 'Mit Zeit gereift, am liebsten am Tisch.'],
      ['Sekt', 'Für gute Nachrichten und für gewöhnliche Dienstage.'],
      ['Proben', 'Am besten versteht man ihn mit dem Glas in der Hand.'],
    ],
    about: [
      'Der Weinberg entscheidet',
      'Wir schneiden, wir warten, wir schauen in den Himmel. Im Keller versuchen wir vor allem, nicht im Weg zu stehen. Was Sie schmecken, sind ein Ort und ein Jahr.',
    ],
    action: 'Weinprobe anfragen',
    image: 'Zeichnung einer Weintraube',
  },

  florist: {
    noun: 'Blumenladen',
    name: 'Stiel & Blatt',
    heads: ['Sagen Sie es mit etwas, das wächst.', 'Sträuße wie selbst gepflückt.', 'Der kürzeste Weg zu einem Lächeln.'],
    leads: [
      'Von Hand gebundene Sträuße mit dem, was die Jahreszeit zu sagen hat. Für große Tage und den Küchentisch.',
      'Locker, frisch, ein wenig wild: Blumen, wie ein Garten sie binden würde.',
    ],
    offersLabel: 'Blumen',
    offersHead: 'Was wir binden und pflanzen',
    offers: [
      ['Sträuße', 'Sagen Sie uns, für wen. Den Rest finden wir.'],
      ['Hochzeiten', 'Vom Anstecker bis zum Bogen aus einer Hand.'],
      ['Trauer', 'Kränze und Gestecke, die den richtigen Ton treffen.'],
      ['Pflanzen', 'Für Fensterbänke, Balkone und Anfänger.'],
    ],
    about: [
      'Die Jahreszeit ist unser Katalog',
      'Was gerade blüht, duftet besser und hält länger. Damit fangen wir an. Dann kommt eine Prise Übermut dazu.',
    ],
    action: 'Blumen bestellen',
    image: 'Zeichnung einer Blume',
  },

  bookshop: {
    noun: 'Buchhandlung',
    name: 'Seite & Lampe',
    heads: ['Das nächste gute Buch steht hier irgendwo.', 'Für eins gekommen, mit dreien gegangen.', 'Regale mit Meinung.'],
    leads: [
      'Romane, Bilderbücher, hin und wieder ein Atlas und Menschen, die sie wirklich gelesen haben.',
      'Wir wählen aus, was wir Freunden leihen würden, und bestellen, was fehlt.',
    ],
    offersLabel: 'Bücher',
    offersHead: 'In unseren Regalen',
    offers: [
      ['Romane', 'Vom Buch, über das alle reden, bis zu dem, das noch niemand kennt.'],
      ['Für Kinder', 'Zum Vorlesen, Selberlesen und Unter-der-Decke-Lesen.'],
      ['Sachbücher', 'Geschichte, Natur, Politik, Küche: Bücher zum Widersprechen.'],
      ['Bestellungen', 'Nicht da? Nennen Sie uns den Titel oder die Farbe des Umschlags.'],
    ],
    about: [
      'Empfehlen ist unser Beruf',
      'Erzählen Sie uns, was Sie zuletzt gelesen haben und wie es war. Meistens genügt das. Manchmal liegen wir daneben, dann reden wir darüber.',
    ],
    action: 'Nach einem Buch fragen',
    image: 'Zeichnung von Büchern im Regal',
  },
} satisfies Record<string, KindWords>;
