import type { KindWords } from '../words.ts';

export const foodAndStay = {
  bakery: {
    noun: 'Boulangerie',
    name: 'Le Fournil',
    heads: ['Le pain qui vaut le réveil.', 'Farine, eau, sel, patience.', 'Les bons matins croustillent.'],
    leads: [
      'Des pains à la croûte franche, un feuilletage qui craque, et cette odeur qui fait changer de trottoir.',
      'Nous pétrissons à la main et cuisons à l’œil : le pain de tous les jours, et la douceur des jours qui en ont besoin.',
    ],
    offersLabel: 'Pains & douceurs',
    offersHead: 'À la sortie du four',
    offers: [
      ['Pains', 'Croûte dorée, mie généreuse. Bons même sans rien.'],
      ['Viennoiseries', 'Pliées, reposées, repliées. À croquer encore tièdes.'],
      ['Gâteaux', 'Pour les anniversaires, les dimanches, et sans raison.'],
      ['Sur commande', 'Dites-nous combien vous serez à table.'],
    ],
    about: [
      'Faire du pain, c’est savoir attendre',
      'La pâte a son idée du temps, et nous ne la contrarions pas. Elle repose, puis nous la façonnons à la main. Le reste est affaire de chaleur, et de quelqu’un qui surveille le four.',
    ],
    action: 'Commander du pain',
    image: 'Dessin d’une miche de pain',
  },

  restaurant: {
    noun: 'Restaurant',
    name: 'La Grande Table',
    heads: ['Asseyez-vous. On cuisine.', 'Une table, des amis, une casserole sur le feu.', 'Venez avec faim, restez la soirée.'],
    leads: [
      'Une cuisine qui suit le marché et la saison, dans une salle où personne ne regarde l’heure.',
      'Peu de plats, bien faits, et le vin qui va avec. Le reste de la soirée est à vous.',
    ],
    offersLabel: 'La carte',
    offersHead: 'Ce qui arrive à table',
    offers: [
      ['Entrées', 'De petites assiettes à partager, pour la première faim.'],
      ['Plats', 'Ce que le marché avait de bon, cuisiné pour qu’on le reconnaisse.'],
      ['Desserts', 'Il reste toujours de la place. Nous y veillons.'],
      ['Vins & boissons', 'Demandez ce qui va avec votre assiette. Nous aimons cette question.'],
    ],
    about: [
      'Une cuisine porte ouverte',
      'Nous achetons ce qui est bon, et décidons ensuite. La carte reste courte, et chaque soir est différent. De votre table, on entend les casseroles : c’est voulu.',
    ],
    action: 'Réserver une table',
    image: 'Dessin d’une assiette et de couverts',
  },

  cafe: {
    noun: 'Café',
    name: 'La Deuxième Tasse',
    heads: ['D’abord un café. Le reste ensuite.', 'La meilleure place du quartier.', 'Restez pour le deuxième.'],
    leads: [
      'Un café soigné, des gâteaux sous cloche, et un coin pour votre livre, votre ordinateur ou vos pensées.',
      'Une bonne tasse, une bonne chaise, et personne qui vous presse.',
    ],
    offersLabel: 'La carte',
    offersHead: 'Au comptoir',
    offers: [
      ['Cafés', 'Du petit noir à la longue conversation autour d’un filtre.'],
      ['Thés & autres', 'Feuilles entières, chocolat chaud, et du frais quand il fait bon.'],
      ['Petit déjeuner', 'Pour les lève-tôt, et pour ceux qui trouvent onze heures matinal.'],
      ['Gâteaux', 'Regardez sous la cloche. Choisir n’en sera pas plus simple.'],
    ],
    about: [
      'Un salon, avec du meilleur café',
      'Certains viennent dix minutes, d’autres l’après-midi. Les deux nous vont. Nous prenons le café au sérieux, et nous-mêmes un peu moins.',
    ],
    action: 'Dites-nous bonjour',
    image: 'Dessin d’une tasse fumante',
  },

  bar: {
    noun: 'Bar',
    name: 'Après Huit Heures',
    heads: ['La soirée commence ici.', 'Un dernier ? Un dernier.', 'Lumière basse, beaux verres.'],
    leads: [
      'Des classiques bien faits, quelques idées à nous, et quelqu’un derrière le bar qui se souvient de vous.',
      'Des verres qui ont une raison d’être, une musique qui laisse parler, et un tabouret qui vous attend.',
    ],
    offersLabel: 'Les verres',
    offersHead: 'Dans le verre',
    offers: [
      ['Cocktails', 'Les classiques tels qu’ils devaient être, et quelques-uns à nous.'],
      ['Vins', 'Au verre, pour pouvoir changer d’avis.'],
      ['Bières', 'Fraîches, bien tirées, et pas seulement les habituelles.'],
      ['Sans alcool', 'Autant de travail, autant de goût, un matin plus facile.'],
    ],
    about: [
      'Tout est dans la façon de servir',
      'Un bon cocktail, c’est peu de bonnes choses dans le bon ordre. Un bon bar aussi, avec des gens. Nous prenons soin des deux.',
    ],
    action: 'Réserver une place',
    image: 'Dessin d’un verre à cocktail',
  },

  hotel: {
    noun: 'Hôtel',
    name: 'La Maison Calme',
    heads: ['Arrivez. Posez vos valises. Respirez.', 'Une bonne nuit, et le matin qui va avec.', 'Loin de tout, près de l’essentiel.'],
    leads: [
      'Des chambres où l’on dort bien, un petit déjeuner qui vaut le réveil, et des gens qui connaissent le chemin.',
      'Une maison pour ceux qui aiment le simple bien fait : un bon lit, une fenêtre au calme, un vrai accueil.',
    ],
    offersLabel: 'Chambres',
    offersHead: 'Où vous dormirez',
    offers: [
      ['Chambres simples', 'Tout à portée de main, et une bonne lampe pour lire.'],
      ['Chambres doubles', 'De la place pour deux, et pour deux valises ouvertes.'],
      ['Chambres familiales', 'Un lit pour chacun, et une porte à fermer quand les petits dorment.'],
      ['Petit déjeuner', 'Le moment du voyage qui ne se presse jamais.'],
    ],
    about: [
      'Des hôtes, pas une réception',
      'Nous aimons que nos clients descendent plus tard que prévu. Demandez-nous où nous irions marcher, dîner ou regarder la vue. Les hôtes sont là pour ça.',
    ],
    action: 'Demander une chambre',
    image: 'Dessin d’une maison aux fenêtres éclairées',
  },

  winery: {
    noun: 'Domaine viticole',
    name: 'Domaine du Haut Coteau',
    heads: ['Le vin, c’est de la patience en bouteille.', 'De ce coteau, et d’aucun autre.', 'Ce que l’année nous a donné.'],
    leads: [
      'Des vins qui ont le goût de leur terre : faits à la vigne, accompagnés au chai d’une main légère.',
      'Chaque millésime est une lettre de l’année passée. Nous ne faisons que la mettre en bouteille.',
    ],
    offersLabel: 'Les vins',
    offersHead: 'À la cave',
    offers: [
      ['Blancs', 'Nets, vifs, et sans hâte de plaire.'],
      ['Rouges', 'Le temps pour eux, et leur place à table.'],
      ['Bulles', 'Pour les bonnes nouvelles et les mardis ordinaires.'],
      ['Dégustations', 'Un vin se comprend le verre à la main, face aux vignes.'],
    ],
    about: [
      'C’est la vigne qui décide',
      'Nous taillons, nous attendons, nous regardons le ciel. Au chai, nous tâchons surtout de ne pas gêner. Ce que vous goûtez, c’est un lieu et une année.',
    ],
    action: 'Demander une dégustation',
    image: 'Dessin d’une grappe de raisin',
  },

  florist: {
    noun: 'Fleuriste',
    name: 'Tige & Feuille',
    heads: ['Dites-le avec ce qui pousse.', 'Des bouquets comme cueillis par vous.', 'Le plus court chemin vers un sourire.'],
    leads: [
      'Des bouquets noués à la main, avec ce que la saison veut bien dire. Pour les grands jours et la table de la cuisine.',
      'Souples, frais, un peu fous : des fleurs comme un jardin les arrangerait.',
    ],
    offersLabel: 'Fleurs',
    offersHead: 'Ce que nous composons',
    offers: [
      ['Bouquets', 'Dites-nous pour qui. Nous trouverons le reste.'],
      ['Mariages', 'De la boutonnière à l’arche, d’une seule main.'],
      ['Deuil', 'Des couronnes et des gerbes qui trouvent le ton juste.'],
      ['Plantes', 'Pour les rebords de fenêtre, les balcons et les débutants.'],
    ],
    about: [
      'La saison est notre catalogue',
      'Ce qui fleurit maintenant sent meilleur et tient plus longtemps. Nous partons de là. Puis nous ajoutons un peu de malice.',
    ],
    action: 'Commander des fleurs',
    image: 'Dessin d’une fleur',
  },

  bookshop: {
    noun: 'Librairie',
    name: 'Page & Lampe',
    heads: ['Le prochain bon livre est ici, quelque part.', 'Entrez pour un. Sortez avec trois.', 'Des rayons qui ont un avis.'],
    leads: [
      'Des romans, des albums, un atlas de temps en temps, et des libraires qui les ont vraiment lus.',
      'Nous choisissons ce que nous prêterions à un ami, et commandons ce qui manque.',
    ],
    offersLabel: 'Livres',
    offersHead: 'Dans nos rayons',
    offers: [
      ['Romans', 'De celui dont tout le monde parle à celui que personne ne connaît encore.'],
      ['Jeunesse', 'À lire à voix haute, tout seul, ou sous la couette.'],
      ['Idées', 'Histoire, nature, politique, cuisine : des livres pour n’être pas d’accord.'],
      ['Commandes', 'Pas en rayon ? Donnez-nous le titre, ou la couleur de la couverture.'],
    ],
    about: [
      'Conseiller est notre métier',
      'Dites-nous ce que vous avez lu en dernier, et si cela vous a plu. Souvent, cela suffit. Parfois nous nous trompons, et alors nous en parlons.',
    ],
    action: 'Demander un livre',
    image: 'Dessin de livres sur une étagère',
  },
} satisfies Record<string, KindWords>;
