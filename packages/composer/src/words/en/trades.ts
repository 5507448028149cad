import type { KindWords } from '../words.ts';

export const trades = {
  plumber: {
    noun: 'Plumber',
    name: 'Clear Water Plumbing',
    heads: ['It drips? Not for long.', 'Water where it should be. Heat when you want it.', 'Pipes, done properly.'],
    leads: [
      'Repairs, bathrooms and heating, by people who wipe their shoes and explain the bill.',
      'We fix what leaks, renew what is worn, and tell you honestly what can wait.',
    ],
    offersLabel: 'Services',
    offersHead: 'What we take care of',
    offers: [
      ['Repairs', 'Taps, pipes, drains: found, fixed, cleaned up.'],
      ['Bathrooms', 'From one new basin to the whole room.'],
      ['Heating', 'Maintenance, repair and advice on what comes after the old boiler.'],
      ['Leak detection', 'We look for the cause before we open the wall.'],
    ],
    about: [
      'A good repair is one you forget',
      'We look first, then say what it will take, then begin. You get plain words and a clean floor. If something can wait, we say so.',
    ],
    action: 'Describe the problem',
    image: 'Drawing of a tap with a drop',
  },

  electrician: {
    noun: 'Electrician',
    name: 'Bright Side Electric',
    heads: ['Switched on. Safely.', 'Wiring you never have to think about.', 'Let there be sockets.'],
    leads: [
      'Installations, repairs and checks for homes and small businesses, tidy behind the wall as well.',
      'From one more socket to a whole house: planned well, measured, labelled.',
    ],
    offersLabel: 'Services',
    offersHead: 'Where we connect things',
    offers: [
      ['Installation', 'New wiring, new rooms, old houses with surprises.'],
      ['Repairs', 'When the light flickers or the fuse keeps jumping.'],
      ['Lighting', 'Light where you read, cook and come home.'],
      ['Charging & solar', 'Prepared for the car and for the roof.'],
    ],
    about: [
      'Order behind the wall',
      'You see the switch; we care about what is behind it. Every circuit gets its label, every change its note. Whoever comes next will thank us.',
    ],
    action: 'Describe the job',
    image: 'Drawing of a lightning bolt',
  },

  carpenter: {
    noun: 'Carpentry workshop',
    name: 'Oak & Edge',
    heads: ['Made of wood. Made to stay.', 'Furniture that fits. Exactly.', 'Measure twice, cut once, keep for life.'],
    leads: [
      'Tables, kitchens, stairs and shelves, built for one place and one person: you.',
      'We draw it with you, choose the wood, and build it in our workshop.',
    ],
    offersLabel: 'Work',
    offersHead: 'What we build',
    offers: [
      ['Furniture', 'Tables, beds and cupboards that move house with you.'],
      ['Kitchens', 'Made around how you cook, down to the last drawer.'],
      ['Doors & stairs', 'What you touch every day should feel right.'],
      ['Repairs', 'Good old pieces deserve a second life.'],
    ],
    about: [
      'Wood has a memory',
      'It moves, it darkens, it shows how it has been treated. We work with that rather than against it. A joint should hold without promises.',
    ],
    action: 'Tell us about your idea',
    image: 'Drawing of a saw and timber',
  },

  gardener: {
    noun: 'Gardener',
    name: 'Green Hour Gardens',
    heads: ['Gardens that look after themselves. Almost.', 'Green, all year round.', 'Your garden has been waiting.'],
    leads: [
      'We plan, plant and look after gardens: for bees, for children, for long evenings outside.',
      'From a balcony to an orchard: plants that like the place, and care that lasts.',
    ],
    offersLabel: 'Services',
    offersHead: 'What we do outside',
    offers: [
      ['Design', 'A plan that follows the sun, the soil and your Saturday.'],
      ['Planting', 'The right plant in the right place, and hardly any weeding.'],
      ['Care', 'Pruning, mowing, feeding: at the right moment.'],
      ['Terraces & paths', 'Stone, wood and gravel, laid to stay level.'],
    ],
    about: [
      'We start with the soil',
      'Before we plant anything we look at light, water and ground. What suits the place grows by itself. The rest is a bench in the right corner.',
    ],
    action: 'Show us your garden',
    image: 'Drawing of a sprouting plant',
  },

  garage: {
    noun: 'Garage',
    name: 'The Honest Garage',
    heads: ['We hear what your car is saying.', 'Repaired. Not just replaced.', 'Back on the road.'],
    leads: [
      'Servicing, repair and diagnosis for all makes, with an estimate before the first bolt turns.',
      'We show you the worn part, explain what it does, and then you decide.',
    ],
    offersLabel: 'Services',
    offersHead: 'In the workshop',
    offers: [
      ['Servicing', 'Oil, filters, brakes: small work that prevents big work.'],
      ['Diagnosis', 'We read the fault memory, and then we think.'],
      ['Tyres', 'Changed, balanced, stored until next season.'],
      ['Inspection', 'We prepare your car, so that there are no surprises.'],
    ],
    about: [
      'No secrets under the bonnet',
      'You may look over our shoulder. We say what is urgent, what can wait and what is only cosmetic. Old parts lie ready for you to see.',
    ],
    action: 'Ask for an appointment',
    image: 'Drawing of a car',
  },
} satisfies Record<string, KindWords>;
