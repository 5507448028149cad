import type { KindWords } from '../words.ts';

export const deskAndClub = {
  lawyer: {
    noun: 'Law firm',
    name: 'Law Office',
    heads: ['The law, in words you understand.', 'Clear advice. Firm on your side.', 'First the facts, then the law, then a plan.'],
    leads: [
      'We tell you where you stand, what it may cost and what we would do in your place.',
      'Advice and representation for people and companies who want to know where they stand.',
    ],
    offersLabel: 'Practice areas',
    offersHead: 'What we advise on',
    offers: [
      ['Employment', 'Contracts, notice, settlements: for both sides of the desk.'],
      ['Family & inheritance', 'Difficult questions, handled with discretion.'],
      ['Contracts & business', 'Agreements that still make sense when it gets difficult.'],
      ['Property & tenancy', 'From the lease to the defect that nobody wants to own.'],
    ],
    about: [
      'Advice begins with listening',
      'Most cases look different once the whole story is told. We listen, sort out what matters and give you an honest assessment. Sometimes it is: do not go to court.',
    ],
    action: 'Describe your case',
    image: 'Drawing of a pair of scales',
  },

  tax: {
    noun: 'Tax adviser',
    name: 'Tax Office & Co.',
    heads: ['Numbers that let you sleep.', 'Your figures, in order.', 'Taxes, explained and done.'],
    leads: [
      'Accounts, returns and advice for freelancers, families and firms, before the deadline.',
      'We keep the books straight, and tell you what they mean for your next decision.',
    ],
    offersLabel: 'Services',
    offersHead: 'What we take off your desk',
    offers: [
      ['Tax returns', 'Complete, on time, and with everything that you are entitled to.'],
      ['Bookkeeping', 'Receipts in, clear figures out.'],
      ['Payroll', 'Right amounts, right forms, every month.'],
      ['Advice', 'Starting, growing, handing over: we do the sums with you.'],
    ],
    about: [
      'Figures tell a story',
      'We read your accounts with you, not only for you. Then you know what is left over, and why. Good decisions usually follow by themselves.',
    ],
    action: 'Arrange a first talk',
    image: 'Drawing of a calculator',
  },

  architect: {
    noun: 'Architecture studio',
    name: 'Studio North Light',
    heads: ['Rooms that know what they are for.', 'Built around how you live.', 'Light, plan, detail.'],
    leads: [
      'Houses, conversions and small public buildings, thought through from the site to the door handle.',
      'We design with what is there: the slope, the neighbour’s tree, the budget.',
    ],
    offersLabel: 'Work',
    offersHead: 'What we plan',
    offers: [
      ['New buildings', 'From the first sketch to the keys.'],
      ['Conversion', 'Old walls, new lives. We like both.'],
      ['Interiors', 'Storage, light and materials as part of the house.'],
      ['Feasibility', 'What is possible here? An answer before you buy.'],
    ],
    about: [
      'Every site has an answer',
      'We walk it before we draw it, at different times of day. Then we make models, throw some away, and keep the one that makes sense. Beauty is usually a matter of order.',
    ],
    action: 'Talk about your project',
    image: 'Drawing of a house in section',
  },

  photographer: {
    noun: 'Photographer',
    name: 'Half Past Light',
    heads: ['Look. Now it is a picture.', 'The moment just after the pose.', 'Photographs you will look at again.'],
    leads: [
      'Portraits, weddings and stories in real light, with as little fuss as possible.',
      'Pictures of people who say they are not photogenic. They always are.',
    ],
    offersLabel: 'Work',
    offersHead: 'What I photograph',
    offers: [
      ['Portraits', 'A walk, a talk, and in between a picture that is you.'],
      ['Weddings', 'The whole day, mostly unnoticed.'],
      ['Business', 'Faces and places that look like you, not like a catalogue.'],
      ['Prints', 'Because the best pictures deserve a wall.'],
    ],
    about: [
      'I wait for it',
      'The good picture comes when nobody is waiting for it, except me. So I talk, move about and keep out of the way. You will hardly notice the camera.',
    ],
    action: 'Ask for a date',
    image: 'Drawing of a camera',
  },

  software: {
    noun: 'Software',
    name: 'Plainwork',
    heads: ['Less clicking. More done.', 'The tool that gets out of your way.', 'Software that reads like a sentence.'],
    leads: [
      'One place for the work that now lives in five spreadsheets and three inboxes.',
      'Quick to set up, understood by the whole team, quiet in the background.',
    ],
    offersLabel: 'Features',
    offersHead: 'What it does',
    offers: [
      ['Everything in one place', 'Tasks, files and decisions, where everybody finds them.'],
      ['Automatic', 'What repeats itself is done before you think of it.'],
      ['Connected', 'Made to sit beside the tools that you already use.'],
      ['Yours', 'It adapts to how you work, not the other way round.'],
    ],
    about: [
      'Built for the boring parts',
      'The exciting part of your work is yours. We look after the lists, the reminders and the copying from here to there. You should forget that we exist.',
    ],
    action: 'Ask for a demo',
    image: 'Drawing of a window with code',
  },

  association: {
    noun: 'Association',
    name: 'The Neighbours’ Society',
    heads: ['Together we get further.', 'A few hours that make a difference.', 'Join in. Everybody can do something.'],
    leads: [
      'We bring people together who want to change something here, with their hands, their time or their ideas.',
      'Volunteers, members and friends of a good cause. There is room for one more.',
    ],
    offersLabel: 'What we do',
    offersHead: 'What we do together',
    offers: [
      ['Meet', 'Regular evenings at which strangers become neighbours.'],
      ['Help', 'Support where it is needed, without long forms.'],
      ['Learn', 'Talks, courses and workshops by members, for everybody.'],
      ['Celebrate', 'Because good work deserves cake.'],
    ],
    about: [
      'It began with a conversation',
      'Somebody said that something should be done, and somebody else said: then let us do it. That is still how we work. You do not need experience, only a little time.',
    ],
    action: 'Join in',
    image: 'Drawing of three people',
  },

  business: {
    noun: 'Company',
    name: 'Your Company',
    heads: ['Good work, plainly done.', 'Tell us what you need.', 'We take it from here.'],
    leads: [
      'We listen, we think, and then we do what we said we would.',
      'A clear idea of what good work looks like, and the patience to do it.',
    ],
    offersLabel: 'Services',
    offersHead: 'What we do',
    offers: [
      ['Advice', 'We look at your question from more than one side.'],
      ['Planning', 'A clear path from the idea to the result.'],
      ['Doing', 'Carefully carried out, by the people you have met.'],
      ['Aftercare', 'We stay within reach when the work is done.'],
    ],
    about: [
      'Who you work with',
      'You talk to the people who do the work. We say what we can do, and what somebody else does better. It saves time on both sides.',
    ],
    action: 'Get in touch',
    image: 'Drawing of buildings',
  },
} satisfies Record<string, KindWords>;
