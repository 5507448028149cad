/** Images of every site, with the size of their drawings in pixels. */
export const imageSizes = {
  hero: [1200, 900],
  about: [900, 900],
  'gallery-1': [900, 600],
  'gallery-2': [600, 600],
  'gallery-3': [600, 600],
  'gallery-4': [900, 600],
} as const;
export type ImageName = keyof typeof imageSizes;

/** Where a picture of the owner may stand: in place of a drawing, or as the logo. */
export const pictureSlots = [...(Object.keys(imageSizes) as ImageName[]), 'logo'] as const;
export type PictureSlot = (typeof pictureSlots)[number];

export const imagePath = (name: ImageName | 'icon'): string => `images/${name}.svg`;
