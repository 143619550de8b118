/**
 * The daemon imports this module of undici alone. The entry of the package also loads fetch,
 * caches, mocks and proxies: five times as many files.
 */
declare module 'undici/lib/dispatcher/client.js' {
  import { Client } from 'undici'
  export = Client
}
