import type { KindWords } from '../words.ts';

export const trades = {
  plumber: {
    noun: 'Plombier-chauffagiste',
    name: 'Eau Claire Plomberie',
    heads: ['Ça goutte ? Plus pour longtemps.', 'L’eau à sa place. La chaleur à l’heure.', 'Des tuyaux, faits proprement.'],
    leads: [
      'Dépannages, salles de bains et chauffage, par des gens qui s’essuient les pieds et expliquent la facture.',
      'Nous réparons ce qui fuit, remplaçons ce qui est usé, et disons franchement ce qui peut attendre.',
    ],
    offersLabel: 'Services',
    offersHead: 'Ce dont nous nous occupons',
    offers: [
      ['Dépannage', 'Robinet, tuyau, évacuation : trouvé, réparé, nettoyé.'],
      ['Salles de bains', 'Du nouveau lavabo à la pièce entière.'],
      ['Chauffage', 'Entretien, réparation, et conseil pour l’après-chaudière.'],
      ['Recherche de fuite', 'Nous cherchons la cause avant d’ouvrir le mur.'],
    ],
    about: [
      'Une bonne réparation s’oublie',
      'Nous regardons d’abord, puis nous disons ce qu’il faut, puis nous commençons. Des mots simples et un sol propre. Ce qui peut attendre attendra.',
    ],
    action: 'Décrire le problème',
    image: 'Dessin d’un robinet et d’une goutte',
  },

  electrician: {
    noun: 'Électricien',
    name: 'Côté Lumière',
    heads: ['Le courant passe. En sécurité.', 'Une installation à laquelle on ne pense plus.', 'Et la prise fut.'],
    leads: [
      'Installation, dépannage et contrôle pour logements et petites entreprises, soignés aussi derrière le mur.',
      'D’une prise de plus à la maison entière : bien prévu, mesuré, étiqueté.',
    ],
    offersLabel: 'Services',
    offersHead: 'Ce que nous branchons',
    offers: [
      ['Installation', 'Du neuf, de l’ancien, et des maisons à surprises.'],
      ['Dépannage', 'Quand la lumière tremble ou que tout disjoncte.'],
      ['Éclairage', 'De la lumière où vous lisez, cuisinez et rentrez.'],
      ['Recharge & solaire', 'Prêt pour la voiture et pour le toit.'],
    ],
    about: [
      'De l’ordre derrière le mur',
      'Vous voyez l’interrupteur ; nous pensons à ce qu’il y a derrière. Chaque circuit a son étiquette, chaque changement sa note. Le suivant nous remerciera.',
    ],
    action: 'Décrire les travaux',
    image: 'Dessin d’un éclair',
  },

  carpenter: {
    noun: 'Menuiserie',
    name: 'Chêne & Copeaux',
    heads: ['En bois. Pour rester.', 'Des meubles à la bonne mesure.', 'Mesurer deux fois, scier une, garder toujours.'],
    leads: [
      'Tables, cuisines, escaliers et étagères, faits pour un lieu et pour une personne : vous.',
      'Nous dessinons avec vous, choisissons le bois, et fabriquons à l’atelier.',
    ],
    offersLabel: 'Réalisations',
    offersHead: 'Ce que nous fabriquons',
    offers: [
      ['Meubles', 'Tables, lits et armoires qui suivent les déménagements.'],
      ['Cuisines', 'Pensées autour de votre façon de cuisiner, jusqu’au dernier tiroir.'],
      ['Portes & escaliers', 'Ce que l’on touche chaque jour doit être agréable.'],
      ['Restauration', 'Les belles pièces méritent une seconde vie.'],
    ],
    about: [
      'Le bois a de la mémoire',
      'Il bouge, il fonce, il montre comment on l’a traité. Nous travaillons avec lui, pas contre lui. Un bon assemblage tient sans promesses.',
    ],
    action: 'Parler de votre idée',
    image: 'Dessin d’une scie et d’une planche',
  },

  gardener: {
    noun: 'Paysagiste',
    name: 'L’Heure Verte',
    heads: ['Des jardins qui s’entretiennent presque seuls.', 'Vert, toute l’année.', 'Votre jardin vous attendait.'],
    leads: [
      'Nous dessinons, plantons et soignons des jardins : pour les abeilles, les enfants et les longs soirs dehors.',
      'Du balcon au verger : des plantes à leur place, et un entretien qui dure.',
    ],
    offersLabel: 'Services',
    offersHead: 'Ce que nous faisons dehors',
    offers: [
      ['Conception', 'Un plan qui connaît le soleil, le sol et vos samedis.'],
      ['Plantation', 'La bonne plante au bon endroit, et presque plus de désherbage.'],
      ['Entretien', 'Tailler, tondre, nourrir : au bon moment.'],
      ['Terrasses & allées', 'Pierre, bois et gravier, posés pour rester droits.'],
    ],
    about: [
      'Nous commençons par le sol',
      'Avant de planter, nous regardons la lumière, l’eau et la terre. Ce qui convient au lieu pousse tout seul. Le reste, c’est un banc au bon endroit.',
    ],
    action: 'Montrer votre jardin',
    image: 'Dessin d’une pousse',
  },

  garage: {
    noun: 'Garage',
    name: 'Le Garage Honnête',
    heads: ['Nous écoutons ce que dit votre voiture.', 'Réparé. Pas seulement remplacé.', 'De retour sur la route.'],
    leads: [
      'Entretien, réparation et diagnostic toutes marques, avec un devis avant le premier boulon.',
      'Nous vous montrons la pièce usée, expliquons à quoi elle sert, et vous décidez.',
    ],
    offersLabel: 'Services',
    offersHead: 'À l’atelier',
    offers: [
      ['Révision', 'Huile, filtres, freins : de petits travaux qui en évitent de gros.'],
      ['Diagnostic', 'Nous lisons les codes d’erreur, puis nous réfléchissons.'],
      ['Pneus', 'Montés, équilibrés, rangés jusqu’à la saison suivante.'],
      ['Contrôle technique', 'Nous préparons votre voiture, pour éviter les surprises.'],
    ],
    about: [
      'Rien à cacher sous le capot',
      'Vous pouvez regarder par-dessus notre épaule. Nous disons ce qui presse, ce qui peut attendre et ce qui n’est qu’esthétique. Les vieilles pièces restent à voir.',
    ],
    action: 'Demander un rendez-vous',
    image: 'Dessin d’une voiture',
  },
} satisfies Record<string, KindWords>;
