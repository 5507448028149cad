import { randomUUID } from 'node:crypto';
import { scoped } from '@webkiln/store';
import { useTestStore } from '@webkiln/store/testing';
import { beginTurn, type Turn } from './turn.ts';
import { ImageRoom } from './turn-runner.ts';
import { dropOldTurns, latestTurns, saveProgress, TurnModel } from './turn-store.ts';

useTestStore();

describe('turn runner', () => {
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
});

describe('turn store', () => {
  const kb = 1024;

  async function ended(project: { org_id: string; project_id: string }, number: number, said: Pick<Turn, 'message' | 'text' | 'files'>) {
    const { message, ...answer } = said;
    const turn = beginTurn({ ...project, _id: randomUUID(), number, client_id: null, message }, new Date());
    await scoped(TurnModel, project).insert(turn);
    await saveProgress(turn, { ...answer, state: 'done', running: null });
  }

  const numbers = async ({ org_id, project_id }: { org_id: string; project_id: string }) =>
    (await latestTurns({ org_id }, project_id, 1_000)).map(({ number }) => number);

  const newProject = () => ({ org_id: 'o', project_id: randomUUID() });

  test.each([
    ['messages', { message: 'é'.repeat(50 * kb), text: '', files: [] }],
    ['answers', { message: 'a', text: 'é'.repeat(50 * kb), files: [] }],
    ['names of files', { message: 'a', text: '', files: Array.from({ length: kb }, () => 'a'.repeat(100)) }],
  ])("long %s of a project's chat take 512 KB: the oldest turns leave, and none of another project", async (_case, said) => {
    const [project, other] = [newProject(), newProject()];
    for (let number = 1; number <= 7; number++) await ended(project, number, said);
    await ended(other, 1, said);
    await dropOldTurns(project, project.project_id);
    expect(await numbers(project)).toEqual([3, 4, 5, 6, 7]);
    expect(await numbers(other)).toEqual([1]);
  });

  test('the latest turn is kept whatever its length, and of short ones 200', async () => {
    const [long, short] = [newProject(), newProject()];
    for (let number = 1; number <= 2; number++) await ended(long, number, { message: 'a'.repeat(600 * kb), text: '', files: [] });
    for (let number = 1; number <= 202; number++) await ended(short, number, { message: 'a', text: 'b', files: [] });
    await dropOldTurns(long, long.project_id);
    await dropOldTurns(short, short.project_id);
    expect(await numbers(long)).toEqual([2]);
    expect((await numbers(short)).at(0)).toBe(3);
  });
});
