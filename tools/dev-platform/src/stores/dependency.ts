/** A program that Webkiln needs on this machine. */
export interface Dependency {
  /** "MongoDB" */
  readonly title: string;
  /** The name of its executable on the PATH. */
  readonly program: string;
  /** Other names of the executable. */
  readonly otherNames?: readonly string[];
  /** The setting with the path of the executable. */
  readonly pathVariable?: string;
  /** The minimum version, if there is one. */
  readonly minimum?: readonly [major: number, minor: number];
  /** How it is downloaded if it is missing. */
  readonly download: Download;
}

export interface Download {
  /** A description for people: "a Python wheel". */
  readonly from: string;
  /** Its folder in the cache. Contains the version where several may exist. */
  readonly folder: string;
  /** The executable, relative to the folder. */
  readonly executable: string;
  /** Fills an empty folder. */
  fetch(folder: string): Promise<void>;
}

/** The stores' URLs, by the settings that contain them. */
export interface StoreUrls {
  MONGODB_URL: string;
  NATS_URL: string;
  REDIS_URL: string;
}

/** A server's data folder and address from its own point of view, which differs from ours in a container. */
export interface Place {
  readonly folder: string;
  readonly host: string;
  readonly port: number;
  /** EVENTS_PREFIX */
  readonly eventsPrefix: string;
  /** MONGODB_PREFIX */
  readonly mongodbPrefix: string;
  readonly secrets: StoreSecrets;
}

/** The secrets of the stores that run here: the content of MongoDB's key file, and the passwords of its users. */
export interface StoreSecrets {
  readonly mongodb_key: string;
  readonly mongodb_passwords: Readonly<Record<string, string>>;
}

/** A server that holds state. */
export interface Store extends Dependency {
  readonly name: 'mongodb' | 'nats' | 'redis';
  /** The setting with the URL of a server that already runs. */
  readonly urlVariable: keyof StoreUrls;
  /** The official container image. */
  readonly image: string;
  /** The command-line arguments. */
  options(place: Place): string[];
  /** Files that the options refer to, by name in the data folder; only their owner may read them. */
  files?(place: Place): Record<string, string>;
  /** The URL of a user with all rights. */
  url(port: number, secrets: StoreSecrets): string;
  /** The readiness probe: resolves once the server is ready, throws before. Repeated until it resolves. */
  check(place: Place): Promise<void>;
}
