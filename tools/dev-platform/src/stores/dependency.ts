/** A program that Webkiln needs on this machine. */
export interface Dependency {
  /** "MongoDB" */
  readonly title: string;
  /** Its executable, as on the PATH. */
  readonly program: string;
  /** What else it is called there. */
  readonly otherNames?: readonly string[];
  /** The setting that says where it is, for a program that need not be on the PATH. */
  readonly pathVariable?: string;
  /** The minimum version, if there is one. */
  readonly minimum?: readonly [major: number, minor: number];
  /** How it is fetched where it is missing. */
  readonly download: Download;
}

export interface Download {
  /** "a Python wheel": for people to read. */
  readonly from: string;
  /** The cache's folder; names the version, so that another version is another folder. */
  readonly folder: string;
  /** The executable, relative to the folder. */
  readonly executable: string;
  /** Fills an empty folder. */
  fetch(folder: string): Promise<void>;
}

/** By the settings that name them. */
export interface StoreUrls {
  MONGODB_URL: string;
  NATS_URL: string;
  REDIS_URL: string;
}

/** Where a server keeps its data and listens, as the server itself sees it: in a container these differ from ours. */
export interface Place {
  readonly folder: string;
  readonly host: string;
  readonly port: number;
}

/** A server that holds state. */
export interface Store extends Dependency {
  readonly name: 'mongodb' | 'nats' | 'redis';
  /** The setting that names one which runs already. */
  readonly urlVariable: keyof StoreUrls;
  /** The official image. */
  readonly image: string;
  /** Options of the executable. */
  options(place: Place): string[];
  /** Files that the options refer to, by name in the data folder. */
  files?(place: Place): Record<string, string>;
  url(port: number): string;
  /** The readiness probe: resolves once the server is ready, throws before. Repeated until it resolves. */
  check(port: number): Promise<void>;
}
