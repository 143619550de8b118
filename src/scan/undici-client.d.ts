/**
 * The type of undici's client module. The daemon imports it alone, because the package's entry also loads
 * fetch, caches, mocks and proxies: five times as many files.
 */
declare module 'undici/lib/dispatcher/client.js' {
  import { Client } from 'undici'
  export = Client
}
