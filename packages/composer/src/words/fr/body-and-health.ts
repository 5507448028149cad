import type { KindWords } from '../words.ts';

export const bodyAndHealth = {
  hairdresser: {
    noun: 'Salon de coiffure',
    name: 'Le Fauteuil côté fenêtre',
    heads: ['Des cheveux qui tiennent encore lundi.', 'D’abord écouter. Ensuite couper.', 'Repartez plus léger.'],
    leads: [
      'Des coupes et des couleurs qui vont à vos cheveux, à votre visage et à vos dix minutes du matin.',
      'Asseyez-vous, dites-nous ce qui vous agace, et laissez-nous faire.',
    ],
    offersLabel: 'Prestations',
    offersHead: 'Ce que nous faisons',
    offers: [
      ['Coupe', 'Une forme qui repousse bien, pour toutes les longueurs.'],
      ['Couleur', 'D’un reflet discret à un tout nouveau chapitre.'],
      ['Soin', 'Pour les cheveux qui en ont vu d’autres.'],
      ['Occasions', 'Mariages, fêtes, photos : des coiffures qui tiennent jusqu’à la dernière danse.'],
    ],
    about: [
      'Tout commence par une question',
      'Combien de temps prenez-vous le matin ? Nous le demandons avant de saisir les ciseaux. Une bonne coupe est une coupe que vous savez coiffer.',
    ],
    action: 'Demander un rendez-vous',
    image: 'Dessin de ciseaux',
  },

  spa: {
    noun: 'Spa',
    name: 'L’Eau Calme',
    heads: ['Une heure rien qu’à vous.', 'La journée reste à la porte.', 'Expirez. Encore un peu.'],
    leads: [
      'Massages, soins du visage et pièces silencieuses. Ici rien ne sonne, et personne ne court.',
      'Des mains chaudes, des serviettes chaudes, et autant de silence que vous voulez.',
    ],
    offersLabel: 'Soins',
    offersHead: 'Du temps pour vous',
    offers: [
      ['Massage', 'Ferme ou doux : dites où cela tire, nous continuons.'],
      ['Visage', 'Un soin pour votre peau d’aujourd’hui.'],
      ['Corps', 'Gommage, enveloppement, huile, puis un long repos.'],
      ['À deux', 'Côte à côte, avec une tisane pour finir.'],
    ],
    about: [
      'Le calme fait partie du soin',
      'Nous prévoyons moins de rendez-vous, pour que le vôtre ne finisse pas par un toc-toc. Avant de commencer, nous demandons comment vous allez. Ensuite, vous n’avez plus rien à dire.',
    ],
    action: 'Demander un soin',
    image: 'Dessin d’un lotus sur l’eau',
  },

  yoga: {
    noun: 'Studio de yoga',
    name: 'Matin Lent',
    heads: ['Venez comme vous êtes. Repartez plus grand.', 'Votre tapis, et rien d’autre.', 'Plus fort, plus souple, plus lent.'],
    leads: [
      'Des cours pour les dos raides, les têtes pleines et ceux qui pensent que le yoga, c’est pour les autres.',
      'Des cours calmes, des mots clairs : vous savez quoi faire, et pourquoi cela fait du bien.',
    ],
    offersLabel: 'Cours',
    offersHead: 'Sur le tapis',
    offers: [
      ['Débuter', 'Lentement, bien expliqué, sans poirier. Promis.'],
      ['Flow', 'Le mouvement et le souffle, jusqu’à ce que la tête se taise.'],
      ['Repos', 'Couvertures, coussins, longues postures. Le contraire de l’effort.'],
      ['Cours particuliers', 'Autour de votre corps et de votre semaine.'],
    ],
    about: [
      'Personne ne vous regarde',
      'Ici, chacun est occupé avec ses propres jambes. Nous avançons à petits pas, avec une variante pour chaque corps. Vaciller fait partie du jeu.',
    ],
    action: 'Essayer un cours',
    image: 'Dessin d’une personne en méditation',
  },

  gym: {
    noun: 'Salle de sport',
    name: 'Fer & Chêne',
    heads: ['La force est une habitude.', 'Venez. Le reste, on le fait ensemble.', 'Vous pouvez plus que vous ne pensez.'],
    leads: [
      'Un entraînement avec un plan, des coachs attentifs au geste, et des gens qui se disent bonjour.',
      'Soulever, courir, s’étirer, transpirer. Et quelqu’un qui remarque vos progrès.',
    ],
    offersLabel: 'Entraînement',
    offersHead: 'S’entraîner ici',
    offers: [
      ['Force', 'D’abord le geste, ensuite le poids.'],
      ['Cardio', 'Des séances courtes et franches. Vous le sentirez dans l’escalier.'],
      ['Coaching', 'Un plan pour vous seul, et quelqu’un qui y veille.'],
      ['Groupes', 'Autant d’efforts, plus de rires.'],
    ],
    about: [
      'Pas besoin de miroir',
      'Votre façon de bouger compte plus que l’allure. Tout début est petit : un plan, une première séance, une deuxième. Après, il suffit surtout de revenir.',
    ],
    action: 'Demander une séance d’essai',
    image: 'Dessin d’un haltère',
  },

  dentist: {
    noun: 'Cabinet dentaire',
    name: 'Cabinet dentaire',
    heads: ['De bonnes dents, entre de bonnes mains.', 'La dentisterie, en toute tranquillité.', 'On explique avant de commencer.'],
    leads: [
      'Des soins doux, des explications claires, et du temps pour la question que vous n’osiez pas poser.',
      'Du premier contrôle à la prothèse : nous expliquons chaque étape avant de la franchir.',
    ],
    offersLabel: 'Soins',
    offersHead: 'Ce que nous soignons',
    offers: [
      ['Contrôle', 'Nous regardons de près, pour que le petit reste petit.'],
      ['Détartrage', 'Un nettoyage complet, et des conseils que l’on peut suivre.'],
      ['Prothèses', 'Couronnes, bridges, restaurations : prévus avec vous.'],
      ['Enfants', 'Une première visite qui rend la deuxième facile.'],
    ],
    about: [
      'Peur du dentiste ? Dites-le.',
      'Vous n’êtes pas seul. Nous faisons des pauses, expliquons ce que vous allez sentir, et arrêtons dès que vous levez la main. Le rythme est le vôtre.',
    ],
    action: 'Demander un rendez-vous',
    image: 'Dessin d’une dent',
  },

  physiotherapist: {
    noun: 'Cabinet de kinésithérapie',
    name: 'Kiné en Mouvement',
    heads: ['Retrouver le mouvement.', 'La douleur est un message. Nous le lisons.', 'Bien bouger, longtemps.'],
    leads: [
      'Nous cherchons d’où cela vient, nous traitons avec les mains, et montrons ce qui aide à la maison.',
      'Après une blessure ou une opération, et pour les dos trop longtemps assis.',
    ],
    offersLabel: 'Soins',
    offersHead: 'Comment nous aidons',
    offers: [
      ['Thérapie manuelle', 'Des mains exercées pour les articulations fatiguées.'],
      ['Rééducation', 'Pas à pas vers la force, à votre rythme.'],
      ['Dos & nuque', 'Pour ceux qui restent assis, portent ou dorment mal.'],
      ['Exercices', 'Ils tiennent dans votre journée : ainsi, vous les ferez.'],
    ],
    about: [
      'Nous soignons des personnes, pas des genoux',
      'Un genou peut souffrir à cause de la hanche, des chaussures ou du métier. Alors nous demandons, regardons et testons avant de traiter. Vous repartez avec un plan.',
    ],
    action: 'Demander un rendez-vous',
    image: 'Dessin d’une colonne vertébrale',
  },

  vet: {
    noun: 'Cabinet vétérinaire',
    name: 'La Patte Douce',
    heads: ['Pour ceux qui ne peuvent pas dire où ils ont mal.', 'De bons soins, sur quatre pattes.', 'Nous écoutons aussi les ronrons.'],
    leads: [
      'Une médecine pour chiens, chats et petits animaux, d’une voix calme et d’une main chaude.',
      'Du premier vaccin au grand âge : nous prenons le temps, pour l’animal et pour vous.',
    ],
    offersLabel: 'Services',
    offersHead: 'Ce que nous faisons pour eux',
    offers: [
      ['Examens', 'De la truffe à la queue, avant que cela ne devienne sérieux.'],
      ['Vaccins', 'Ce qu’il faut à votre animal, et pas davantage.'],
      ['Chirurgie', 'Préparée avec soin, expliquée clairement, surveillée de près.'],
      ['Conseils', 'Alimentation, poids, comportement : demandez-nous avant internet.'],
    ],
    about: [
      'Le calme est contagieux',
      'Les animaux sentent tout, et nous d’abord. Alors nous parlons bas, nous les laissons flairer, et nous commençons quand ils sont prêts.',
    ],
    action: 'Demander un rendez-vous',
    image: 'Dessin d’une empreinte de patte',
  },
} satisfies Record<string, KindWords>;
