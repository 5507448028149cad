import type { KindWords } from '../words.ts';

export const foodAndStay = {
  bakery: {
    noun: 'Bakery',
    name: 'The Corner Bakery',
    heads: ['Bread worth getting up for.', 'Flour, water, salt, patience.', 'Good mornings start with a crust.'],
    leads: [
      'Loaves with a proper crust, pastry that crackles, and the smell that makes people cross the street.',
      'We bake by hand and by eye: bread for every day, and something sweet for the days that need it.',
    ],
    offersLabel: 'Bread & pastry',
    offersHead: 'From the oven',
    offers: [
      ['Bread', 'Dark crust, open crumb, and a flavour that needs no topping.'],
      ['Pastry', 'Folded, rested, folded again. Best while it still crackles.'],
      ['Cakes', 'For birthdays, Sundays and no reason at all.'],
      ['To order', 'Tell us how many you are, and we bake for the table.'],
    ],
    about: [
      'Baking is mostly waiting',
      'Dough has its own idea of time, and we have learned not to argue. It rests as long as it needs to, and we shape it by hand. What is left is heat, and somebody who watches the oven.',
    ],
    action: 'Order bread',
    image: 'Drawing of a loaf of bread',
  },

  restaurant: {
    noun: 'Restaurant',
    name: 'The Long Table',
    heads: ['Sit down. We are cooking.', 'A table, good people, something on the stove.', 'Come hungry, stay for the evening.'],
    leads: [
      'Cooking that follows the market and the season, and a room in which nobody looks at the clock.',
      'Few dishes, well made, and wine that goes with them. The rest of the evening is yours.',
    ],
    offersLabel: 'Menu',
    offersHead: 'What comes to the table',
    offers: [
      ['Starters', 'Small plates, meant to be shared before anybody is really hungry.'],
      ['Mains', 'What the market had, cooked so that you can still taste it.'],
      ['Desserts', 'There is always room. We make sure of it.'],
      ['Wine & drinks', 'Ask what goes with your plate. We like that question.'],
    ],
    about: [
      'A kitchen with the door open',
      'We buy what is good and decide then what to cook. That makes the menu short and the evenings different. You will hear the pans from your table, and we think that is as it should be.',
    ],
    action: 'Reserve a table',
    image: 'Drawing of a plate with knife and fork',
  },

  cafe: {
    noun: 'Café',
    name: 'The Second Cup',
    heads: ['Coffee first. Then the rest.', 'The best seat in the neighbourhood.', 'Stay for another one.'],
    leads: [
      'Coffee made with care, cake under glass, and a corner for your book, your laptop or your thoughts.',
      'A good cup, a good chair, and nobody who hurries you.',
    ],
    offersLabel: 'Menu',
    offersHead: 'On the counter',
    offers: [
      ['Coffee', 'From a short espresso to a long talk over filter coffee.'],
      ['Tea & more', 'Loose leaves, hot chocolate, something cold when it is warm out.'],
      ['Breakfast', 'For early people, and for those who call eleven early.'],
      ['Cake', 'Look under the glass. It helps with deciding, or it does not.'],
    ],
    about: [
      'A living room with better coffee',
      'Some come for ten minutes and some for the afternoon. Both are fine. We take the coffee seriously and ourselves a little less.',
    ],
    action: 'Say hello',
    image: 'Drawing of a steaming cup',
  },

  bar: {
    noun: 'Bar',
    name: 'After Eight',
    heads: ['The evening starts here.', 'One more? One more.', 'Low light, good glasses.'],
    leads: [
      'Classics mixed properly, a few ideas of our own, and somebody behind the bar who remembers your face.',
      'Drinks with a reason, music at a volume that lets you talk, and a stool with your name on it.',
    ],
    offersLabel: 'Drinks',
    offersHead: 'In the glass',
    offers: [
      ['Cocktails', 'The classics as they were meant, and some that are ours alone.'],
      ['Wine', 'By the glass, so that you can change your mind.'],
      ['Beer', 'Cold, well poured, and not only the usual ones.'],
      ['Without alcohol', 'As much work, as much flavour, an easier morning.'],
    ],
    about: [
      'It is all in the pouring',
      'A good drink is a few good things in the right order. A good bar is the same, with people. We look after both.',
    ],
    action: 'Book the corner table',
    image: 'Drawing of a cocktail glass',
  },

  hotel: {
    noun: 'Hotel',
    name: 'The Quiet House',
    heads: [
      'Arrive. Put down your bag. Breathe.',
      'A good night, and a morning to match.',
      'Far enough from everything, close to what counts.',
    ],
    leads: [
      'Rooms to sleep well in, a breakfast worth getting up for, and people who know the way.',
      'A house for travellers who like it simple and well made: a good bed, a quiet window, a warm welcome.',
    ],
    offersLabel: 'Rooms',
    offersHead: 'Where you will sleep',
    offers: [
      ['Single rooms', 'Everything within reach, and a good lamp to read by.'],
      ['Double rooms', 'Space for two, and for two suitcases that stay open.'],
      ['Family rooms', 'Beds for everybody, and a door to close when the small ones sleep.'],
      ['Breakfast', 'The part of travelling that should never be rushed.'],
    ],
    about: [
      'Hosts, not a reception',
      'We like it when guests come down to breakfast later than they had planned. Ask us where we would walk, eat or look at the view. That is what hosts are for.',
    ],
    action: 'Ask for a room',
    image: 'Drawing of a house with lit windows',
  },

  winery: {
    noun: 'Winery',
    name: 'The Upper Vineyard',
    heads: ['Wine is patience in a bottle.', 'From this slope, and no other.', 'What the year gave us.'],
    leads: [
      'Wines that taste of where they grow: made in the vineyard first, and with a light hand in the cellar.',
      'Every vintage is a letter from the year before. We only put it in bottles.',
    ],
    offersLabel: 'Wines',
    offersHead: 'In the cellar',
    offers: [
      ['White', 'Clear, lively, and in no hurry to impress.'],
      ['Red', 'With time on its side, and a place at the table.'],
      ['Sparkling', 'For the good news, and for ordinary Tuesdays.'],
      ['Tastings', 'Best understood glass in hand, with a view of the vines.'],
    ],
    about: [
      'The vineyard decides',
      'We prune, we wait, we look at the sky. In the cellar we mostly try not to be in the way. What you taste is a place and a year.',
    ],
    action: 'Arrange a tasting',
    image: 'Drawing of a bunch of grapes',
  },

  florist: {
    noun: 'Florist',
    name: 'Stem & Leaf',
    heads: ['Say it with something that grows.', 'Flowers that look like you picked them.', 'The shortest way to a smile.'],
    leads: [
      'Bouquets tied by hand, with what the season has to say. For the big days and for the kitchen table.',
      'Loose, fresh, a little wild: flowers as a garden would arrange them.',
    ],
    offersLabel: 'Flowers',
    offersHead: 'What we tie, plant and deliver',
    offers: [
      ['Bouquets', 'Tell us who they are for. We will find the rest.'],
      ['Weddings', 'From the buttonhole to the arch, in one hand.'],
      ['Farewells', 'Wreaths and arrangements that find the right tone.'],
      ['Plants', 'For windowsills, balconies and beginners.'],
    ],
    about: [
      'The season is our catalogue',
      'There are no tulips in August here, and that is the point. What is in bloom has the better scent and the longer life. We start with that and add a little mischief.',
    ],
    action: 'Order flowers',
    image: 'Drawing of a flower',
  },

  bookshop: {
    noun: 'Bookshop',
    name: 'Page & Lamp',
    heads: ['The next good book is here somewhere.', 'Come in for one. Leave with three.', 'Shelves with an opinion.'],
    leads: [
      'Novels, picture books, the odd atlas, and booksellers who have actually read them.',
      'We choose what we would lend to a friend, and order what we do not have.',
    ],
    offersLabel: 'Books',
    offersHead: 'On our shelves',
    offers: [
      ['Fiction', 'From the book everybody talks about to the one nobody knows yet.'],
      ['For children', 'To read aloud, to read alone, to read under the blanket.'],
      ['Ideas', 'History, nature, politics, food: books to disagree with.'],
      ['Orders', 'Not here? Tell us the title, or the colour of its cover.'],
    ],
    about: [
      'We recommend for a living',
      'Tell us what you read last and how you liked it. That is usually enough. Now and then we are wrong, and then we talk about that.',
    ],
    action: 'Ask for a book',
    image: 'Drawing of books on a shelf',
  },
} satisfies Record<string, KindWords>;
