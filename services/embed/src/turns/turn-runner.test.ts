import { ImageRoom } from './turn-runner.ts';

test('the images of one organization take an eighth of the room, and refuse no turn without images and none of others', () => {
  const room = new ImageRoom(800);
  expect([room.take('one', 60), room.take('one', 60), room.take('one', 40)]).toEqual([true, false, true]);
  expect([room.take('one', 0), room.take('other', 100)]).toEqual([true, true]);
  room.giveBack('one', 60);
  expect([room.take('one', 61), room.take('one', 60)]).toEqual([false, true]);
});

test('all organizations together take no more than the room', () => {
  const room = new ImageRoom(800);
  const organizations = Array.from({ length: 9 }, (_, number) => String(number));
  expect(organizations.filter((each) => room.take(each, 100))).toHaveLength(8);
  expect(room.take('8', 0)).toBe(true);
});
