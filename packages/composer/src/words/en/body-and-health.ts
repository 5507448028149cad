import type { KindWords } from '../words.ts';

export const bodyAndHealth = {
  hairdresser: {
    noun: 'Hair salon',
    name: 'The Chair by the Window',
    heads: ['Hair that still works on Monday.', 'First we listen. Then we cut.', 'Walk out lighter.'],
    leads: [
      'Cuts and colour that suit your hair, your face and the ten minutes you have in the morning.',
      'Sit down, tell us what annoys you about your hair, and leave the rest to us.',
    ],
    offersLabel: 'Services',
    offersHead: 'What we do',
    offers: [
      ['Cut', 'A shape that grows out well, for every length and texture.'],
      ['Colour', 'From a hint of light to a whole new chapter.'],
      ['Care', 'Treatments for hair that has been through a lot.'],
      ['Occasions', 'Weddings, parties, photographs: hair that holds until the last dance.'],
    ],
    about: [
      'Good hair begins with a question',
      'How much time do you take in the morning? We ask that before we pick up the scissors. A good cut is one that you can handle yourself.',
    ],
    action: 'Book an appointment',
    image: 'Drawing of scissors',
  },

  spa: {
    noun: 'Spa',
    name: 'Still Water',
    heads: ['An hour that is yours.', 'Leave the day at the door.', 'Breathe out. Further.'],
    leads: [
      'Massage, facials and quiet rooms. Nothing rings here, and nobody hurries.',
      'Warm hands, warm towels, and as much silence as you like.',
    ],
    offersLabel: 'Treatments',
    offersHead: 'Time for you',
    offers: [
      ['Massage', 'Firm or gentle: you say where it is tight, we take it from there.'],
      ['Face', 'Care that suits your skin today, not the one on the poster.'],
      ['Body', 'Scrubs, wraps and oils, followed by a long rest.'],
      ['For two', 'Side by side, with tea afterwards.'],
    ],
    about: [
      'Quiet is part of the treatment',
      'We plan fewer appointments, so that yours does not end with a knock at the door. Before we begin we ask how you are. Then you do not need to say anything at all.',
    ],
    action: 'Request a treatment',
    image: 'Drawing of a lotus flower above water',
  },

  yoga: {
    noun: 'Yoga studio',
    name: 'Slow Morning Yoga',
    heads: ['Come as you are. Leave a little taller.', 'Your mat is the only place to be.', 'Stronger, softer, slower.'],
    leads: [
      'Classes for stiff backs, busy heads and everybody who thinks that yoga is for others.',
      'Calm classes with clear words: you will know what to do, and why it feels good.',
    ],
    offersLabel: 'Classes',
    offersHead: 'On the mat',
    offers: [
      ['Beginners', 'Slow, well explained, no headstands. Promise.'],
      ['Flow', 'Movement and breath, until the head goes quiet.'],
      ['Restore', 'Blankets, cushions, long holds. The opposite of effort.'],
      ['Private', 'One to one, around your body and your week.'],
    ],
    about: [
      'Nobody is looking at you',
      'Everybody here is busy with their own hamstrings. We teach in small steps and offer a variation for every body. Wobbling is part of it.',
    ],
    action: 'Try a class',
    image: 'Drawing of a person sitting in meditation',
  },

  gym: {
    noun: 'Gym',
    name: 'Iron & Oak',
    heads: ['Strong is a habit.', 'Show up. We do the rest together.', 'Your body can do more than it says.'],
    leads: [
      'Training with a plan, coaches who watch your form, and people who greet each other.',
      'Lift, run, stretch, sweat. And somebody who notices when you have got better.',
    ],
    offersLabel: 'Training',
    offersHead: 'Ways to train',
    offers: [
      ['Strength', 'Learn the lifts properly, then make them heavier.'],
      ['Conditioning', 'Short, honest sessions. You will feel the stairs change.'],
      ['Coaching', 'A plan for you alone, and somebody who holds you to it.'],
      ['Groups', 'The same effort, with more laughing.'],
    ],
    about: [
      'No mirrors needed',
      'We care about how you move more than about how it looks. Every beginning is small: a plan, a first session, a second one. After that it is mostly showing up.',
    ],
    action: 'Book a trial session',
    image: 'Drawing of a barbell',
  },

  dentist: {
    noun: 'Dental practice',
    name: 'Dental Practice',
    heads: ['Good teeth. Good company.', 'Dentistry without the drama.', 'In calm hands.'],
    leads: [
      'Gentle treatment, clear explanations, and time for the question you always wanted to ask.',
      'From the first check-up to careful restoration: we explain every step before we take it.',
    ],
    offersLabel: 'Treatments',
    offersHead: 'What we treat',
    offers: [
      ['Check-ups', 'We look closely, so that small things stay small.'],
      ['Cleaning', 'A thorough clean, and advice that you can really follow.'],
      ['Restoration', 'Fillings, crowns and bridges, planned together with you.'],
      ['Children', 'First visits that make the second one easy.'],
    ],
    about: [
      'Nervous? Tell us.',
      'Many people are. We take breaks, explain what you will feel, and stop whenever you raise your hand. You decide the pace.',
    ],
    action: 'Request an appointment',
    image: 'Drawing of a tooth',
  },

  physiotherapist: {
    noun: 'Physiotherapy practice',
    name: 'Physio in Motion',
    heads: ['Back to moving.', 'Pain is a message. We read it.', 'Move well, for long.'],
    leads: [
      'We find out where it comes from, treat it with our hands, and show you what helps at home.',
      'Treatment after injuries and operations, and for backs that have sat too long.',
    ],
    offersLabel: 'Treatments',
    offersHead: 'How we can help',
    offers: [
      ['Manual therapy', 'Skilled hands for joints and muscles that have had enough.'],
      ['Rehabilitation', 'Step by step back to strength, at your speed.'],
      ['Back & neck', 'For everybody who sits, carries or sleeps badly.'],
      ['Training', 'Exercises that fit your day, so that you actually do them.'],
    ],
    about: [
      'We treat people, not knees',
      'A sore knee can begin in the hip, the shoe or the job. So we ask, look and test before we treat. You leave with a plan, not just with an appointment.',
    ],
    action: 'Request an appointment',
    image: 'Drawing of a spine',
  },

  vet: {
    noun: 'Veterinary practice',
    name: 'The Paw Practice',
    heads: ['For those who cannot say where it hurts.', 'Good care on four legs.', 'We listen to purrs, too.'],
    leads: [
      'Medicine for dogs, cats and small animals, with a calm voice and a warm hand.',
      'From the first vaccination to old age: we take time for the animal, and for you.',
    ],
    offersLabel: 'Services',
    offersHead: 'What we do for animals',
    offers: [
      ['Check-ups', 'Once over from nose to tail, before anything becomes serious.'],
      ['Vaccination', 'What your animal needs, and nothing that it does not.'],
      ['Surgery', 'Carefully planned, clearly explained, closely watched.'],
      ['Advice', 'Food, weight, behaviour: ask us before you ask the internet.'],
    ],
    about: [
      'Calm is contagious',
      'Animals notice everything, most of all us. So we speak quietly, let them sniff, and start when they are ready.',
    ],
    action: 'Arrange a visit',
    image: 'Drawing of a paw print',
  },
} satisfies Record<string, KindWords>;
