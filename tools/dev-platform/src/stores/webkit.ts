import type { Dependency } from './dependency.ts';

/** Drives WebKit, the engine of Safari. It finds its browser and its libraries only where its package installs them. */
export const webkitDriver: Dependency = {
  title: "WebKit's driver",
  program: 'WebKitWebDriver',
  pathVariable: 'WEBKIT_DRIVER_PATH',
  download: {
    from: 'the Debian package webkit2gtk-driver, by an administrator',
    folder: 'webkit2gtk-driver',
    executable: 'WebKitWebDriver',
    fetch: () => Promise.reject(new Error('apt-get install webkit2gtk-driver')),
  },
};
