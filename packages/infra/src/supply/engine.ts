import { type Report, reported } from '../report.ts';
import type { Store } from '../stores/store.ts';

/** The store's image, present in the container engine of this machine; throws when there is no engine or no image. */
export async function imageInEngine({ title, image }: Store, report: Report): Promise<string> {
  const { getContainerRuntimeClient, ImageName } = await import('testcontainers');
  const { image: images } = await getContainerRuntimeClient();
  const name = ImageName.fromString(image);
  if (!(await images.exists(name))) await reported(report, title, `fetching the image ${image} (once)`, () => images.pull(name));
  return image;
}
