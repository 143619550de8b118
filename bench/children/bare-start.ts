// A bare Node process that loads the packages which the daemon loads at its start, opens a database and listens. It
// writes the same line as the daemon does when it listens.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import '@hono/node-server'
import '@hono/zod-openapi'
import 'commander'
import 'config'
import 'ioredis'
import 'jose'
import 'lru-cache'
import 'pino'
import 'prom-client'
import 'undici'
import 'ws'

new DatabaseSync(':memory:')
const server = createServer().listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(JSON.stringify({ msg: 'listening', http: `http://127.0.0.1:${port}` }))
})
