import type { KindWords } from '../words.ts';

export const deskAndClub = {
  lawyer: {
    noun: 'Cabinet d’avocats',
    name: 'Cabinet d’avocats',
    heads: ['Le droit, avec des mots clairs.', 'Un conseil net. À vos côtés.', 'Les faits, puis le droit, puis un plan.'],
    leads: [
      'Nous vous disons où vous en êtes, ce que cela peut coûter, et ce que nous ferions à votre place.',
      'Conseil et défense pour les particuliers et les entreprises qui veulent savoir à quoi s’en tenir.',
    ],
    offersLabel: 'Domaines',
    offersHead: 'Nos domaines',
    offers: [
      ['Droit du travail', 'Contrats, ruptures, accords : des deux côtés du bureau.'],
      ['Famille & successions', 'Des questions difficiles, traitées avec discrétion.'],
      ['Contrats & affaires', 'Des accords qui tiennent aussi quand cela se complique.'],
      ['Immobilier & baux', 'Du bail au défaut dont personne ne veut.'],
    ],
    about: [
      'Conseiller, c’est d’abord écouter',
      'La plupart des affaires changent d’aspect quand on connaît toute l’histoire. Nous écoutons, trions ce qui compte et donnons un avis franc. Parfois, c’est : ne plaidez pas.',
    ],
    action: 'Exposer votre situation',
    image: 'Dessin d’une balance',
  },

  tax: {
    noun: 'Cabinet comptable',
    name: 'Cabinet comptable',
    heads: ['Des chiffres qui laissent dormir.', 'Vos comptes, en ordre.', 'Les impôts, expliqués et faits.'],
    leads: [
      'Comptes, déclarations et conseils pour indépendants, familles et entreprises, avant l’échéance.',
      'Nous tenons vos livres, et disons ce qu’ils signifient pour votre prochaine décision.',
    ],
    offersLabel: 'Services',
    offersHead: 'Ce dont nous vous déchargeons',
    offers: [
      ['Déclarations', 'Complètes, à l’heure, avec tout ce à quoi vous avez droit.'],
      ['Comptabilité', 'Des factures à l’entrée, des chiffres clairs à la sortie.'],
      ['Paie', 'Les bons montants, les bons formulaires, chaque mois.'],
      ['Conseil', 'Créer, grandir, transmettre : nous calculons avec vous.'],
    ],
    about: [
      'Les chiffres racontent',
      'Nous lisons vos comptes avec vous, pas seulement pour vous. Vous savez ainsi ce qui reste, et pourquoi. Les bonnes décisions suivent d’elles-mêmes.',
    ],
    action: 'Demander un rendez-vous',
    image: 'Dessin d’une calculatrice',
  },

  architect: {
    noun: 'Atelier d’architecture',
    name: 'Atelier Lumière du Nord',
    heads: ['Des pièces qui savent à quoi elles servent.', 'Bâti autour de votre vie.', 'Lumière, plan, détail.'],
    leads: [
      'Maisons, rénovations et petits équipements, pensés du terrain à la poignée de porte.',
      'Nous dessinons avec ce qui est là : la pente, l’arbre du voisin, le budget.',
    ],
    offersLabel: 'Projets',
    offersHead: 'Ce que nous concevons',
    offers: [
      ['Construction', 'De la première esquisse à la remise des clés.'],
      ['Rénovation', 'Vieux murs, vies nouvelles. Nous aimons les deux.'],
      ['Intérieurs', 'Rangements, lumière et matières comme parties de la maison.'],
      ['Faisabilité', 'Que peut-on faire ici ? Une réponse avant l’achat.'],
    ],
    about: [
      'Chaque terrain a sa réponse',
      'Nous l’arpentons avant de dessiner, à plusieurs heures du jour. Puis nous faisons des maquettes, en jetons, et gardons celle qui tombe juste. La beauté est souvent affaire d’ordre.',
    ],
    action: 'Parler de votre projet',
    image: 'Dessin d’une maison en coupe',
  },

  photographer: {
    noun: 'Photographe',
    name: 'Lumière et Demie',
    heads: ['Regardez. C’est une image.', 'L’instant juste après la pose.', 'Des photos que l’on regarde encore.'],
    leads: [
      'Portraits, mariages et histoires en lumière réelle, avec le moins de manières possible.',
      'Des images de gens qui se disent peu photogéniques. Ils le sont toujours.',
    ],
    offersLabel: 'Travaux',
    offersHead: 'Ce que je photographie',
    offers: [
      ['Portraits', 'Une promenade, une conversation, et entre les deux, vous.'],
      ['Mariages', 'Toute la journée, presque sans qu’on me voie.'],
      ['Entreprises', 'Des visages et des lieux tels qu’ils sont, pas comme au catalogue.'],
      ['Tirages', 'Parce que les meilleures images méritent un mur.'],
    ],
    about: [
      'J’attends',
      'La bonne image vient quand personne ne l’attend, sauf moi. Alors je parle, je bouge, je m’efface. Vous remarquerez à peine l’appareil.',
    ],
    action: 'Demander une date',
    image: 'Dessin d’un appareil photo',
  },

  software: {
    noun: 'Logiciel',
    name: 'Simplement',
    heads: ['Moins de clics. Plus de fait.', 'L’outil qui ne gêne pas.', 'Un logiciel clair comme une phrase.'],
    leads: [
      'Un seul endroit pour le travail éparpillé dans cinq tableaux et trois messageries.',
      'Vite installé, compris de toute l’équipe, discret le reste du temps.',
    ],
    offersLabel: 'Fonctions',
    offersHead: 'Ce qu’il fait',
    offers: [
      ['Tout au même endroit', 'Tâches, fichiers et décisions, là où chacun les trouve.'],
      ['Automatique', 'Ce qui se répète est fait avant que l’on y pense.'],
      ['Connecté', 'Conçu pour vivre à côté des outils que vous avez déjà.'],
      ['Souple', 'Il s’adapte à votre travail, et non l’inverse.'],
    ],
    about: [
      'Pour la partie ennuyeuse',
      'La partie passionnante du travail est à vous. Nous nous chargeons des listes, des rappels et des copier-coller. L’idéal est que vous nous oubliiez.',
    ],
    action: 'Demander une démonstration',
    image: 'Dessin d’une fenêtre de code',
  },

  association: {
    noun: 'Association',
    name: 'Les Bons Voisins',
    heads: ['Ensemble, on va plus loin.', 'Quelques heures qui changent quelque chose.', 'Chacun peut donner un coup de main.'],
    leads: [
      'Nous réunissons celles et ceux qui veulent changer quelque chose ici, avec leurs mains, leur temps ou leurs idées.',
      'Des bénévoles, des membres et des amis d’une bonne cause. Il reste une place.',
    ],
    offersLabel: 'Nos actions',
    offersHead: 'Ce que nous faisons ensemble',
    offers: [
      ['Se rencontrer', 'Des soirées où les inconnus deviennent voisins.'],
      ['Aider', 'Un soutien là où il faut, sans longs formulaires.'],
      ['Apprendre', 'Des conférences et des ateliers par les membres, pour tous.'],
      ['Fêter', 'Parce que le travail bien fait mérite un gâteau.'],
    ],
    about: [
      'Tout part d’une conversation',
      'Quelqu’un a dit qu’il faudrait faire quelque chose, et quelqu’un d’autre : alors faisons-le. Nous travaillons toujours ainsi. Pas besoin d’expérience, juste d’un peu de temps.',
    ],
    action: 'Participer',
    image: 'Dessin de trois personnes',
  },

  business: {
    noun: 'Entreprise',
    name: 'Votre entreprise',
    heads: ['Du bon travail, sans détour.', 'Dites-nous ce qu’il vous faut.', 'Nous prenons le relais.'],
    leads: [
      'Nous écoutons, nous réfléchissons, puis nous faisons ce que nous avons dit.',
      'Une idée claire du travail bien fait, et la patience qu’il demande.',
    ],
    offersLabel: 'Services',
    offersHead: 'Ce que nous faisons',
    offers: [
      ['Conseil', 'Nous regardons votre question sous plus d’un angle.'],
      ['Préparation', 'Un chemin clair, de l’idée au résultat.'],
      ['Réalisation', 'Avec soin, par ceux que vous avez rencontrés.'],
      ['Suivi', 'Nous restons joignables une fois le travail fini.'],
    ],
    about: [
      'Avec qui vous travaillez',
      'Vous parlez à ceux qui font le travail. Nous disons ce que nous savons faire, et ce que d’autres font mieux. Tout le monde y gagne du temps.',
    ],
    action: 'Nous contacter',
    image: 'Dessin d’immeubles',
  },
} satisfies Record<string, KindWords>;
