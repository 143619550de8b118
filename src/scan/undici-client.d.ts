/** The client alone: the package's entry loads its fetch, caches, mocks and proxies as well, five times as many files. */
declare module 'undici/lib/dispatcher/client.js' {
  import { Client } from 'undici'
  export = Client
}
