import mongoose from 'mongoose';

/** All documents of the database, serialized. */
export async function stolenDatabase(): Promise<Buffer> {
  const collections = await mongoose.connection.db?.listCollections().toArray();
  const documents = (collections ?? []).map(({ name }) => mongoose.connection.collection(name).find().toArray());
  return Buffer.concat((await Promise.all(documents)).flat().map((document) => Buffer.from(mongoose.mongo.BSON.serialize(document))));
}
