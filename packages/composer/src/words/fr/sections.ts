import type { SectionName } from '../../sections/names.ts';
import type { SectionWords } from '../words.ts';

export const sections: Readonly<Record<SectionName, SectionWords>> = {
  hero: { names: 'ouverture, accroche, en-tête de page, bandeau principal', heading: '', text: '' },
  pagehead: { names: 'titre de page', heading: '', text: '' },
  offers: { names: 'services, prestations, offres, produits, soins, cours, chambres, réalisations', heading: '', text: '' },
  menu: {
    names: 'menu, carte, carte des vins, ardoise',
    heading: 'La carte',
    text: 'Elle change avec la saison. Demandez-nous ce qu’il y a aujourd’hui.',
    placeholder: 'Ajoutez les lignes de la carte, par exemple : « ajoute à la carte : soupe à l’oignon 7,50 ».',
  },
  prices: {
    names: 'prix, tarifs, tarif, grille tarifaire, formules, honoraires',
    heading: 'Des prix clairs',
    text: 'Le prix dépend de ce qu’il vous faut. Demandez-nous : vous le saurez avant que l’on commence.',
    action: 'Demander un prix',
    placeholder: 'Ajoutez vos tarifs, par exemple : « ajoute un prix : coupe 35 € ».',
  },
  about: { names: 'à propos, qui sommes-nous, qui nous sommes', heading: '', text: '' },
  story: {
    names: 'histoire, notre histoire',
    heading: 'Pourquoi nous faisons cela',
    text: '',
    placeholder: 'Racontez votre propre histoire : quand et comment tout a commencé, en trois phrases.',
  },
  values: {
    names: 'valeurs, engagements, principes, ce qui compte',
    heading: 'Ce qui compte pour nous',
    text: '',
    items: [
      ['Le soin', 'Faire moins de choses, et les faire bien.'],
      ['La clarté', 'Des mots simples sur ce que nous faisons, ce que cela coûte et le temps qu’il faut.'],
      ['La proximité', 'Vous parlez à ceux qui font le travail.'],
    ],
  },
  steps: {
    names: 'étapes, déroulement, comment ça marche, processus',
    heading: 'Comment cela se passe',
    text: '',
    items: [
      ['Vous racontez', 'Écrivez ou appelez. Une ou deux phrases suffisent.'],
      ['Nous regardons ensemble', 'Nous posons les questions utiles et disons ce que nous ferions.'],
      ['Nous nous y mettons', 'Vous savez toujours quelle est la suite, et qui s’en charge.'],
    ],
  },
  team: {
    names: 'équipe, collaborateurs, personnel',
    heading: 'Les visages de {name}',
    text: 'Le mieux, pour nous connaître, est encore de nous rencontrer.',
    placeholder: 'Présentez votre équipe, par exemple : « ajoute à l’équipe Ana Ruiz, boulangère ».',
  },
  gallery: { names: 'galerie, photos, images, album', heading: 'En images', text: '' },
  hours: {
    names: 'horaires, heures d’ouverture, horaires d’ouverture',
    heading: 'Horaires',
    text: 'Demandez-nous quand passer.',
    placeholder: 'Ajoutez vos horaires, par exemple : « horaires : mar–sam 7h–18h ».',
  },
  visit: {
    names: 'plan d’accès, accès, adresse, où nous trouver, localisation, venir',
    heading: 'Nous trouver',
    text: 'Un petit mot avant de venir, et nous vous indiquons le meilleur chemin.',
    placeholder: 'Ajoutez votre adresse, par exemple : « notre adresse est 12 rue du Port ».',
  },
  contact: {
    names: 'contact, formulaire de contact, nous contacter',
    heading: 'Écrivez-nous',
    text: 'Une phrase suffit. Nous lisons chaque message nous-mêmes.',
  },
  faq: {
    names: 'faq, questions, questions fréquentes, foire aux questions',
    heading: 'Bon à savoir',
    text: '',
    items: [
      ['Comment vous joindre ?', 'Par le formulaire de ce site. Dites-nous de quoi il s’agit et comment vous répondre.'],
      ['Puis-je simplement poser une question ?', 'Bien sûr. Une question n’engage à rien.'],
      ['Que faut-il préparer ?', 'Seulement ce que vous aimeriez savoir. Nous demanderons le reste.'],
    ],
  },
  banner: { names: 'appel à l’action, bannière, bandeau', heading: '', text: 'Écrivez-nous, ou passez nous voir. Ce sera avec plaisir.' },
  statement: { names: 'devise, slogan, phrase forte', heading: '', text: '' },
  quotes: {
    names: 'témoignages, avis, avis clients, ce que disent nos clients',
    heading: 'Ce qu’on en dit',
    text: '',
    placeholder: 'Ajoutez l’avis d’un vrai client, par exemple : ajoute la citation « Un pain merveilleux » de Ana.',
  },
  news: {
    names: 'actualités, nouvelles, blog, actus',
    heading: 'Actualités',
    text: 'Rien de neuf pour le moment. Dès qu’il y aura quelque chose, ce sera ici.',
    placeholder: 'Ajoutez une actualité : « change le texte des actualités en … ».',
  },
  dates: {
    names: 'dates, agenda, événements, calendrier, programme',
    heading: 'Agenda',
    text: 'Aucune date n’est annoncée pour l’instant. Demandez-nous ce qui se prépare.',
    placeholder: 'Ajoutez une date, par exemple : « ajoute un événement : 12 mai, soirée dégustation ».',
  },
  newsletter: {
    names: 'newsletter, lettre d’information, infolettre',
    heading: 'Une lettre de temps en temps',
    text: 'Des nouvelles de {name}, par e-mail. Vous pouvez vous désinscrire à tout moment.',
  },
  booking: {
    names: 'réservation, prise de rendez-vous, formulaire de réservation',
    heading: 'Demander une date',
    text: 'Dites-nous ce qui vous conviendrait. La date est fixée dès que nous l’avons confirmée.',
  },
  features: {
    names: 'avantages, atouts, fonctionnalités, pourquoi nous',
    heading: 'Pourquoi {name}',
    text: '',
    items: [
      ['Un seul interlocuteur', 'Vous expliquez une fois, à quelqu’un qui reste.'],
      ['Pas de surprise', 'Si quelque chose change, vous l’apprenez d’abord par nous.'],
      ['Fait pour durer', 'Nous préférons la solution qui tiendra encore l’an prochain.'],
      ['Ouvert aux questions', 'Il n’est jamais trop tôt pour demander.'],
    ],
  },
  area: {
    names: 'zone d’intervention, secteur, région, périmètre',
    heading: 'Où nous travaillons',
    text: 'À {place} et aux alentours. Un doute ? Demandez-nous.',
    placeholder: 'Nommez les communes où vous travaillez.',
  },
  jobs: {
    names: 'emplois, recrutement, carrières, postes',
    heading: 'Travailler avec nous',
    text: 'Ce que vous voyez vous plaît ? Dites-nous qui vous êtes et ce que vous aimez faire.',
    action: 'Se présenter',
  },
  vouchers: {
    names: 'bons cadeaux, bon cadeau, chèques cadeaux, cadeaux',
    heading: 'Un cadeau de {name}',
    text: 'Vous cherchez quelque chose pour quelqu’un que vous aimez ? Demandez-nous un bon cadeau.',
    action: 'Demander un bon cadeau',
  },
  season: {
    names: 'saison, de saison, produits de saison',
    heading: 'De saison',
    text: 'C’est l’année qui donne le rythme. Demandez-nous ce qui est au meilleur en ce moment.',
    placeholder: 'Dites ce qui est de saison en ce moment.',
  },
  emergency: {
    names: 'urgence, urgences, dépannage, numéro d’urgence',
    heading: 'C’est urgent ?',
    text: 'Alors n’écrivez pas : appelez. Dites où vous êtes et ce qui s’est passé.',
    placeholder: 'Ajoutez le numéro de téléphone pour les urgences.',
  },
  firstvisit: {
    names: 'première visite, première fois, avant de venir, débutants, nouveaux patients',
    heading: 'Votre première visite',
    text: '',
    items: [
      ['Convenir d’un moment', 'Écrivez-nous quand vous pouvez venir.'],
      ['Arriver tranquillement', 'Venez quelques minutes plus tôt, avec ce qui vous semble utile.'],
      ['Tout demander', 'Nous prenons le temps d’expliquer ce que nous faisons, et pourquoi.'],
    ],
  },
  links: {
    names: 'liens, réseaux sociaux, réseaux',
    heading: 'Ailleurs',
    text: '',
    placeholder: 'Ajoutez un lien : « ajoute le lien https://instagram.com/votrenom ».',
  },
  custom: {
    names: 'section de texte, bloc de texte, paragraphe',
    heading: 'Une nouvelle section',
    text: 'De la place pour quelque chose qui mérite d’être dit.',
    placeholder: 'Écrivez le texte de la nouvelle section.',
  },
  imprint: {
    names: 'mentions légales, mentions',
    heading: 'Mentions légales',
    text: 'Responsable de ce site : {name}.',
    placeholder: 'Complétez les mentions légales (LCEN) : forme juridique, siège, SIREN, directeur de la publication, hébergeur.',
  },
  privacy: {
    names: 'confidentialité, politique de confidentialité, données personnelles',
    heading: 'Confidentialité',
    text: 'Ce site ne dépose aucun cookie qui lui soit propre et ne charge rien chez des tiers. Ce que vous envoyez par un formulaire sert à vous répondre, et à rien d’autre.',
    items: [
      [
        'Vos droits',
        'Vous pouvez demander l’accès à vos données, leur rectification ou leur effacement, et saisir une autorité de protection des données.',
      ],
    ],
    placeholder: 'Faites vérifier la page de confidentialité : responsable du traitement, hébergeur, durée de conservation.',
  },
  thanks: { names: 'page de remerciement', heading: 'Merci.', text: 'Votre message nous est bien parvenu.' },
  notfound: {
    names: 'page 404',
    heading: 'Cette page n’est pas ici.',
    text: 'Elle a peut-être changé de place, ou l’adresse contient une faute de frappe. Tout le reste est là.',
  },
};
