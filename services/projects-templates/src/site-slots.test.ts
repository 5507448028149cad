import { useTestStore } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { dropSiteSlots } from './site-slots-store.ts';

useTestStore();

test('a start deletes the site slots of earlier versions, and later starts find none', async () => {
  const names = async () => (await mongoose.connection.listCollections()).map(({ name }) => name);
  await mongoose.connection.createCollection('site_slots');
  await mongoose.connection.createCollection('projects');
  await dropSiteSlots();
  await dropSiteSlots();
  expect(await names()).toContain('projects');
  expect(await names()).not.toContain('site_slots');
});
