import mongoose from 'mongoose';

/** Deletes the collection in which earlier versions counted the sites of clients, at start. */
export async function dropSiteSlots(): Promise<void> {
  const earlier = await mongoose.connection.listCollections();
  if (earlier.some(({ name }) => name === 'site_slots')) await mongoose.connection.dropCollection('site_slots');
}
