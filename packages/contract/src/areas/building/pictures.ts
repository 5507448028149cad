import * as z from 'zod';
import { SentContent } from '../../fields/built-files.ts';
import { CreatedAt, count, Deleted, Name, optionalText, RecordId } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';
import { clientsToo } from '../../http/roles.ts';

/** A picture that is sent, and its bytes in base64. */
export const maxPictureBytes = 15 * 1024 * 1024;
const maxBodyBytes = 21 * 1024 * 1024;
/** More are refused by the header of a picture, before it is decoded. */
export const maxMegapixels = 50;
export const maxPictures = 200;
const maxAltLength = 300;

/** The file of a draft that lists its pictures. Visitors do not get it. */
export const pictureListPath = 'webkiln-pictures.json';

const PictureFile = z
  .object({
    path: z.string().describe('Relative to the root of the site, as pages name it'),
    width: z.int().describe('Pixels'),
    height: z.int().describe('Pixels'),
    format: z
      .enum(['webp', 'jpeg', 'png'])
      .meta({ id: 'PictureFormat', description: 'WebP for pages; JPEG, or PNG with transparency, for icons and link previews' }),
  })
  .meta({ id: 'PictureFile', description: 'One size of a picture: a file of the draft' });
export type PictureFile = z.infer<typeof PictureFile>;

export const Picture = z
  .object({
    id: RecordId,
    name: z.string().describe('What the names of its files begin with'),
    alt: z.string().describe('What the picture shows, for those who do not see it'),
    files: z.array(PictureFile).describe('The smallest first; a picture is never enlarged'),
    used_by: z.array(z.string()).describe('Files of the draft that show it; the first 20'),
    created_at: CreatedAt,
  })
  .meta({ id: 'Picture', description: 'A picture of a project, in the sizes that pages show' });
export type Picture = z.infer<typeof Picture>;

/** A picture as the draft lists it. */
export const ListedPicture = z.strictObject({
  id: RecordId,
  name: z
    .string()
    .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
    .max(80),
  alt: z.string().max(2 * maxAltLength),
  files: z
    .array(
      z.strictObject({
        path: z
          .string()
          .regex(/^pictures\/[a-z0-9-]+\.(?:webp|jpg|png)$/)
          .max(120),
        width: count(1),
        height: count(1),
        format: z.enum(['webp', 'jpeg', 'png']),
      }),
    )
    .min(1)
    .max(8),
  created_at: CreatedAt,
});
export type ListedPicture = z.infer<typeof ListedPicture>;

const PictureList = z.strictObject({ version: z.literal(1), pictures: z.array(ListedPicture).max(maxPictures) });

/** The pictures that the content of `pictureListPath` lists; none if somebody has made it invalid. */
export function listedPictures(content: Uint8Array | string | undefined): readonly ListedPicture[] {
  if (content === undefined) return [];
  try {
    return PictureList.parse(JSON.parse(typeof content === 'string' ? content : new TextDecoder().decode(content))).pictures;
  } catch {
    return [];
  }
}

/** The content of `pictureListPath`. */
export const pictureList = (pictures: readonly ListedPicture[]): string => `${JSON.stringify({ version: 1, pictures }, undefined, 2)}\n`;

const common = { tag: 'Building', embed: true, etag: false } as const;

export const listPictures = defineOperation({
  ...common,
  method: 'GET',
  path: '/projects/{projectId}/pictures',
  summary: 'List the pictures of a project, the latest first',
  description: 'At most 200. Their files are part of the draft, and go live with it.',
  permission: 'read',
  roles: clientsToo.read,
  rpc: 'projects.ListPictures',
  output: z.object({ pictures: z.array(Picture).describe('The pictures, the latest first; empty if there are none') }),
  success: 200,
  errors: ['project_not_found'],
});

export const uploadPicture = defineOperation({
  ...common,
  method: 'POST',
  path: '/projects/{projectId}/pictures',
  summary: 'Add a picture to a project',
  description:
    'A JPEG, PNG, WebP or GIF picture of at most 15 MB and 50 megapixels; its bytes say which, not its name. It is encoded anew as WebP, at most 480, 960 and 1600 pixels wide, upright and without metadata such as the place where it was taken. Its files are part of the draft, as one revision. The same picture again is the one that is there.',
  permission: 'write',
  roles: clientsToo.write,
  rpc: 'projects.UploadPicture',
  input: z.strictObject({
    name: Name.describe('As of its file: `terrace.jpg`'),
    file: SentContent.describe('The bytes of the picture, as base64'),
    alt: optionalText(maxAltLength)
      .nullish()
      .describe('What the picture shows, for those who do not see it, at most 300 characters; left out or null: nothing is said'),
  }),
  bodyBytes: maxBodyBytes,
  output: z.object({ picture: Picture }),
  success: 201,
  errors: ['project_not_found', 'picture_refused', 'quota_exceeded'],
});

export const updatePicture = defineOperation({
  ...common,
  method: 'PATCH',
  path: '/projects/{projectId}/pictures/{pictureId}',
  summary: 'Change what a picture is said to show',
  description: 'Pages that the composer made take it over with their next change.',
  permission: 'write',
  roles: clientsToo.write,
  rpc: 'projects.UpdatePicture',
  input: z.strictObject({
    alt: optionalText(maxAltLength).describe(
      'What the picture shows, for those who do not see it, at most 300 characters; empty: it is an ornament',
    ),
  }),
  output: z.object({ picture: Picture }),
  success: 200,
  errors: ['picture_not_found'],
});

export const deletePicture = defineOperation({
  ...common,
  method: 'DELETE',
  path: '/projects/{projectId}/pictures/{pictureId}',
  summary: 'Delete a picture that no file of the draft shows',
  description: 'Adds a revision: restoring the one before brings it back. The live site keeps it until the draft is published.',
  permission: 'write',
  roles: clientsToo.write,
  rpc: 'projects.DeletePicture',
  output: Deleted,
  success: 200,
  errors: ['picture_not_found', 'picture_in_use'],
});
